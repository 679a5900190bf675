// @ts-check
/**
 * What a page of a wiki has said: every revision can be read and brought back,
 * and what a model proposes can be taken or dismissed.
 *
 * @typedef {import('../main.js').App} App
 * @typedef {import('../api/types.js').WikiPage} WikiPage
 * @typedef {import('../api/types.js').WikiRevision} WikiRevision
 * @typedef {import('./page.js').Ways} Ways
 */
import { problemOf } from '../api/client.js';
import { openDialog } from '../ui/dialog.js';
import { fill, h } from '../ui/dom.js';
import { tell } from '../ui/errors.js';

/**
 * @param {App} app
 * @param {Ways} ways
 * @param {WikiPage} page
 * @returns {Promise<boolean | undefined>} whether the page changed
 */
export function showHistory(app, ways, page) {
  const { words, words: { t } } = app;
  return openDialog(words, t('wiki.history'), (/** @type {(v?: boolean) => void} */ close) => {
    const list = h('ol', { class: 'found-list' });
    const problem = h('p', { class: 'field-error', role: 'alert' });
    const failed = (/** @type {unknown} */ error) => (problem.textContent = tell(words, problemOf(error)));
    const at = (/** @type {number} */ number) => ({ id: ways.base.id, params: { page: page.id, number: String(number) } });
    const take = (/** @type {number} */ n) => app.client.call('revertWiki', { ...at(n), body: { revision: page.revision } }).then(() => close(true)).catch(failed);
    const dismiss = (/** @type {number} */ n) => app.client.call('dismissWiki', at(n)).then(() => close(true)).catch(failed);

    /** @param {WikiRevision} r */
    const item = (r) => h('li', { class: 'found' },
      h('div', { class: 'found-head' },
        h('strong', null, words.date(r.created_at)), h('span', { class: 'hint' }, t(`wiki.author.${r.author}`), r.note && ` · ${r.note}`),
        r.current && h('span', { class: 'badge' }, t('passage.current')), r.proposed && h('span', { class: 'badge' }, t('wiki.proposed')), h('span', { class: 'spacer' }),
        r.proposed && h('button', { type: 'button', class: 'button', onclick: () => dismiss(r.number) }, t('wiki.dismiss')),
        !r.current && h('button', { type: 'button', class: 'button', onclick: () => take(r.number) }, t(r.proposed ? 'wiki.take' : 'wiki.revert'))),
      text(r));

    /** The text of a revision, asked for when it is opened. @param {WikiRevision} r */
    const text = (r) => {
      const body = h('pre', { class: 'wiki-old', tabindex: '0' });
      return h('details', { ontoggle: (/** @type {Event} */ e) => {
        if (!(/** @type {HTMLDetailsElement} */ (e.currentTarget).open) || body.textContent) return;
        app.client.call('wikiRevision', at(r.number)).then((whole) => (body.textContent = whole.content ?? '')).catch(failed);
      } }, h('summary', null, t('wiki.revision', { n: r.number })), body);
    };

    app.client.call('wikiRevisions', { id: ways.base.id, params: { page: page.id }, query: { limit: 100 } })
      .then(({ items }) => fill(list, (items ?? []).map(item))).catch(failed);
    return [problem, list];
  }, { wide: true });
}
