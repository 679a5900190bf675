package redis

// appendScript adds an event. KEYS: the stream, the count. ARGV: type,
// content, done, payload, a word that is this call's own, whether the call is
// made again, the last number that the caller knows, whether the event is
// terminal, its bytes, the limit, the time to live in ms, the channel, the
// turn. It gives the event's number, or one of the errors GONE, LOST, ENDED,
// FULL.
const appendScript = `
local stream, count = KEYS[1], KEYS[2]
if ARGV[6] == '1' then
	for _, entry in ipairs(redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 256)) do
		local fields = entry[2]
		for i = 1, #fields, 2 do
			if fields[i] == 'k' and fields[i + 1] == ARGV[5] then
				return tonumber(string.match(entry[1], '^%d+'))
			end
		end
	end
end
local title = ARGV[1] == 'session_title'
local last = tonumber(redis.call('HGET', count, 'last') or '0')
if last ~= redis.call('XLEN', stream) or last < tonumber(ARGV[7]) then
	return redis.error_reply('LOST')
end
if last == 0 and title then
	return redis.error_reply('GONE')
end
if redis.call('HEXISTS', count, 'ended') == 1 and not title then
	return redis.error_reply('ENDED')
end
local bytes = tonumber(redis.call('HGET', count, 'bytes') or '0') + tonumber(ARGV[9])
local terminal = ARGV[8] == '1'
if bytes > tonumber(ARGV[10]) and not terminal and not title then
	return redis.error_reply('FULL')
end
redis.call('XADD', stream, (last + 1) .. '-0', 't', ARGV[1], 'c', ARGV[2], 'd', ARGV[3], 'p', ARGV[4], 'k', ARGV[5])
redis.call('HSET', count, 'last', last + 1, 'bytes', bytes)
if terminal then
	redis.call('HSET', count, 'ended', '1')
end
redis.call('PEXPIRE', stream, ARGV[11])
redis.call('PEXPIRE', count, ARGV[11])
redis.call('PUBLISH', ARGV[12], ARGV[13])
return last + 1
`
