-- A small game with an undo buffer like that of the document, played from a script:
--
--   lua game.lua LUA_PATH_OF_THE_MODULE EXAMPLES.lua SCRIPT.lua
--
-- The script returns {name, socket, order, table, records, options}; each record is a turn, an undo
-- or a redo with the board after it, a pause for whoever runs this, or something to be printed.
-- What the hooks of the page do stands in EXAMPLES.lua.

package.path = arg[1] .. "/?.lua;" .. package.path

local script = dofile(arg[3])

-- ---- the game, as it was without history

units, undobuffer = {}, {}

local update_at = script.order == "new-first" and {old = 6, new = 3} or {old = 3, new = 6}

function newundo()
  if not undobuffer[1] or #undobuffer[1] > 0 then
    table.insert(undobuffer, 1, {})
  end
end

function addundo(line)
  table.insert(undobuffer[1], 1, line)
end

local back = {
  update = function(line)
    local unit, at = units[line[9]], update_at.old
    unit.x, unit.y, unit.dir = line[at], line[at + 1], line[at + 2]
  end,
  create = function(line)
    units[line[3]] = nil
  end,
  remove = function(line)
    units[line[6]] = {name = line[2], x = line[3], y = line[4], dir = line[5], originalname = line[18]}
  end,
}

-- The entry being written has no lines here, or is the one to undo.
function undo()
  local entry = table.remove(undobuffer, #undobuffer[1] == 0 and 2 or 1)
  for _, line in ipairs(entry) do
    back[line[1]](line)
  end
end

game_entry, game_line = newundo, addundo
dofile(arg[2]) -- the page's

local plain_begin = begin_history
function begin_history(name, objects)
  local open = redo_module.open
  redo_module.open = function(options)
    for key, value in pairs(script.options or {}) do
      options[key] = value
    end
    options.socket = script.socket
    options.say = function(text) print("say", text) end
    return open(options)
  end
  plain_begin(name, objects)
  redo_module.open = open
end

-- ---- playing

local function board(objects)
  local rows = {}
  for id, u in pairs(objects) do
    rows[#rows + 1] = string.format("%d,%s,%d,%d,%d", id, u.name, u.x, u.y, u.dir)
  end
  table.sort(rows)
  return table.concat(rows, ";")
end

local function expect(what, wanted, got)
  if wanted ~= got then
    error(string.format("%s: expected %s, got %s", what, tostring(wanted), tostring(got)), 0)
  end
end

local forth = {
  update = function(line)
    local unit, at = units[line[9]], update_at.new
    unit.x, unit.y, unit.dir = line[at], line[at + 1], line[at + 2]
  end,
  create = function(line)
    units[line[3]] = {name = line[2], x = line[6], y = line[7], dir = line[8], originalname = line[2]}
  end,
  remove = function(line)
    units[line[6]] = nil
  end,
}

local plays = {}

function plays.turn(record)
  last_move = record.move
  newundo()
  for _, line in ipairs(record.lines) do
    forth[line[1]](line)
    addundo(line)
  end
  history:done()
end

function plays.undo()
  undo()
end

function plays.redo(record)
  expect("something to redo", true, redo_turn(record.move))
end

-- Back by what the history tells, where the game's own buffer has nothing any more.
function plays.back(record)
  local lines = history:undo()
  expect("something to undo", not record.none, lines ~= nil)
  for _, line in ipairs(lines or {}) do
    back[line[1]](line)
  end
end

-- Lines that the game knows nothing of.
function plays.raw(record)
  for i, line in ipairs(record.lines) do
    history:addundo(line, record.untold and record.untold[i])
  end
  if record.dropped then
    history:drop()
  end
  history:done()
end

function plays.pause(record)
  print("pause", record.text)
  io.stdout:flush()
  io.read()
end

-- Tells what is still to be told, for as long as it takes.
function plays.settle()
  while history:step() ~= "here" do
    require("luv").sleep(10)
  end
end

function plays.tell()
  local refused = history.refused or {}
  print("tell", history.state, history.waiting > 0, history:position(), history:better(),
        refused.line, refused.field, refused.expected, refused.given)
end

function plays.check()
  local objects = history:objects()
  expect("objects", "table", type(objects))
  expect("the daemon's board", board(units), board(objects))
end

for id, unit in pairs(script.table) do
  units[id] = unit
end
begin_history(script.name, units)
for i, record in ipairs(script.records) do
  local good, why = pcall(plays[record.kind], record)
  if good and record.board then
    good, why = pcall(expect, "board", record.board, board(units))
  end
  if not good then
    print("wrong", i, record.kind, why)
    os.exit(1)
  end
end
print("played", #script.records, require("redo.pack").with)
os.exit(0, true)
