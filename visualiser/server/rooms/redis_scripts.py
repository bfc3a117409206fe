"""The steps of `RedisStore` in Lua, each one step for all processes.

A room's keys: ``room`` (a hash: document, version, revision, the round that takes answers, its group and use), ``here``
and ``left`` (names by when each was last seen, times 256, plus its group), ``first`` and ``second`` (answers by name,
each after its group's byte), ``offers`` (by name), ``revealed`` and ``away`` (the names of those here whose pages have
left the class's). ``headlight:rooms`` holds all codes by their end. Times are Redis' own, in milliseconds.
"""

from typing import Final

from visualiser.server.rooms.room_limits import ENDED, HERE, LEFT, OFFERS, REVEALED, ROOMS, STALE, TABS, UNUSED

KEYS: Final = ("room", "here", "left", "first", "second", "offers", "revealed", "away")
"""The names of a room's keys, in the order of every script."""

ROOMS_KEY: Final = "headlight:rooms"
CHANNEL: Final = "headlight:changed"

_START: Final = f"""
local room, here, left, first, second, offers, revealed, away = unpack(KEYS)
local code = ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function whole(number) return string.format('%.0f', number) end
local function say()
  redis.call('HINCRBY', room, 'revision', 1)
  redis.call('PUBLISH', '{CHANNEL}', code)
end
local function use()
  local known = redis.call('HMGET', room, 'until', 'peopled')
  local patience = known[2] and {int(LEFT * 1000)} or {int(UNUSED * 1000)}
  local ends = whole(math.min(tonumber(known[1]), now + patience))
  for _, key in ipairs(KEYS) do redis.call('PEXPIREAT', key, ends) end
  redis.call('ZADD', '{ROOMS_KEY}', 'XX', ends, code)
  redis.call('HSET', room, 'used', whole(now))
end
local function tell()
  say()
  use()
end
local function keep_left() redis.call('ZREMRANGEBYRANK', left, 0, -{TABS} - 1) end
local takes = redis.call('HGET', room, 'takes')
"""

_LIVE: Final = """
if not takes or takes == 'over' then return 'none' end
"""

_LOOK: Final = f"""
local long = whole((now - {int(HERE * 1000)}) * 256 + 255)
redis.call('ZREMRANGEBYSCORE', left, '-inf', long)
local unseen = redis.call('ZRANGEBYSCORE', here, '-inf', long)
for _, name in ipairs(unseen) do
  redis.call('ZREM', here, name)
  redis.call('SREM', away, name)
end
if #unseen > 0 then tell() end
"""

_GIVES_WAY: Final = """
local function gives_way(names, groups, newcomer, idle)
  local many, largest, chosen = {[newcomer] = 0}, newcomer, nil
  for _, name in ipairs(names) do many[groups[name]] = (many[groups[name]] or 0) + 1 end
  for _, name in ipairs(names) do if many[groups[name]] > many[largest] then largest = groups[name] end end
  for _, name in ipairs(names) do
    if groups[name] == largest then
      if idle(name) then return name end
      chosen = chosen or name
    end
  end
  return many[largest] > many[newcomer] + 1 and chosen or nil
end
"""
"""As `visualiser.server.admission.places.gives_way`; `names` has the order."""

_MAY_ANSWER: Final = f"""
local long = (now - {int(HERE * 1000)}) * 256 + 255
local function may_answer(name)
  local seen = redis.call('ZSCORE', here, name) or redis.call('ZSCORE', left, name)
  return seen and tonumber(seen) > long
end
"""

