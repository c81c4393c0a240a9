-- A request, or as many documents, against a budget of a key: all that an answer needs, in one
-- round trip.
-- KEYS: the times of the key's requests of one class (newest first), the key's stamp.
-- ARGV: requests allowed in a window, the window in milliseconds, how many this one counts for.
-- Answers: taken (1) or refused (0), requests in the window, the one that must age
-- out before there is room for this one (the oldest), now, the stamp.
-- Times are milliseconds of Redis's clock: one clock for all web processes.
local limit, window, weight = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local oldest = redis.call('LINDEX', KEYS[1], -1)
while oldest and tonumber(oldest) <= now - window do
  redis.call('RPOP', KEYS[1])
  oldest = redis.call('LINDEX', KEYS[1], -1)
end

local count = redis.call('LLEN', KEYS[1])
local taken = 0
if count + weight <= limit then
  for _ = 1, weight do redis.call('LPUSH', KEYS[1], now) end
  redis.call('PEXPIRE', KEYS[1], window)
  taken = 1
  count = count + weight
else
  -- A budget lowered below what is used waits for more than the oldest to age out.
  oldest = redis.call('LINDEX', KEYS[1], limit - weight)
end
return {taken, count, tonumber(oldest or now), now, redis.call('GET', KEYS[2])}
