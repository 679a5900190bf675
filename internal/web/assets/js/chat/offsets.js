// @ts-check
/** Offsets: the server counts bytes of UTF-8, scripts count UTF-16. */

/**
 * Turns byte offsets into offsets of characters as scripts count them. One
 * pass, whatever the number of offsets.
 * @param {string} text
 * @param {number[]} bytes
 * @returns {Map<number, number>}
 */
export function characters(text, bytes) {
  const sorted = [...new Set(bytes)].sort((a, b) => a - b);
  /** @type {Map<number, number>} */
  const out = new Map();
  let at = 0;
  let i = 0;
  for (const wanted of sorted) {
    while (at < wanted && i < text.length) {
      const c = text.charCodeAt(i);
      const pair = c >= 0xd800 && c < 0xdc00 && i + 1 < text.length;
      at += c < 0x80 ? 1 : c < 0x800 ? 2 : pair ? 4 : 3;
      i += pair ? 2 : 1;
    }
    out.set(wanted, i);
  }
  return out;
}

/**
 * Claims as ranges of the text of their answer.
 * @param {string} text
 * @param {import('./turn.js').Unsupported[]} claims
 * @param {(claim: import('./turn.js').Unsupported) => string} label
 * @returns {import('../markdown/render.js').Mark[]}
 */
export function rangesOf(text, claims, label) {
  const at = characters(text, claims.flatMap((c) => [c.answer_start, c.answer_end]));
  const ranges = claims.map((c) => ({ start: at.get(c.answer_start) ?? 0, end: at.get(c.answer_end) ?? 0, label: label(c) }));
  return ranges.sort((a, b) => a.start - b.start).filter((r, i, all) => i === 0 || r.start >= all[i - 1].end);
}
