import { createHash } from 'node:crypto';

/** A script that runs in Redis. Its first argument is the time, or empty for the clock of Redis; its only key is what all keys begin with. */
export interface Script {
  readonly text: string;
  /** Its name for EVALSHA. */
  readonly digest: string;
}

/** The version of what is stored. A greater one was written by a newer version of this package. */
export const LAYOUT_VERSION = 1;

/**
 * The keys, each after the same hash tag, so that a cluster keeps them on one node:
 *
 * - `:v:<key>` a value as JSON, `:l:<key>` the values of a log, each after its length in characters and a space
 *   (a list: for five events of 200 characters, it takes 1.4 KB of memory and a Redis stream 4.7 KB)
 * - `:meta` by key: when it expires, its kind, its size in characters, how many values of a log are gone, and the owner. Kinds: `v` a value,
 *   `a` one that was added, `o` one that was added for an owner, `l` a log
 * - `:names` the keys of values, `:ends` all keys by expiry, `:ages` the keys that may be removed by the time of their last change
 * - `:totals` the version, the next number for `:ages`, and sizes; `:owners` by owner: a number of values, and their characters
 *
 * Redis does not undo what a script did before it fails. It refuses a script that may not write, or for lack of memory, at its first command
 * that writes.
 */
const COMMON = String.raw`
local root = KEYS[1]
local META, NAMES, ENDS, AGES = root .. ':meta', root .. ':names', root .. ':ends', root .. ':ages'
local TOTALS, OWNERS, VALUE, LOG = root .. ':totals', root .. ':owners', root .. ':v:', root .. ':l:'
local now = tonumber(ARGV[1])
if now == nil then
  local time = redis.call('TIME')
  now = time[1] * 1000 + time[2] / 1000
end

-- What was stored under a key, also if it has expired.
local function find(key)
  local text = redis.call('HGET', META, key)
  if not text then return nil end
  local expires, kind, size, gone, owner = string.match(text, '^(%S+) (%a) (%d+) (%d+) (.*)$')
  return { expires = tonumber(expires), kind = kind, size = tonumber(size), gone = tonumber(gone), owner = owner }
end

local function alive(key)
  local entry = find(key)
  if entry and entry.expires > now then return entry end
  return nil
end
`;

