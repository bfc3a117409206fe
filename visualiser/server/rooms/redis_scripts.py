"""The steps of `RedisStore` in Lua, each one step for all processes.

A room's keys: ``room`` (a hash: document, version, revision, the round that takes answers), ``here`` (names by when
each was last seen), ``first`` and ``second`` (answers by name), ``offers`` (by name) and ``revealed``.
``headlight:rooms`` holds all codes by their end. Times are Redis' own, in milliseconds.
"""

from typing import Final

from visualiser.server.rooms.limits import ENDED, HERE, OFFERS, REVEALED, ROOMS, TABS

KEYS: Final = ("room", "here", "first", "second", "offers", "revealed")
"""The names of a room's keys, in the order of every script."""

ROOMS_KEY: Final = "headlight:rooms"
CHANNEL: Final = "headlight:changed"

_START: Final = f"""
local room, here, first, second, offers, revealed = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local code = ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function tell()
  redis.call('HINCRBY', room, 'revision', 1)
  redis.call('PUBLISH', '{CHANNEL}', code)
end
local function keep(key)
  redis.call('PEXPIREAT', key, redis.call('HGET', room, 'until'))
end
local takes = redis.call('HGET', room, 'takes')
"""

_LIVE: Final = """
if not takes or takes == 'over' then return 'none' end
"""

_LOOK: Final = f"""
if redis.call('ZREMRANGEBYSCORE', here, '-inf', now - {int(HERE * 1000)}) > 0 then tell() end
"""

CREATE: Final = f"""{_START}
if takes and takes ~= 'over' then return {{'there', redis.call('HGET', room, 'document')}} end
redis.call('ZREMRANGEBYSCORE', '{ROOMS_KEY}', '-inf', now)
local new = not redis.call('ZSCORE', '{ROOMS_KEY}', code)
if new and redis.call('ZCARD', '{ROOMS_KEY}') >= {ROOMS} then return {{'full'}} end
local former = tonumber(redis.call('HGET', room, 'revision') or 0)
redis.call('DEL', room, here, first, second, offers, revealed)
redis.call('HSET', room, 'document', ARGV[2], 'version', 1, 'until', ARGV[3], 'takes', ARGV[4],
  'revision', string.format('%.0f', math.max(now, former + 1)))
keep(room)
redis.call('ZADD', '{ROOMS_KEY}', ARGV[3], code)
tell()
return {{'made'}}
"""

SNAPSHOT: Final = f"""{_START}
if not takes then return {{}} end
{_LOOK}
local found = redis.call('HMGET', room, 'revision', 'version', 'document')
return {{found[1], found[2], found[3], redis.call('ZCARD', here), redis.call('HLEN', first), redis.call('HLEN', second),
  redis.call('HVALS', offers)}}
"""

CHANGE: Final = f"""{_START}{_LIVE}
if redis.call('HGET', room, 'version') ~= ARGV[2] then return 'late' end
redis.call('HSET', room, 'document', ARGV[3], 'takes', ARGV[4])
redis.call('HINCRBY', room, 'version', 1)
if ARGV[5] == '1' then redis.call('DEL', first, second) end
if ARGV[6] ~= '' then
  redis.call('RPUSH', revealed, ARGV[6])
  redis.call('LTRIM', revealed, -{REVEALED}, -1)
  keep(revealed)
end
tell()
return 'done'
"""

END: Final = f"""{_START}{_LIVE}
redis.call('DEL', here, first, second, offers, revealed)
local late = string.format('%.0f', now + {int(ENDED * 1000)})
redis.call('HSET', room, 'document', ARGV[2], 'takes', 'over', 'until', late)
redis.call('HINCRBY', room, 'version', 1)
keep(room)
redis.call('ZREM', '{ROOMS_KEY}', code)
tell()
return 'done'
"""

ANSWER: Final = f"""{_START}{_LIVE}
if ARGV[2] == '' or takes ~= ARGV[2] then return 'closed' end
local answers = string.sub(takes, -1) == '1' and first or second
local new = redis.call('HEXISTS', answers, ARGV[3]) == 0
if new and redis.call('HLEN', answers) >= {TABS} then return 'full' end
redis.call('HSET', answers, ARGV[3], ARGV[4])
keep(answers)
if new then tell() end
return 'done'
"""

GIVE_BACK: Final = f"""{_START}{_LIVE}
if ARGV[2] == '' or takes ~= ARGV[2] then return 'closed' end
if redis.call('HEXISTS', first, ARGV[3]) == 1 or redis.call('HLEN', first) >= tonumber(ARGV[5]) then return 'closed' end
redis.call('HSET', first, ARGV[3], ARGV[4])
keep(first)
tell()
return 'done'
"""

ANSWERS: Final = f"""{_START}{_LIVE}
return {{redis.call('HVALS', first), redis.call('HVALS', second)}}
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
tell()
redis.call('HSET', offers, ARGV[2], redis.call('HGET', room, 'revision') .. ' ' .. ARGV[3])
keep(offers)
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

ARRIVE: Final = f"""{_START}{_LIVE}{_LOOK}
local came, full = false, false
for at = 2, #ARGV do
  local known = redis.call('ZSCORE', here, ARGV[at])
  if known or redis.call('ZCARD', here) < {TABS} then
    redis.call('ZADD', here, now, ARGV[at])
    came = came or not known
  else
    full = true
  end
end
keep(here)
if came then tell() end
return full and 'full' or 'done'
"""

LEAVE: Final = f"""{_START}{_LIVE}
local went = 0
for at = 2, #ARGV do went = went + redis.call('ZREM', here, ARGV[at]) end
if went > 0 then tell() end
return 'done'
"""

REVEALED_ALL: Final = f"""{_START}{_LIVE}
return redis.call('LRANGE', revealed, 0, -1)
"""
