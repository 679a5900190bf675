// @ts-check
/**
 * The test of retrieval: what a question finds in a base, without an answer,
 * and how each score came about.
 *
 * @typedef {import('../main.js').App} App
 * @typedef {import('../api/types.js').KnowledgeBase} KnowledgeBase
 * @typedef {import('../api/types.js').Found} Found
 */
import { placeOf } from '../chat/sources.js';
import { fill, h, icon } from '../ui/dom.js';

/** @param {App} app @param {KnowledgeBase} base @param {HTMLElement} root */
export function show(app, base, root) {
  const { t, tn, words } = { ...app.words, words: app.words };
  const query = h('input', { type: 'search', required: true, placeholder: t('search.placeholder'), 'aria-label': t('search.placeholder'), maxlength: '10000' });
  const results = h('div', { class: 'search-results', 'aria-live': 'polite' });
  const go = h('button', { type: 'submit', class: 'button primary' }, t('search.action'));
  let asked = 0;

  /** @param {SubmitEvent} e */
  const submit = async (e) => {
    e.preventDefault();
    const text = query.value.trim();
    if (!text) return;
    const mine = (asked += 1);
    go.disabled = true;
    try {
      const answer = await app.client.call('search', { body: { query: text, knowledge_base_ids: [base.id], top_k: 20 } });
      if (mine === asked) draw(answer);
    } catch (error) {
      app.fail(error);
    }
    go.disabled = false;
  };

  /** @param {import('../api/types.js').SearchResult} answer */
  const draw = (answer) => {
    const found = answer.results ?? [];
    const total = (answer.timings ?? []).reduce((n, x) => n + x.elapsed_ms, 0);
    fill(results,
      h('p', { class: 'hint' }, `${tn('search.found', found.length)} · ${words.duration(total)}`),
      h('ol', { class: 'found-list' }, found.map(item)),
      found.length === 0 && h('p', { class: 'hint' }, t('search.none')));
  };

  /** @param {Found} f @param {number} i */
  const item = (f, i) => h('li', { class: 'found' },
    h('div', { class: 'found-head' }, h('span', { class: 'source-number' }, i + 1),
      h('a', { href: `/knowledge/${f.knowledge_base_id}/documents/${f.document_id}?chunk=${f.chunk_id}` }, f.document),
      h('span', { class: 'hint' }, placeOf(words, f)), h('span', { class: 'spacer' }), meter(f.score, words.percent(f.score))),
    h('p', { class: 'found-text' }, f.content),
    (f.explain ?? []).length > 0 && h('details', null, h('summary', null, icon('chevron'), t('search.why')), steps(f)));

  /** @param {Found} f */
  const steps = (f) => h('table', { class: 'plain-table' },
    h('thead', null, h('tr', null, h('th', { scope: 'col' }, t('search.step')), h('th', { scope: 'col', class: 'align-right' }, t('search.value')))),
    h('tbody', null, (f.explain ?? []).map((s) => h('tr', null, h('td', null, words.has(`step.${s.step}`) ? t(`step.${s.step}`) : s.step), h('td', { class: 'align-right' }, s.value.toFixed(3))))));

  root.append(h('p', { class: 'hint' }, t('search.text')), h('form', { class: 'search-form', role: 'search', onsubmit: submit }, h('div', { class: 'search-field' }, icon('search'), query), go), results);
  query.focus();
}

/**
 * A score as a bar with its number.
 * @param {number} share
 * @param {string} text
 */
export function meter(share, text) {
  const fillBar = h('span', { class: 'meter-fill' });
  fillBar.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return h('span', { class: 'meter' }, h('span', { class: 'meter-bar', 'aria-hidden': 'true' }, fillBar), h('span', { class: 'meter-text' }, text));
}
