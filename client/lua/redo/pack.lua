-- Values to msgpack and back: by lua-mpack for Lua 5.1 and LuaJIT; from 5.3 on by what stands below,
-- since there lua-mpack makes floats of all integers, and Debian 12 has none for 5.4.
--
--   pack.encode(value)     -> bytes; a table whose keys are 1..n is an array, another a map
--   pack.decoder()         -> feed(bytes), which returns an array of the values that are whole
--   pack.null              nil inside arrays and maps

local pack = {}

if not string.pack then
  local mpack = require "mpack"
  pack.with, pack.null, pack.encode = "lua-mpack", mpack.NIL, mpack.pack

  function pack.decoder()
    local unpacker = mpack.Unpacker()
    return function(bytes)
      local values, at = {}, 1
      while at <= #bytes do
        local value
        value, at = unpacker(bytes, at)
        if value == nil then
          break
        end
        values[#values + 1] = value
      end
      return values
    end
  end

  return pack
end

pack.with = "plain Lua"
pack.null = setmetatable({}, {__tostring = function() return "null" end})

-- ---- to msgpack

local DEPTH = 32 -- arrays and maps in one another; the daemon takes no more

local function is_array(value)
  local count = 0
  for key in pairs(value) do
    if math.type(key) ~= "integer" or key < 1 then
      return false
    end
    count = count + 1
  end
  return count == #value
end

local function put_integer(n)
  if n >= 0 then
    if n < 0x80 then return string.pack("B", n) end
    if n < 0x100 then return string.pack(">BB", 0xcc, n) end
    if n < 0x10000 then return string.pack(">BI2", 0xcd, n) end
    if n < 0x100000000 then return string.pack(">BI4", 0xce, n) end
    return string.pack(">Bi8", 0xcf, n)
  end
  if n >= -0x20 then return string.pack("b", n) end
  return string.pack(">Bi8", 0xd3, n)
end

-- A float that is whole is told as an integer, as by a Lua that has but one kind of number.
local function put_number(n)
  local whole = math.tointeger(n)
  return whole and put_integer(whole) or string.pack(">Bd", 0xcb, n)
end

local function put_size(n, short, most, long)
  if n < most then
    return string.pack("B", short + n)
  end
  return n < 0x10000 and string.pack(">BI2", long, n) or string.pack(">BI4", long + 1, n)
end

local function put_string(text)
  if #text >= 32 and #text < 0x100 then
    return string.pack(">BB", 0xd9, #text) .. text
  end
  return put_size(#text, 0xa0, 32, 0xda) .. text
end

local function put(out, value, depth)
  local kind = type(value)
  if value == nil or value == pack.null then
    out[#out + 1] = "\xc0"
  elseif kind == "boolean" then
    out[#out + 1] = value and "\xc3" or "\xc2"
  elseif kind == "number" then
    out[#out + 1] = put_number(value)
  elseif kind == "string" then
    out[#out + 1] = put_string(value)
  elseif kind ~= "table" then
    error("redo: a " .. kind .. " can not be told")
  elseif depth == DEPTH then
    error("redo: tables nest too deep")
  elseif is_array(value) then
    out[#out + 1] = put_size(#value, 0x90, 16, 0xdc)
    for i = 1, #value do
      put(out, value[i], depth + 1)
    end
  else
    local place, count = #out + 1, 0
    out[place] = ""
    for key, item in pairs(value) do
      put(out, key, depth + 1)
      put(out, item, depth + 1)
      count = count + 1
    end
    out[place] = put_size(count, 0x80, 16, 0xde)
  end
end

function pack.encode(value)
  local out = {}
  put(out, value, 0)
  return table.concat(out)
end

-- ---- from msgpack

local SHORT = {} -- thrown where bytes are missing

local function take(bytes, at, format, size)
  if at + size - 1 > #bytes then
    error(SHORT)
  end
  return (string.unpack(format, bytes, at)), at + size
end

local function take_text(bytes, at, size)
  if at + size - 1 > #bytes then
    error(SHORT)
  end
  return bytes:sub(at, at + size - 1), at + size
end

local get

local function get_array(bytes, at, count)
  local array = {}
  for i = 1, count do
    array[i], at = get(bytes, at)
    if array[i] == nil then
      array[i] = pack.null
    end
  end
  return array, at
end

local function get_map(bytes, at, count)
  local map = {}
  for _ = 1, count do
    local key, value
    key, at = get(bytes, at)
    value, at = get(bytes, at)
    map[key] = value == nil and pack.null or value
  end
  return map, at
end

-- First byte -> how its number is read, and by what that is followed.
local NUMBERS = {
  [0xca] = {">f", 4}, [0xcb] = {">d", 8}, [0xcc] = {">I1", 1}, [0xcd] = {">I2", 2},
  [0xce] = {">I4", 4}, [0xcf] = {">i8", 8}, [0xd0] = {">i1", 1}, [0xd1] = {">i2", 2},
  [0xd2] = {">i4", 4}, [0xd3] = {">i8", 8},
}
local SIZED = {
  [0xc4] = {">I1", 1, take_text}, [0xc5] = {">I2", 2, take_text}, [0xc6] = {">I4", 4, take_text},
  [0xd9] = {">I1", 1, take_text}, [0xda] = {">I2", 2, take_text}, [0xdb] = {">I4", 4, take_text},
  [0xdc] = {">I2", 2, get_array}, [0xdd] = {">I4", 4, get_array},
  [0xde] = {">I2", 2, get_map}, [0xdf] = {">I4", 4, get_map},
}

function get(bytes, at)
  local first
  first, at = take(bytes, at, "B", 1)
  if first < 0x80 then return first, at end
  if first >= 0xe0 then return first - 0x100, at end
  if first < 0x90 then return get_map(bytes, at, first - 0x80) end
  if first < 0xa0 then return get_array(bytes, at, first - 0x90) end
  if first < 0xc0 then return take_text(bytes, at, first - 0xa0) end
  if first == 0xc0 then return nil, at end
  if first < 0xc4 then return first == 0xc3, at end
  local number, sized = NUMBERS[first], SIZED[first]
  if number then
    return take(bytes, at, number[1], number[2])
  end
  if not sized then
    error("redo: not msgpack that the daemon sends")
  end
  local size
  size, at = take(bytes, at, sized[1], sized[2])
  return sized[3](bytes, at, size)
end

function pack.decoder()
  local rest = ""
  return function(bytes)
    local values, at = {}, 1
    rest = rest .. bytes
    while at <= #rest do
      local good, value, next_at = pcall(get, rest, at)
      if not good and value ~= SHORT then
        error(value, 0)
      elseif not good then
        break
      end
      values[#values + 1], at = value, next_at
    end
    rest = rest:sub(at)
    return values
  end
end

return pack
