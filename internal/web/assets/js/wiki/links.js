// @ts-check
/**
 * What a wiki adds to Markdown: links between pages, and marks of sources.
 * They are put in place of the text that they are written as, in what was
 * rendered; code keeps its brackets.
 *
 * @typedef {import('../api/types.js').WikiLink} WikiLink
 * @typedef {(text: string) => WikiLink | undefined} Resolve
 */
import { h } from '../ui/dom.js';

const token = /\[\[([^[\]|\n]{1,300})(?:\|([^[\]\n]{1,300}))?\]\]|\[\^(\d{1,4})\]/g;

/**
 * Gives links by the text that the reader sees of them: several of one text in
 * their order.
 * @param {WikiLink[]} links
 * @returns {Resolve}
 */
export function resolver(links) {
  /** @type {Map<string, WikiLink[]>} */
  const byText = new Map();
  for (const l of links) byText.set(l.text, [...(byText.get(l.text) ?? []), l]);
  return (text) => {
    const list = byText.get(text) ?? [];
    return list.length > 1 ? list.shift() : list[0];
  };
}

/**
 * @param {HTMLElement} root what was rendered
 * @param {(text: string, target: string) => Node} link makes what stands for a link
 * @param {(number: number) => Node | null} mark makes what stands for the mark of a source
 */
export function decorate(root, link, mark) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, (node) => (node.parentElement?.closest('code, pre, math, a') ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT));
  /** @type {Text[]} */
  const texts = [];
  while (walker.nextNode()) texts.push(/** @type {Text} */ (walker.currentNode));
  for (const text of texts) {
    const parts = split(text.data, link, mark);
    if (parts) text.replaceWith(...parts);
  }
}

/**
 * @param {string} text
 * @param {(text: string, target: string) => Node} link
 * @param {(number: number) => Node | null} mark
 * @returns {(Node | string)[] | null} null where there is nothing to put in place
 */
function split(text, link, mark) {
  /** @type {(Node | string)[]} */
  const out = [];
  let at = 0;
  for (const m of text.matchAll(token)) {
    const made = m[3] ? mark(Number(m[3])) : link((m[2] ?? m[1]).trim(), m[1].trim());
    if (!made) continue;
    out.push(text.slice(at, m.index), made);
    at = m.index + m[0].length;
  }
  if (out.length === 0) return null;
  out.push(text.slice(at));
  return out;
}

/** A link that leads nowhere while a page is written. @param {string} text */
export function inert(text) {
  return h('span', { class: 'wiki-link' }, text);
}
