// @ts-check
/**
 * The sources below an answer: those it cites, and, folded away, what was
 * found beside them.
 *
 * @typedef {import('../api/types.js').Reference} Reference
 */
import { h, icon } from '../ui/dom.js';
import { nameOf } from './address.js';

/**
 * Where in a document a passage stands: headings, page, sheet, row.
 * @param {import('../i18n.js').I18n} words
 * @param {{ headings?: string[] | null, page?: number, sheet?: string, row?: number }} r
 */
export function placeOf(words, r) {
  const parts = [...(r.headings ?? [])];
  if (r.page) parts.push(words.t('place.page', { n: r.page }));
  if (r.sheet) parts.push(words.t('place.sheet', { name: r.sheet }));
  if (r.row) parts.push(words.t('place.row', { n: r.row }));
  return parts.join(' › ');
}

/**
 * @param {import('../main.js').App} app
 * @param {import('./turn.js').Answer} answer
 * @param {ReturnType<typeof import('./evidence.js').createEvidence>} evidence
 */
export function sourceLists(app, answer, evidence) {
  const { words } = app;
  const used = answer.references.filter((r) => r.number > 0).sort((a, b) => a.number - b.number);
  const also = answer.references.filter((r) => r.number === 0);
  if (used.length + also.length === 0) return null;

  /** @param {Reference} r */
  const item = (r) => h('li', null, h('button', {
    type: 'button', class: 'source', 'data-source': r.chunk_id,
    onclick: (/** @type {MouseEvent} */ e) => evidence.open(r, answer, /** @type {HTMLElement} */ (e.currentTarget), 0),
  }, r.number > 0 ? h('span', { class: 'source-number' }, r.number) : icon('file'),
  h('span', { class: 'source-text' }, h('span', { class: 'source-name' }, nameOf(r)), h('span', { class: 'source-place' }, placeOf(words, r)))));

  return h('div', { class: 'sources' },
    used.length > 0 && h('div', null, h('h3', null, words.t('sources.used')), h('ul', { class: 'source-list' }, used.map(item))),
    also.length > 0 && h('details', { class: 'also' },
      h('summary', null, icon('chevron'), words.tn(used.length > 0 ? 'sources.also' : 'sources.found', also.length)),
      h('ul', { class: 'source-list' }, also.map(item))));
}
