// @ts-check
/**
 * What the server says in English, in the language of the reader, as far as
 * there is a sentence for it.
 *
 * @typedef {{ pattern: RegExp, gaps: string[], text: string }} Sentence
 */

/**
 * @param {readonly (readonly [string, string])[]} list sentences with {gaps}, and what they are called
 * @returns {(text: string) => string} gives a text back that is not in the list
 */
export function createTold(list) {
  /** @type {Map<string, string>} */
  const plain = new Map();
  /** @type {Sentence[]} */
  const sentences = [];
  for (const [said, text] of list) {
    if (said.includes('{')) sentences.push(sentence(said, text));
    else plain.set(said, text);
  }

  /** @param {string} text @param {number} depth @returns {string} */
  const told = (text, depth) => {
    const known = plain.get(text) ?? (depth < 4 ? filled(text, depth) : undefined);
    if (known !== undefined) return known;
    const parts = text.split('; ');
    return parts.length > 1 && parts.length < 12 ? parts.map((p) => told(p, depth + 1)).join('；') : text;
  };

  /** @param {string} text @param {number} depth @returns {string | undefined} */
  const filled = (text, depth) => {
    for (const s of sentences) {
      const m = s.pattern.exec(text);
      if (m) return s.text.replace(/\{(\w+)\}/g, (_, name) => told(m[s.gaps.indexOf(name) + 1] ?? '', depth + 1));
    }
    return undefined;
  };
  return (text) => told(text, 0);
}

/** @param {string} said @param {string} text @returns {Sentence} */
function sentence(said, text) {
  /** @type {string[]} */
  const gaps = [];
  const source = said.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(\w+)\}/g, (_, name) => {
    gaps.push(name);
    return '(.+?)';
  });
  return { pattern: new RegExp(`^${source}$`), gaps, text };
}
