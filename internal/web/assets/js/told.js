// @ts-check
/**
 * What the server says in English, in the language of the reader, as far as
 * there is a sentence for it.
 *
 * @typedef {{ pattern: RegExp, gaps: string[], text: string }} Sentence
 */

/**
 * @param {readonly (readonly [string, string])[]} list sentences with {gaps}, of which {n} and {m} are numbers, and what they are called
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
    if (plain.has(text) || depth > 4) return plain.get(text) ?? text;
    const parts = text.split('; ');
    if (parts.length === 1) return filled(text, depth) ?? text;
    // Several sentences, or one that has a semicolon.
    const each = parts.map((p) => told(p, depth + 1));
    const known = each.filter((p, i) => p !== parts[i]).length;
    if (known === parts.length) return each.join('；');
    return filled(text, depth) ?? (known > 0 ? each.join('；') : text);
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
    return name === 'n' || name === 'm' ? '([\\d.,]+)' : '(.+?)';
  });
  return { pattern: new RegExp(`^${source}$`), gaps, text };
}