/** What scripts that write have in common. */
const WRITING = String.raw`
-- Redis itself removes what no process of a store has removed for an hour after its expiry.
local MARGIN_MS = 3600000
local LATEST_MS = 9e15
-- The number of expired entries that one write removes, and that it may remove to make room.
local SWEEP, SWEEP_FOR_ROOM = 20, 1000
-- The number of old entries that one write may remove.
local TRIM = 1000

local function number(value)
  return string.format('%.17g', value)
end

local function total(name)
  return tonumber(redis.call('HGET', TOTALS, name) or 0)
end

local function ofOwner(owner)
  local text = redis.call('HGET', OWNERS, owner)
  if not text then return nil end
  local entries, characters = string.match(text, '^(%S+) (%S+)$')
  return { entries = tonumber(entries), characters = tonumber(characters) }
end

local function countAdded(entry, sign)
  redis.call('HINCRBY', TOTALS, 'addedEntries', sign)
  redis.call('HINCRBY', TOTALS, 'addedCharacters', sign * entry.size)
  if entry.kind ~= 'o' then return end
  local own = ofOwner(entry.owner) or { entries = 0, characters = 0 }
  own.entries = own.entries + sign
  own.characters = own.characters + sign * entry.size
  if own.entries > 0 then
    redis.call('HSET', OWNERS, entry.owner, number(own.entries) .. ' ' .. number(own.characters))
  else
    redis.call('HDEL', OWNERS, entry.owner)
  end
end

local function remove(key, entry)
  redis.call('HDEL', META, key)
  redis.call('ZREM', ENDS, key)
  redis.call('HINCRBY', TOTALS, 'characters', -entry.size)
  if entry.kind == 'l' then
    redis.call('UNLINK', LOG .. key)
  else
    redis.call('UNLINK', VALUE .. key)
    redis.call('ZREM', NAMES, key)
  end
  if entry.kind == 'l' or entry.kind == 'v' then redis.call('ZREM', AGES, key) else countAdded(entry, -1) end
end

-- Removes expired entries, the oldest first. Returns how many.
local function sweep(limit)
  local keys = redis.call('ZRANGEBYSCORE', ENDS, '-inf', number(now), 'LIMIT', 0, limit)
  for _, key in ipairs(keys) do
    local entry = find(key)
    if entry then remove(key, entry) else redis.call('ZREM', ENDS, key) end
  end
  return #keys
end

-- Removes the oldest entries until the limits are met.
local function trim(maxEntries, maxCharacters)
  for _ = 1, TRIM do
    if redis.call('HLEN', META) <= maxEntries and total('characters') <= maxCharacters then return end
    local key = redis.call('ZRANGE', AGES, 0, 0)[1]
    if not key then return end
    local entry = find(key)
    if entry then remove(key, entry) else redis.call('ZREM', AGES, key) end
  end
end

-- Writes what is known about an entry, beside its value.
local function describe(key, entry)
  local text = number(entry.expires) .. ' ' .. entry.kind .. ' ' .. number(entry.size) .. ' ' .. number(entry.gone)
  redis.call('HSET', META, key, text .. ' ' .. entry.owner)
  redis.call('ZADD', ENDS, number(entry.expires), key)
  if entry.kind == 'l' or entry.kind == 'v' then
    redis.call('ZADD', AGES, redis.call('HINCRBY', TOTALS, 'next', 1), key)
  end
end

-- With a clock of its own, a store may be slower than Redis.
local function expireAt(name, expires)
  if ARGV[1] == '' and expires < LATEST_MS then
    redis.call('PEXPIREAT', name, number(math.ceil(expires) + MARGIN_MS))
  else
    redis.call('PERSIST', name)
  end
end

-- Stores a value where there is none.
local function put(key, json, entry)
  describe(key, entry)
  redis.call('SET', VALUE .. key, json)
  expireAt(VALUE .. key, entry.expires)
  redis.call('ZADD', NAMES, 0, key)
  redis.call('HINCRBY', TOTALS, 'characters', entry.size)
  if entry.kind ~= 'v' then countAdded(entry, 1) end
end

-- The rule of room.ts.
local function fits(more, before, free, share)
  return (more.entries <= 0 or before.entries + more.entries <= free.entries * share)
    and (more.characters <= 0 or before.characters + more.characters <= free.characters * share)
end

local function roomFor(more, owner, maxEntries, maxCharacters)
  local free = {
    entries = maxEntries * 0.5 - total('addedEntries'),
    characters = maxCharacters * 0.5 - total('addedCharacters'),
  }
  if not fits(more, { entries = 0, characters = 0 }, free, 1) then return 'none' end
  local own = owner and ofOwner(owner)
  if not own or own.entries + more.entries <= 1 or fits(more, own, free, 0.1) then return 'enough' end
  return 'none-for-owner'
end

-- Looks for room, also by removing expired entries.
local function makeRoom(more, owner, maxEntries, maxCharacters)
  local room = roomFor(more, owner, maxEntries, maxCharacters)
  if room == 'enough' or sweep(SWEEP_FOR_ROOM) == 0 then return room end
  return roomFor(more, owner, maxEntries, maxCharacters)
end

-- Stores a value in place of the previous one. Returns whether there is room for it.
local function set(key, json, size, lifeMs, maxEntries, maxCharacters)
  local before = find(key)
  local entry = { expires = now + lifeMs, kind = 'v', size = size, gone = 0, owner = '' }
  if before and before.expires > now and (before.kind == 'a' or before.kind == 'o') then
    entry.kind, entry.owner = before.kind, before.owner
    local owner = before.kind == 'o' and before.owner
    local more = { entries = 0, characters = size - before.size }
    local room = makeRoom(more, owner, maxEntries, maxCharacters)
    if room ~= 'enough' then return room end
  end
  if before then remove(key, before) end
  put(key, json, entry)
  trim(maxEntries, maxCharacters)
  return 'enough'
end
`;

function script(text: string): Script {
  return { text, digest: createHash('sha1').update(text).digest('hex') };
}

function readingScript(body: string): Script {
  return script(COMMON + body);
}

/** A script with the functions that write. */
export function writingScript(body: string): Script {
  return script(COMMON + WRITING + body);
}

/** Returns JSON, or nothing. */
const get = readingScript(String.raw`
local entry = alive(ARGV[2])
if not entry or entry.kind == 'l' then return false end
return redis.call('GET', VALUE .. ARGV[2])
`);

/** Returns whether there is room. */
const set = writingScript(String.raw`
sweep(SWEEP)
return set(ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]))
`);

