// @ts-check
/** Tries a question: which entries it leads to, and how near they are. */
import { fill, h, icon } from '../ui/dom.js';
import { meter } from './retrieval.js';

/**
 * @param {import('../main.js').App} app
 * @param {string} base
 * @param {(entry: import('../api/types.js').FAQ) => void} edit
 */
export function tryFAQ(app, base, edit) {
  const { t, percent } = app.words;
  const question = h('input', { type: 'text', 'aria-label': t('faq.try'), placeholder: t('faq.try.placeholder'), maxlength: '4000', autocomplete: 'off' });
  const found = h('div', { class: 'faq-found', 'aria-live': 'polite' });
  const submit = async (/** @type {SubmitEvent} */ e) => {
    e.preventDefault();
    if (!question.value.trim()) return;
    try {
      const { items } = await app.client.call('findFAQs', { id: base, body: { question: question.value.trim(), limit: 5 } });
      fill(found, (items ?? []).length === 0
        ? h('p', { class: 'hint' }, t('faq.try.none'))
        : h('ol', null, (items ?? []).map((c) => h('li', null,
          h('button', { type: 'button', class: 'faq-question', onclick: () => edit(c.entry) }, h('span', null, c.matched_question)),
          c.exact && h('span', { class: 'badge' }, t('faq.exact')), h('span', { class: 'spacer' }), meter(c.score, percent(c.score))))));
    } catch (error) {
      app.fail(error);
    }
  };
  return h('details', { class: 'faq-try' }, h('summary', null, icon('chevron'), t('faq.try')),
    h('form', { class: 'search-form', onsubmit: submit }, question, h('button', { type: 'submit', class: 'button' }, t('faq.try.action'))), found);
}
