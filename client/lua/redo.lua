-- The history of a game that keeps an undo buffer of lines, kept by redod as a tree. See README.md.
--
--   local redo = require "redo"
--   local history = redo.open{name = "level-7", schema = "baba-old-first", table = {objects = ...}}
--
--   history:newundo([move])        a turn begins; the one before, if it has lines, is over
--   history:addundo(line [, untold])   a line of it, in the order in which things happen;
--                                  untold: {field = value}, what it does not tell of the time after
--   history:done()                 the turn is over, and is told at once; newundo and undo do it too
--   history:drop()                 the turn that is under way is forgotten, with its lines
--   history:undo()                 -> the lines to take back, newest first; nil at the beginning
--   history:redo([move])           -> the lines to do again, oldest first, and what was untold of
--                                  them; nil where nothing follows
--   history:step()                 to be called now and then: tells what could not be told before
--   history:position()             -> the number of the position, to be kept in a saved game; nil if
--                                  it is not told yet
--   history:better()               -> the number of the position where this board was reached first
--   history:objects()              -> {id = {field = value}}, as the daemon has them; nil if it is
--                                  away
--   history:call(method, ...)      -> what a method of the protocol answers of this session; nil and
--                                  why it was refused. E.g. records: call("getrecord", number)
--   history.state                  "here", "away", or "lost" (the session is gone, and what came
--                                  before this game with it)
--   history.waiting                how many turns and steps are still to be told
--   history.refused                the last line that did not fit: {line, field, expected, given,
--                                  why}
--
-- No function waits longer than about twice the timeout, and none fails for want of a daemon: the
-- game's own lines are kept here too, and told when it is there again.

local uv = require "luv"
local pack = require "redo.pack"
local wire = require "redo.wire"

local redo = {}
local history = {}
history.__index = history

-- Errors of the daemon (core/redo_error.h).
local ENOSESSION, EDIFFERS, ERESYNC, ELINE = 2, 11, 46, 51
-- It can not be done now, and may be later: no memory, a limit, the disk full, the disk failing.
local PASSING = {[1] = true, [15] = true, [34] = true, [35] = true}

local RETRY_MOST = 30 -- seconds

local function now()
  return uv.hrtime() / 1e9
end

local function random_move()
  local a, b, c, d = uv.random(4):byte(1, 4)
  return ((a % 64 * 256 + b) * 256 + c) * 256 + d
end

-- A table of the game, which may change it later. Places without a value are told as nil.
local function copy(value)
  if type(value) ~= "table" or value == pack.null then
    return value
  end
  local new, last = {}, 0
  for key, item in pairs(value) do
    new[key] = copy(item)
    if type(key) == "number" and key > last then
      last = key
    end
  end
  for i = 1, last do
    if new[i] == nil then
      new[i] = pack.null
    end
  end
  return new
end

-- What the daemon tells, with nil for nil.
local function plain(value)
  if value == pack.null then
    return nil
  end
  if type(value) == "table" then
    for key, item in pairs(value) do
      value[key] = plain(item)
    end
  end
  return value
end

function history:_say(...)
  self.options.say("redo: " .. string.format(...))
end

-- ---- opening