CREATE: Final = f"""{_START}{_GIVES_WAY}
if takes and takes ~= 'over' then return {{'there', redis.call('HGET', room, 'document')}} end
redis.call('ZREMRANGEBYSCORE', '{ROOMS_KEY}', '-inf', now)
if not takes and redis.call('ZCARD', '{ROOMS_KEY}') >= {ROOMS} then
  local codes, groups, order, used = redis.call('ZRANGE', '{ROOMS_KEY}', 0, -1), {{}}, {{}}, {{}}
  local over = nil
  for _, other in ipairs(codes) do
    local its = 'headlight:{{' .. other .. '}}:'
    local known = redis.call('HMGET', its .. 'room', 'group', 'used', 'takes')
    if known[3] == 'over' then over = over or other end
    groups[other], used[other] = tonumber(known[1] or 0), tonumber(known[2] or 0)
    order[other] = redis.call('ZCARD', its .. 'here')
  end
  table.sort(codes, function(a, b)
    if order[a] ~= order[b] then return order[a] < order[b] end
    return used[a] < used[b]
  end)
  local chosen = over or gives_way(codes, groups, tonumber(ARGV[5]), function(other)
    return order[other] == 0 and used[other] <= now - {int(HERE * 1000)}
  end)
  if not chosen then return {{'full'}} end
  for _, key in ipairs(KEYS) do redis.call('DEL', (string.gsub(key, code, chosen))) end
  redis.call('ZREM', '{ROOMS_KEY}', chosen)
  redis.call('PUBLISH', '{CHANNEL}', chosen)
end
local former = tonumber(redis.call('HGET', room, 'revision') or 0)
redis.call('DEL', unpack(KEYS))
redis.call('HSET', room, 'document', ARGV[2], 'version', 1, 'until', ARGV[3], 'takes', ARGV[4], 'group', ARGV[5],
  'revision', whole(math.max(now, former + 1)))
redis.call('ZADD', '{ROOMS_KEY}', ARGV[3], code)
tell()
return {{'made'}}
"""

SNAPSHOT: Final = f"""{_START}
if not takes then return {{}} end
{_LOOK}
local present = {{}}
for _, name in ipairs(redis.call('ZRANGE', here, 0, -1)) do present[name] = true end
local function gone(answers)
  local many = 0
  for _, name in ipairs(redis.call('HKEYS', answers)) do if not present[name] then many = many + 1 end end
  return many
end
local found = redis.call('HMGET', room, 'revision', 'version', 'document')
return {{found[1], found[2], found[3], redis.call('ZCARD', here), redis.call('SCARD', away), redis.call('HLEN', first),
  redis.call('HLEN', second), redis.call('HVALS', offers), gone(first), gone(second)}}
"""

CHANGE: Final = f"""{_START}{_LIVE}
if redis.call('HGET', room, 'version') ~= ARGV[2] then return 'late' end
redis.call('HSET', room, 'document', ARGV[3], 'takes', ARGV[4])
redis.call('HINCRBY', room, 'version', 1)
if ARGV[5] == '1' then redis.call('DEL', first, second) end
if ARGV[6] ~= '' then
  redis.call('RPUSH', revealed, ARGV[6])
  redis.call('LTRIM', revealed, -{REVEALED}, -1)
end
tell()
return 'done'
"""

END: Final = f"""{_START}{_LIVE}
redis.call('DEL', here, left, first, second, offers, revealed, away)
local late = whole(now + {int(ENDED * 1000)})
redis.call('HSET', room, 'document', ARGV[2], 'takes', 'over', 'until', late)
redis.call('HINCRBY', room, 'version', 1)
redis.call('PEXPIREAT', room, late)
redis.call('ZADD', '{ROOMS_KEY}', 'XX', late, code)
say()
return 'done'
"""

ANSWER: Final = f"""{_START}{_LIVE}{_MAY_ANSWER}{_GIVES_WAY}
if ARGV[2] == '' or takes ~= ARGV[2] then return 'closed' end
if not may_answer(ARGV[3]) then return 'absent' end
local answers = string.sub(takes, -1) == '1' and first or second
local new = redis.call('HEXISTS', answers, ARGV[3]) == 0
if new and redis.call('HLEN', answers) >= {TABS} then
  local all, names, groups = redis.call('HGETALL', answers), {{}}, {{}}
  for at = 1, #all, 2 do
    names[#names + 1] = all[at]
    groups[all[at]] = string.byte(all[at + 1])
  end
  local chosen = gives_way(names, groups, tonumber(ARGV[5]), function(name)
    return not redis.call('ZSCORE', here, name)
  end)
  if not chosen then return 'full' end
  redis.call('HDEL', answers, chosen)
end
redis.call('HSET', answers, ARGV[3], string.char(ARGV[5]) .. ARGV[4])
if new then tell() end
return 'done'
"""

