-- A connection to the daemon: requests that wait for their answer, and never longer than told.
--
--   wire.connect(path, seconds)            -> connection, or nil and why not
--   connection:call(seconds, method, ...)  -> true and the result; false and the error that the
--                                             daemon answered, {code, message, details}; or nil and
--                                             why the connection is gone: it is closed then
--   connection:close()
--
-- It runs luv's loop while it waits, so it must not be called from within a callback of luv.

local uv = require "luv"
local pack = require "redo.pack"

local wire = {}
wire.__index = wire

-- A daemon that has gone must not end the game that writes to it.
local pipes = uv.new_signal()
uv.signal_start(pipes, "sigpipe", function() end)
uv.unref(pipes)

-- Runs the loop until it is done, or the time is over: whether it is done.
local function wait(seconds, done)
  local timer, over = uv.new_timer(), false
  uv.timer_start(timer, math.max(math.floor(seconds * 1000), 1), 0, function()
    over = true
  end)
  while not done() and not over do
    uv.run("once")
  end
  uv.close(timer)
  uv.run("nowait")
  return done()
end

function wire.path()
  local runtime, home = os.getenv("XDG_RUNTIME_DIR"), os.getenv("HOME")
  if os.getenv("REDO_SOCKET") then
    return os.getenv("REDO_SOCKET")
  elseif runtime and runtime:sub(1, 1) == "/" then
    return runtime .. "/redod/redod.sock"
  elseif uv.getuid() == 0 then
    return "/run/redod/redod.sock"
  end
  return (home or "") .. "/.local/state/redod/redod.sock"
end

local function listen(self)
  local decode = pack.decoder()
  uv.read_start(self.pipe, function(err, bytes)
    if err or not bytes then
      self.gone = self.gone or err or "the daemon has closed the connection"
      return
    end
    local good, values = pcall(decode, bytes)
    if not good then
      self.gone = "what answers does not speak the daemon's protocol"
      return
    end
    for _, message in ipairs(values) do
      if type(message) == "table" and message[1] == 1 then
        self.answers[message[2]] = message
      elseif type(message) == "table" and message[1] == 2 and message[2] == "error" then
        self.gone = tostring(message[3][2])
      end
    end
  end)
end

function wire.connect(path, seconds)
  local self = setmetatable({pipe = uv.new_pipe(false), answers = {}, id = 0}, wire)
  local connected = false
  local good, why = pcall(function()
    assert(uv.pipe_connect(self.pipe, path, function(err)
      self.gone, connected = err, not err
    end))
  end)
  if not good then
    self.gone = tostring(why)
  end
  wait(seconds, function() return connected or self.gone end)
  if connected and not self.gone then
    listen(self)
    return self
  end
  self:close()
  return nil, self.gone or "no answer in time"
end

function wire:close()
  if not uv.is_closing(self.pipe) then
    uv.close(self.pipe)
    uv.run("nowait")
  end
  self.gone = self.gone or "closed"
end

local function lost(self, why)
  self.gone = self.gone or why
  self:close()
  return nil, self.gone
end

-- Options that are empty are left out: an empty table would be told as an array.
local function params_of(...)
  local params = {...}
  local last = params[#params]
  if type(last) == "table" and next(last) == nil and #params > 1 then
    params[#params] = nil
  end
  return params
end

function wire:call(seconds, method, ...)
  if self.gone then
    return lost(self)
  end
  self.id = self.id + 1
  local id = self.id
  uv.write(self.pipe, pack.encode({0, id, method, params_of(...)}), function(err)
    self.gone = self.gone or err
  end)
  if not wait(seconds, function() return self.answers[id] or self.gone end) then
    return lost(self, "no answer in time")
  end
  local answer = self.answers[id]
  if not answer then
    return lost(self)
  end
  self.answers[id] = nil
  if answer[3] ~= pack.null and answer[3] ~= nil then
    return false, answer[3]
  end
  return true, answer[4]
end

return wire
