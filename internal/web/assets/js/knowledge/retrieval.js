// @ts-check
/**
 * The test of retrieval: what a question finds in a base, without an answer:
 * how it was understood, the list of each stage, and why a passage moved.
 *
 * @typedef {import('../main.js').App} App
 * @typedef {import('../api/types.js').KnowledgeBase} KnowledgeBase
 * @typedef {import('../api/types.js').Found} Found
 * @typedef {import('../api/types.js').Retrieval} Retrieval
 */
import { addressOf, nameOf } from '../chat/address.js';
import { placeOf } from '../chat/sources.js';
import { fill, h, icon } from '../ui/dom.js';

/** The lists in the order in which they are made. */
const lists = /** @type {const} */ (['keyword', 'vector', 'fused', 'candidates', 'reranked', 'merged', 'results']);
/** Passages that a list shows. */
const shown = 30;

/** @param {App} app @param {KnowledgeBase} base @param {HTMLElement} root */
export function show(app, base, root) {
  const { t } = app.words;
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
      const answer = await app.client.call('debug', { body: { query: text, knowledge_base_ids: [base.id] } });
      if (mine === asked) draw(app, results, answer);
    } catch (error) {
      app.fail(error);
    }
    go.disabled = false;
  };
  root.append(h('p', { class: 'hint' }, t('search.text')), h('form', { class: 'search-form', role: 'search', onsubmit: submit }, h('div', { class: 'search-field' }, icon('search'), query), go), results);
  query.focus();
}

/** @param {App} app @param {HTMLElement} root @param {Retrieval} r */
function draw(app, root, r) {
  const { t } = app.words;
  /** @type {(typeof lists)[number]} */
  let current = 'results';
  const body = h('div');
  const tabs = h('div', { class: 'stage-tabs', role: 'group', 'aria-label': t('search.stages') });
  const pick = () => {
    fill(tabs, lists.map((name, i) => [i > 0 && h('span', { class: 'arrow', 'aria-hidden': 'true' }, i === 1 ? '+' : '→'),
      h('button', { type: 'button', class: 'stage-tab', 'aria-pressed': String(name === current), onclick: () => {
        current = name;
        pick();
        /** @type {HTMLElement} */ (tabs.querySelector('[aria-pressed=true]')).focus();
      } }, t(`search.list.${name}`), h('small', null, String((r[name] ?? []).length)))]));
    const found = r[current] ?? [];
    fill(body, h('p', { class: 'hint list-text' }, t(`search.list.${current}.text`)),
      h('ol', { class: 'found-list' }, found.slice(0, shown).map((f, i) => passage(app, r, f, i, current))),
      found.length > shown && h('p', { class: 'hint' }, app.words.tn('search.more', found.length - shown)),
      found.length === 0 && h('p', { class: 'hint' }, t('search.none')));
  };
  pick();
  fill(root, understood(app, r), tabs, body);
}

/** How the question was taken. @param {App} app @param {Retrieval} r */
function understood(app, r) {
  const { t, duration, told } = app.words;
  const total = (r.timings ?? []).reduce((n, x) => n + x.elapsed_ms, 0);
  const variants = r.variants ?? [];
  const rows = [
    [t('search.question'), r.question],
    [t('search.terms'), (r.terms ?? []).join(' · ')],
    variants.length > 0 && [t('search.variants'), variants.map((v) => v.text).join(' · ')],
    r.degraded && [t('search.degraded'), told(r.degraded)],
    [t('search.plan'), [told(r.plan.reason), t('search.plan.text', { top: r.plan.top_k, keep: r.plan.keep, evidence: r.plan.evidence })].filter(Boolean).join(t('search.plan.and'))],
    [t('trace.total'), duration(total)],
  ].filter((x) => Array.isArray(x));
  return h('dl', { class: 'stage-notes understood' }, rows.map(([name, value]) => [h('dt', null, name), h('dd', null, value || '–')]));
}

/**
 * @param {App} app
 * @param {Retrieval} r
 * @param {Found} f
 * @param {number} i
 * @param {(typeof lists)[number]} list
 */
function passage(app, r, f, i, list) {
  const { words } = app;
  const { t } = words;
  return h('li', { class: 'found' },
    h('div', { class: 'found-head' }, h('span', { class: 'source-number' }, i + 1),
      h('a', { href: addressOf(f) }, nameOf(f)),
      h('span', { class: 'hint' }, placeOf(words, f)), h('span', { class: 'spacer' }), moved(app, r, f, i, list), meter(f.score, words.percent(f.score))),
    h('p', { class: 'found-text' }, f.content),
    (f.explain ?? []).length > 0 && h('details', null, h('summary', null, icon('chevron'), t('search.why')), steps(app, f)));
}

/**
 * How far a passage moved against the list before.
 * @param {App} app
 * @param {Retrieval} r
 * @param {Found} f
 * @param {number} i
 * @param {(typeof lists)[number]} list
 */
function moved(app, r, f, i, list) {
  const at = lists.indexOf(list);
  if (at < 2) return null;
  const before = (r[lists[at - 1]] ?? []).findIndex((other) => other.chunk_id === f.chunk_id);
  const { t } = app.words;
  if (before < 0) return h('span', { class: 'badge' }, t('search.moved.new'));
  if (before === i) return null;
  return h('span', { class: `badge ${before > i ? 'level-high' : 'level-medium'}`, title: t('search.moved', { from: before + 1, to: i + 1 }) }, `${before > i ? '↑' : '↓'}${Math.abs(before - i)}`);
}

/** @param {App} app @param {Found} f */
function steps(app, f) {
  const { t, has } = app.words;
  return h('table', { class: 'plain-table' },
    h('thead', null, h('tr', null, h('th', { scope: 'col' }, t('search.step')), h('th', { scope: 'col', class: 'align-right' }, t('search.value')))),
    h('tbody', null, (f.explain ?? []).map((s) => h('tr', null, h('td', null, has(`step.${s.step}`) ? t(`step.${s.step}`) : s.step), h('td', { class: 'align-right' }, s.value.toFixed(3))))));
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
