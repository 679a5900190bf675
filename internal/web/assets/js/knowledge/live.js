// @ts-check
/** Follows how far ingestion is, over any number of connections. */
import { problemOf } from '../api/client.js';
import { pause } from '../api/pause.js';
import { read } from '../api/sse.js';

/**
 * @param {import('../main.js').App} app
 * @param {string} base
 * @param {(counts: import('../api/types.js').Counts) => void} tell
 * @returns {() => void} ends it
 */
export function followProgress(app, base, tell) {
  const stop = new AbortController();
  const run = async () => {
    for (let wait = 500; !stop.signal.aborted; wait = Math.min(wait * 2, 10_000)) {
      try {
        const response = await app.client.send('followProgress', { query: { knowledge_base_id: base }, signal: stop.signal });
        for await (const events of read(response)) {
          tell(JSON.parse(events[events.length - 1].data));
          wait = 500;
        }
      } catch (error) {
        const problem = problemOf(error);
        if (problem.status >= 400 && problem.status < 500) return;
      }
      await pause(wait, stop.signal);
    }
  };
  run();
  return () => stop.abort();
}
