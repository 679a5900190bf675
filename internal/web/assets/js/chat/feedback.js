// @ts-check
/** Useful or not, with a comment; shown where the server takes it. */
import { endpoints } from '../api/endpoints.js';

/**
 * @param {import('../main.js').App} _app
 * @param {import('./turn.js').Answer} _answer
 * @returns {HTMLElement | null}
 */
export function feedback(_app, _answer) {
  if (!('feedback' in endpoints)) return null;
  return null;
}