GIVE_BACK: Final = f"""{_START}{_LIVE}{_MAY_ANSWER}
if ARGV[2] == '' or takes ~= ARGV[2] then return 'closed' end
if redis.call('HEXISTS', first, ARGV[3]) == 1 or redis.call('HLEN', first) >= tonumber(ARGV[5]) then return 'closed' end
if not may_answer(ARGV[3]) then return 'absent' end
redis.call('HSET', first, ARGV[3], string.char(ARGV[6]) .. ARGV[4])
tell()
return 'done'
"""

KEPT_ANSWER: Final = f"""{_START}{_LIVE}
if redis.call('HGET', room, 'version') ~= ARGV[2] then return false end
return redis.call('HGET', ARGV[3] == '1' and first or second, ARGV[4])
"""

ANSWERS: Final = f"""{_START}{_LIVE}
return {{redis.call('HVALS', first), redis.call('HVALS', second)}}
"""

ANSWERED_BOTH: Final = f"""{_START}{_LIVE}
local before, after = {{}}, {{}}
local all = redis.call('HGETALL', second)
for at = 1, #all, 2 do
  local former = redis.call('HGET', first, all[at])
  if former then
    table.insert(before, former)
    table.insert(after, all[at + 1])
  end
end
return {{before, after}}
"""

OFFER: Final = f"""{_START}{_LIVE}
local function number(offer) return tonumber(string.match(offer, '^%d+')) end
local all = redis.call('HGETALL', offers)
if redis.call('HEXISTS', offers, ARGV[2]) == 0 and #all >= 2 * {OFFERS} then
  local oldest = 1
  for at = 3, #all, 2 do
    if number(all[at + 1]) < number(all[oldest + 1]) then oldest = at end
  end
  redis.call('HDEL', offers, all[oldest])
end
say()
redis.call('HSET', offers, ARGV[2], redis.call('HGET', room, 'revision') .. ' ' .. ARGV[3])
use()
return 'done'
"""

DROP: Final = f"""{_START}{_LIVE}
local all = redis.call('HGETALL', offers)
for at = 1, #all, 2 do
  if ARGV[2] == '' or string.match(all[at + 1], '^%d+') == ARGV[2] then redis.call('HDEL', offers, all[at]) end
end
tell()
return 'done'
"""

ARRIVE: Final = f"""{_START}{_LIVE}{_LOOK}{_GIVES_WAY}
local came, full = false, false
local function place(newcomer)
  if redis.call('ZCARD', here) < {TABS} then return true end
  local all, names, groups, seen = redis.call('ZRANGE', here, 0, -1, 'WITHSCORES'), {{}}, {{}}, {{}}
  for at = 1, #all, 2 do
    local score = tonumber(all[at + 1])
    names[#names + 1], groups[all[at]], seen[all[at]] = all[at], score % 256, math.floor(score / 256)
  end
  local chosen = gives_way(names, groups, newcomer, function(name) return seen[name] <= now - {int(STALE * 1000)} end)
  if not chosen then return false end
  redis.call('ZREM', here, chosen)
  redis.call('SREM', away, chosen)
  redis.call('ZADD', left, whole(seen[chosen] * 256 + groups[chosen]), chosen)
  keep_left()
  return true
end
for at = 3, #ARGV, 2 do
  local name, group = ARGV[at], tonumber(ARGV[at + 1])
  local known = redis.call('ZSCORE', here, name)
  if known or place(group) then
    redis.call('ZADD', here, whole(now * 256 + group), name)
    redis.call('ZREM', left, name)
    local moved = 0
    if ARGV[2] == '1' then moved = redis.call('SADD', away, name) end
    if ARGV[2] == '0' then moved = redis.call('SREM', away, name) end
    came = came or not known or moved > 0
  else
    full = true
  end
end
if came then redis.call('HSET', room, 'peopled', 1) end
use()
if came then say() end
return full and 'full' or 'done'
"""

LEAVE: Final = f"""{_START}{_LIVE}
local went = 0
for at = 2, #ARGV do
  local seen = redis.call('ZSCORE', here, ARGV[at])
  if seen then
    went = went + redis.call('ZREM', here, ARGV[at])
    redis.call('SREM', away, ARGV[at])
    redis.call('ZADD', left, whole(now * 256 + tonumber(seen) % 256), ARGV[at])
  end
end
if went > 0 then
  keep_left()
  tell()
end
return 'done'
"""

REVEALED_ALL: Final = f"""{_START}{_LIVE}
return redis.call('LRANGE', revealed, 0, -1)
"""