-- Objects by id, as games have them, in the daemon's form.
local function rows(by_id)
  if by_id == nil or by_id[1] and type(by_id[1][1]) ~= "nil" then
    return copy(by_id)
  end
  local list = {}
  for id, fields in pairs(by_id) do
    list[#list + 1] = {id, copy(fields)}
  end
  return list
end

function redo.open(options)
  assert(options.schema, "redo: which schema? baba, baba-old-first, or one of your own")
  local given = options.table or {}
  local root = {number = options.at or 0, children = {}}
  local self = setmetatable({
    options = {
      name = options.name,
      schema = options.schema,
      lenient = options.lenient or false,
      cursor = options.cursor or "player",
      client = options.client or "lua",
      socket = options.socket or wire.path(),
      timeout = options.timeout or 0.25,
      retry = options.retry or 2,
      say = options.say or function(text) io.stderr:write(text, "\n") end,
    },
    first = {objects = rows(given.objects), level = copy(given.level), cursors = rows(given.cursors)},
    root = root,
    current = root,
    all = {},     -- every turn, in the order in which they were played
    queue = {},   -- what is still to be told
    waiting = 0,
    key = uv.random(12),
    keys = 0,
    next_try = 0,
    pause = options.retry or 2,
    state = "away",
  }, history)
  self:_goto(root)
  self:step()
  return self
end

-- ---- being connected

function history:_away(why, ...)
  if self.connection then
    self.connection:close()
  end
  self.connection = nil
  self.next_try = now() + self.pause
  self.pause = math.min(self.pause * 2, RETRY_MOST)
  if self.state ~= "away" or not self.told_away then
    self:_say(why .. "; the game plays on, and what is played is told later", ...)
  end
  self.state, self.told_away = "away", true
end

-- Each of these waits no longer than what is left of the time.
function history:_ask(...)
  return self.connection:call(math.max(self.deadline - now(), 0.02), ...)
end

-- The session by its name, or begun: its SESSION, or nil.
function history:_session()
  local o = self.options
  local first = next(self.first) and self.first or nil
  local good, session = self:_ask("beginchanges", o.schema, {
    name = o.name, join = o.name and true, table = first, lenient = o.lenient or nil})
  if good and session.created then
    -- Positions are to stay where the game knows them.
    good = self:_ask("setgraftbehavior", session.session, 0)
  end
  return good and session or nil, session
end

-- The daemon does not know what was played: all of it is told again.
function history:_tell_all()
  if self.root.number ~= 0 then
    self.state, self.connection = "lost", self.connection:close()
    self:_say("the session is gone, and what came before position %d with it", self.root.number)
    return false
  end
  self.queue, self.waiting = {}, 0
  for _, node in ipairs(self.all) do
    node.number, node.better = nil, nil
    self:_push{turn = node}
  end
  self:_goto(self.current)
  return true
end

function history:_open()
  local good, why = self:_ask("server.hello", {client = self.options.client})
  local session = nil
  if good then
    session, why = self:_session()
  end
  if not session then
    self:_away("the daemon can not serve this session (%s)",
               tostring(type(why) == "table" and why[2] or why))
    return false
  end
  local same = self.handle == session.session and self.begun == session.begun and
               not session.created
  local known = self.handle ~= nil
  self.handle, self.begun = session.session, session.begun
  self.pause = self.options.retry
  return not known or same or self:_tell_all()
end

-- Whether there is a connection; made if it is time to try.
function history:_here()
  if self.connection then
    return true
  elseif self.state == "lost" or now() < self.next_try then
    return false
  end
  self.deadline = now() + self.options.timeout
  local connection, why = wire.connect(self.options.socket, self.options.timeout)
  if not connection then
    self:_away("no daemon at %s (%s)", self.options.socket, tostring(why))
    return false
  end
  self.connection = connection
  return self:_open()
end

-- A request about the session: as connection:call(), or nil if there is no connection.
function history:_call(method, ...)
  if not self:_here() then
    return nil
  end
  local good, result = self.connection:call(self.options.timeout, method, self.handle, ...)
  if good == nil then
    self:_away("the daemon has gone (%s)", tostring(result))
  end
  return good, result
end

-- ---- telling

function history:_push(item)
  self.queue[#self.queue + 1] = item
  self.waiting = #self.queue
end

-- The cursor is to stand there; where it was to go before that is of no interest.
function history:_goto(node)
  local last = self.queue[#self.queue]
  if last and last.cursor then
    last.cursor = node
  else
    self:_push{cursor = node}
  end
end

function history:_refuse(node, why)
  node.refused = true
  local details = type(why[3]) == "table" and plain(why[3]) or {}
  if why[1] == ELINE then
    self.refused = {
      line = details.line, field = details.field, expected = details.expected,
      given = details.given, why = why[2], lines = node.lines,
    }
    self:_say("a line does not fit: %s: line %s, field %s, expected %s, given %s", why[2],
              tostring(details.line), tostring(details.field), tostring(details.expected),
              tostring(details.given))
  else
    self:_say("a turn is refused: %s", tostring(why[2]))
  end
end

-- A key by which the daemon knows a request that is sent a second time.
function history:_key(item)
  if not item.key then
    self.keys = self.keys + 1
    item.key = string.format("%s%d", self.key:gsub(".", function(c)
      return string.format("%02x", c:byte())
    end), self.keys)
  end
  return item.key
end

-- A turn: true if there is no more to do about it.
function history:_send_turn(item)
  local node = item.turn
  if node.parent.refused or not node.parent.number then
    node.refused = true -- it hangs on one that the daemon does not have
    return true
  end
  local good, result = self:_call("addchanges", node.parent.number, node.move, node.lines, 0, 1, {
    after = node.after[1] and node.after or nil,
    strict = true,
    cursor = self.options.cursor,
    key = self:_key(item),
  })
  if good then
    node.number, node.better = result.number, plain(result.better)
    return true
  elseif good == nil then
    return false
  elseif result[1] == EDIFFERS then
    node.move, item.key = random_move(), nil -- another turn has that move
    return self:_send_turn(item)
  end
  return self:_failed(result, node)
end

function history:_send_cursor(item)
  local node = item.cursor
  if not node.number then
    return true -- the turn that leads there was refused
  end
  local good, result = self:_call("setcursor", self.options.cursor, node.number,
                                  {key = self:_key(item)})
  if good then
    return true
  end
  return good == false and self:_failed(result, {})
end

-- What the daemon refused: true if there is no sense in asking again.
function history:_failed(why, node)
  if why[1] == ENOSESSION or why[1] == ERESYNC then
    self.connection = self.connection:close() -- opened anew at the next try
    return false
  elseif PASSING[why[1]] then
    self:_away("the daemon can not take it now (%s)", tostring(why[2]))
    return false
  end
  self:_refuse(node, why)
  return true
end

-- Tells what is to be told, as far as the time goes.
function history:step()
  local deadline = now() + self.options.timeout
  while self.queue[1] and self:_here() do
    local item = self.queue[1]
    local over
    if item.turn then
      over = self:_send_turn(item)
    else
      over = self:_send_cursor(item)
    end
    if over and self.queue[1] == item then
      table.remove(self.queue, 1)
      self.waiting = #self.queue
    end
    if not over and not self.connection or now() >= deadline then
      break
    end
  end
  if self.connection and not self.queue[1] and self.state ~= "here" then
    self.state = "here"
    if self.told_away then
      self:_say("the daemon is there, and has been told all")
      self.told_away = false
    end
  end
  return self.state
end

-- ---- turns

function history:newundo(move)
  self:done()
  self.entry = {lines = {}, after = {}, move = move}
end

function history:addundo(line, untold)
  local entry = self.entry or {lines = {}, after = {}}
  self.entry = entry
  entry.lines[#entry.lines + 1] = copy(line)
  for field, value in pairs(untold or {}) do
    entry.after[#entry.after + 1] = {#entry.lines - 1, field, copy(value)}
  end
end

function history:drop()
  self.entry = nil
end

-- The same turn from the same place, if it was played before.
local function known_turn(node, entry, told)
  for _, child in ipairs(node.children) do
    if child.told == told and (entry.move == nil or entry.move == child.asked) then
      return child
    end
  end
end

function history:done()
  local entry, here = self.entry, self.current
  self.entry = nil
  if not entry or #entry.lines == 0 then
    return self:step()
  end
  local told = pack.encode({entry.lines, entry.after})
  local node = known_turn(here, entry, told)
  if node then
    self:_goto(node)
  else
    node = {parent = here, lines = entry.lines, after = entry.after, children = {}, told = told,
            asked = entry.move, move = entry.move or random_move()}
    here.children[#here.children + 1] = node
    self.all[#self.all + 1] = node
    self:_push{turn = node}
  end
  here.front = node
  self.current = node
  return self:step()
end

-- ---- back and forth

-- What led to the root, where the game did not begin at the first position.
function history:_before(node)
  local good, position = self:_call("getposition", node.number)
  local lines
  if good and position.prev ~= pack.null then
    good, lines = self:_call("getlines", node.number)
  end
  if not (good and lines) then
    return false
  end
  local parent = {number = position.prev, children = {node}, front = node}
  node.parent, node.lines, node.after = parent, lines.lines, plain(lines.after) or {}
  node.move, node.asked = position.move, position.move
  node.told = pack.encode({node.lines, node.after})
  self.root = parent
  return true
end

function history:undo()
  self:done()
  local node = self.current
  if not node.parent and (node.number == 0 or not self:_before(node)) then
    return nil
  end
  local back = {}
  for i = #node.lines, 1, -1 do
    back[#back + 1] = copy(node.lines[i])
  end
  node.parent.front = node
  self.current = node.parent
  self:_goto(self.current)
  self:step()
  return plain(back)
end

-- A branch that another game, or this one at another time, has played.
function history:_branch(node, move)
  local good, page = nil, nil
  if node.number then
    good, page = self:_call("getbranches", node.number, {limit = 1000})
  end
  for _, position in ipairs(good and page.positions or {}) do
    if move == nil or position.move == move then
      local fine, lines = self:_call("getlines", position.number)
      return fine and {parent = node, lines = lines.lines, after = plain(lines.after) or {},
                       children = {}, move = position.move, asked = position.move,
                       number = position.number, better = plain(position.better)} or nil
    end
  end
end

local function child_by_move(node, move)
  for _, child in ipairs(node.children) do
    if child.asked == move then
      return child
    end
  end
end

function history:redo(move)
  self:done()
  local here = self.current
  local node
  if move == nil then
    node = here.front
  else
    node = child_by_move(here, move)
  end
  if not node then
    node = self:_branch(here, move)
    if not node then
      return nil
    end
    node.told = pack.encode({node.lines, node.after})
    here.children[#here.children + 1] = node
    self.all[#self.all + 1] = node
  end
  here.front, self.current = node, node
  self:_goto(node)
  self:step()
  return plain(copy(node.lines)), plain(copy(node.after))
end

-- ---- looking

function history:position()
  return self.current.number
end

function history:better()
  return self.current.better
end

function history:objects()
  self:done()
  local objects, after = {}, nil
  if not self.current.number then
    return nil
  end
  repeat
    local good, page = self:_call("gettable", self.current.number, {after = after})
    if not good then
      return nil
    end
    for _, object in ipairs(page.objects) do
      objects[object[1]] = plain(object[2])
    end
    after = plain(page.next)
  until after == nil
  return objects
end

-- Any method of the protocol on this session; what was played before is told first.
function history:call(method, ...)
  self:done()
  self:step()
  local good, result = self:_call(method, ...)
  if not good then
    return nil, type(result) == "table" and result[2] or "the daemon is away"
  end
  return plain(result)
end

function history:close()
  self:done()
  if self.connection then
    self.connection = self.connection:close()
  end
  self.state = "away"
end

return redo
