// @ts-check
/**
 * Server-sent events over fetch, which, unlike EventSource, sends headers and
 * bodies, and says how a stream ended.
 *
 * @typedef {{ id: string, event: string, data: string }} ServerEvent
 */

/** Cuts text that arrives in any pieces into events. */
export function createParser() {
  let rest = '';
  return {
    /**
     * @param {string} piece
     * @returns {ServerEvent[]}
     */
    push(piece) {
      rest += piece;
      /** @type {ServerEvent[]} */
      const events = [];
      for (;;) {
        const end = rest.indexOf('\n\n');
        if (end < 0) return events;
        const event = parse(rest.slice(0, end));
        if (event) events.push(event);
        rest = rest.slice(end + 2);
      }
    },
  };
}

/**
 * @param {string} block
 * @returns {ServerEvent | null} null for a comment
 */
function parse(block) {
  const event = { id: '', event: 'message', data: '' };
  let has = false;
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') {
      event.data += has ? `\n${value}` : value;
      has = true;
    } else if (name === 'id') event.id = value;
    else if (name === 'event') event.event = value;
  }
  return has ? event : null;
}

/**
 * Gives the events of a response as they come, several at a time where several
 * came at once, until the stream ends or breaks (which throws).
 *
 * @param {Response} response
 * @returns {AsyncGenerator<ServerEvent[]>}
 */
export async function* read(response) {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const parser = createParser();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const events = parser.push(value);
      if (events.length > 0) yield events;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