/** Returns whether there is room, or `taken`. The kind is `a` or `o`. */
const add = writingScript(String.raw`
sweep(SWEEP)
local key, json, size, kind, owner = ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[8], ARGV[9]
local maxEntries, maxCharacters = tonumber(ARGV[6]), tonumber(ARGV[7])
local before = find(key)
if before then
  if before.expires > now then return 'taken' end
  remove(key, before)
end
local room = makeRoom({ entries = 1, characters = size }, kind == 'o' and owner, maxEntries, maxCharacters)
if room ~= 'enough' then return room end
put(key, json, { expires = now + tonumber(ARGV[5]), kind = kind, size = size, gone = 0, owner = owner })
trim(maxEntries, maxCharacters)
return 'enough'
`);

/** Returns whether there is room, or `different`. */
const swap = writingScript(String.raw`
sweep(SWEEP)
local entry = alive(ARGV[2])
if not entry or entry.kind == 'l' or redis.call('GET', VALUE .. ARGV[2]) ~= ARGV[8] then return 'different' end
return set(ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]))
`);

const remove = writingScript(String.raw`
sweep(SWEEP)
local entry = find(ARGV[2])
if entry then remove(ARGV[2], entry) end
`);

/** Returns the position. The size is that of the value; the last argument is the size of the key. */
const append = writingScript(String.raw`
sweep(SWEEP)
local key, size, maxLog = ARGV[2], tonumber(ARGV[4]), tonumber(ARGV[8])
local entry = find(key)
if entry and (entry.kind ~= 'l' or entry.expires <= now) then
  remove(key, entry)
  entry = nil
end
local before = entry and entry.size or 0
if not entry then entry = { kind = 'l', size = tonumber(ARGV[9]), gone = 0, owner = '' } end
entry.expires = now + tonumber(ARGV[5])
local length = redis.call('RPUSH', LOG .. key, ARGV[4] .. ' ' .. ARGV[3])
local position = entry.gone + length
entry.size = entry.size + size
-- The new value is kept, however large it is.
while entry.size > maxLog and length > 1 do
  entry.size = entry.size - tonumber(string.match(redis.call('LPOP', LOG .. key), '^%d+'))
  entry.gone = entry.gone + 1
  length = length - 1
end
describe(key, entry)
expireAt(LOG .. key, entry.expires)
redis.call('HINCRBY', TOTALS, 'characters', entry.size - before)
trim(tonumber(ARGV[6]), tonumber(ARGV[7]))
return position
`);

/** Returns how many values are gone, and the values after a position; or nothing. */
const read = readingScript(String.raw`
local entry = alive(ARGV[2])
if not entry or entry.kind ~= 'l' then return false end
local skipped = math.max(0, tonumber(ARGV[3]) - entry.gone)
return { entry.gone, redis.call('LRANGE', LOG .. ARGV[2], skipped, -1) }
`);

/** Returns the keys of values among the next ones, at most so many,, and the last one that was looked at; without that, there are no more. */
const keys = readingScript(String.raw`
local limit = tonumber(ARGV[4])
local names = redis.call('ZRANGEBYLEX', NAMES, ARGV[2], ARGV[3], 'LIMIT', 0, limit)
local found = {}
for _, key in ipairs(names) do
  if alive(key) then found[#found + 1] = key end
end
return { found, #names == limit and names[#names] or false }
`);

/** Marks the store with the version of its layout, if it is new. Returns its version. */
const begin = readingScript(String.raw`
-- Changes nothing, but fails where nothing can be written, and is allowed without memory.
redis.call('HDEL', TOTALS, '')
redis.call('HSETNX', TOTALS, 'version', ARGV[2])
return tonumber(redis.call('HGET', TOTALS, 'version'))
`);

/** Returns the version, the numbers of values and of logs, their size, and how many of them have expired. */
const inspect = readingScript(String.raw`
local values = redis.call('ZCARD', NAMES)
local version, characters = redis.call('HGET', TOTALS, 'version'), redis.call('HGET', TOTALS, 'characters')
local expired = redis.call('ZCOUNT', ENDS, '-inf', string.format('%.17g', now))
return { tonumber(version or 0), values, redis.call('HLEN', META) - values, tonumber(characters or 0), expired }
`);

/** Removes a number of expired entries, the oldest first. Returns how many there were. */
const sweep = writingScript('return sweep(SWEEP_FOR_ROOM)');

/** The operations of a store. Each is atomic, as every script in Redis is. */
export const SCRIPTS = { get, set, add, swap, remove, append, read, keys, begin, inspect, sweep };
