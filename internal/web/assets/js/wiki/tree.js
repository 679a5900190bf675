// @ts-check
/**
 * The tree of a wiki's pages: the parts of their slugs are its branches.
 *
 * @typedef {import('../api/types.js').WikiPage} WikiPage
 * @typedef {{ pages: WikiPage[], branches: Map<string, Branch> }} Branch
 */
import { h } from '../ui/dom.js';

/** A branch with more pages than this is folded at first. */
const folded = 30;

/**
 * @param {import('../i18n.js').I18n} words
 * @param {WikiPage[]} pages
 * @param {{ at: string, address: (id: string) => string, open: boolean }} how at is the page that is read; open unfolds all
 * @returns {HTMLElement}
 */
export function tree(words, pages, how) {
  /** @type {Branch} */
  const root = { pages: [], branches: new Map() };
  for (const page of pages) {
    const parts = page.slug.split('/');
    let branch = root;
    for (const part of parts.slice(0, -1)) {
      const next = branch.branches.get(part) ?? { pages: [], branches: new Map() };
      branch.branches.set(part, next);
      branch = next;
    }
    branch.pages.push(page);
  }
  return list(words, root, how);
}

/** @param {Branch} b @param {string} id @returns {boolean} */
const holds = (b, id) => b.pages.some((p) => p.id === id) || [...b.branches.values()].some((x) => holds(x, id));

/** @param {Branch} b @returns {number} */
const count = (b) => [...b.branches.values()].reduce((n, x) => n + count(x), b.pages.length);

/**
 * @param {import('../i18n.js').I18n} words
 * @param {Branch} branch
 * @param {{ at: string, address: (id: string) => string, open: boolean }} how
 * @returns {HTMLElement}
 */
function list(words, branch, how) {
  const page = (/** @type {WikiPage} */ p) => h('li', null, h('a', { href: how.address(p.id), 'aria-current': p.id === how.at ? 'page' : null },
    p.title, p.status !== 'published' && h('small', null, words.t(`wiki.status.${p.status}`)), p.proposals > 0 && h('small', { class: 'wiki-waits' }, words.t('wiki.proposed'))));
  const group = (/** @type {[string, Branch]} */ [name, b]) => h('li', null,
    h('details', { open: how.open || count(b) <= folded || holds(b, how.at) }, h('summary', null, name, h('small', null, count(b))), list(words, b, how)));
  return h('ul', null, [...branch.branches].map(group), branch.pages.map(page));
}
