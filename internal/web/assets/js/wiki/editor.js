// @ts-check
/**
 * A page of a wiki as it is written, with what it will look like beside it.
 *
 * @typedef {import('../main.js').App} App
 * @typedef {import('../api/types.js').WikiPage} WikiPage
 * @typedef {import('./page.js').Ways} Ways
 */
import { problemOf } from '../api/client.js';
import { createProse } from '../markdown/render.js';
import { confirmDialog } from '../ui/dialog.js';
import { fill, h } from '../ui/dom.js';
import { tell } from '../ui/errors.js';
import { decorate, inert } from './links.js';
import { showPage } from './page.js';

/**
 * @param {App} app
 * @param {Ways} ways
 * @param {HTMLElement} root
 * @param {WikiPage | null} page null for a new one
 * @param {string} title of a new one
 */
export async function showEditor(app, ways, root, page, title) {
  const { t } = app.words;
  app.title(page?.title ?? t('wiki.new'));
  const fields = fieldsOf(app, page, title);
  const before = JSON.stringify(fields.body());
  const problem = h('p', { class: 'field-error', role: 'alert' });

  const submit = async (/** @type {SubmitEvent} */ e) => {
    e.preventDefault();
    problem.textContent = '';
    try {
      const stored = await store(app, ways, page, fields.body());
      app.router.hold(null);
      ways.changed();
      app.router.go(ways.address(stored.id), { replace: true, quiet: !!page });
      if (page) await showPage(app, ways, root, stored.id);
    } catch (error) {
      const p = problemOf(error);
      problem.textContent = p.code === 'conflict' && page ? t('wiki.conflict') : tell(app.words, p);
      problem.scrollIntoView({ block: 'nearest' });
    }
  };
  app.router.hold({
    dirty: () => JSON.stringify(fields.body()) !== before,
    ask: () => confirmDialog(app.words, t('wiki.leave'), t('wiki.leave.text'), t('wiki.leave')),
  });
  const cancel = async () => {
    if (!(await app.router.mayLeave())) return;
    app.router.hold(null);
    if (page) await showPage(app, ways, root, page.id);
    else app.router.go(`/knowledge/${ways.base.id}`);
  };
  const form = h('form', { class: 'wiki-form', onsubmit: submit, onkeydown: (/** @type {KeyboardEvent} */ e) => (e.ctrlKey || e.metaKey) && e.key === 's' && (e.preventDefault(), form.requestSubmit()) },
    h('h2', { class: 'wiki-title' }, t(page ? 'wiki.edit' : 'wiki.new')), fields.root, problem,
    h('div', { class: 'actions' },
      h('button', { type: 'submit', class: 'button primary' }, t('save')),
      h('button', { type: 'button', class: 'button', onclick: () => cancel().catch(app.fail) }, t('cancel'))));
  fill(root, form);
  fields.focus();
}

/** @param {App} app @param {Ways} ways @param {WikiPage | null} page @param {Record<string, any>} body */
function store(app, ways, page, body) {
  if (!page) return app.client.call('createWiki', { id: ways.base.id, body });
  return app.client.call('changeWiki', { id: ways.base.id, params: { page: page.id }, body: { revision: page.revision, ...body } });
}

/** @param {App} app @param {WikiPage | null} page @param {string} given */
function fieldsOf(app, page, given) {
  const { t } = app.words;
  const title = h('input', { type: 'text', required: true, maxlength: '200', value: page?.title ?? given, autocomplete: 'off' });
  const slug = h('input', { type: 'text', maxlength: '200', value: page?.slug ?? '', placeholder: t('wiki.slug.auto'), autocomplete: 'off', spellcheck: 'false' });
  const aliases = h('input', { type: 'text', value: (page?.aliases ?? []).join(', '), autocomplete: 'off' });
  const summary = h('textarea', { rows: '2', maxlength: '2000', value: page?.summary ?? '' });
  const status = h('select', null, ['published', 'draft', 'archived'].map((s) => h('option', { value: s, selected: s === (page?.status ?? 'published') }, t(`wiki.status.${s}`))));
  const note = h('input', { type: 'text', maxlength: '200', autocomplete: 'off' });
  const content = h('textarea', { class: 'wiki-source', rows: '18', value: page?.content ?? '', oninput: () => preview.update(content.value) });
  const preview = createPreview(app);
  preview.update(content.value);
  const label = (/** @type {string} */ name, /** @type {Node} */ field, /** @type {string} */ hint = '') => h('label', { class: 'field' }, h('span', null, name), field, hint && h('small', null, hint));
  const root = h('div', { class: 'wiki-fields' }, label(t('wiki.title'), title),
    h('div', { class: 'wiki-columns' }, label(t('wiki.content'), content, t('wiki.content.text')), preview.root),
    h('details', { class: 'wiki-more', open: !page && given !== '' }, h('summary', null, t('wiki.more')),
      h('div', { class: 'field-row' }, label(t('wiki.slug'), slug, t('wiki.slug.text')), label(t('wiki.aliases'), aliases, t('wiki.aliases.text')), label(t('wiki.status'), status)),
      label(t('wiki.summary'), summary)),
    label(t('wiki.note'), note));
  return {
    root,
    focus: () => (title.value ? content : title).focus(),
    body: () => ({
      title: title.value.trim(), slug: slug.value.trim() || undefined, content: content.value, summary: summary.value.trim(), status: status.value, note: note.value.trim(),
      aliases: aliases.value.split(/[,，、]/).map((s) => s.trim()).filter(Boolean),
    }),
  };
}

/** @param {App} app */
function createPreview(app) {
  const { t } = app.words;
  const box = h('div', { class: 'wiki-preview', tabindex: '0', role: 'group', 'aria-label': t('wiki.preview') });
  let asked = 0;
  return {
    root: h('div', { class: 'field' }, h('span', null, t('wiki.preview')), box),
    async update(/** @type {string} */ text) {
      const mine = (asked += 1);
      const next = h('div', { class: 'prose' });
      const prose = createProse(next, { cite: () => null, copyLabel: t('copy'), taskLabel: t('task') });
      prose.update(text);
      await prose.settled();
      if (mine !== asked) return;
      decorate(next, inert, (n) => h('span', { class: 'cite' }, n));
      fill(box, text.trim() ? next : h('p', { class: 'hint' }, t('wiki.blank')));
    },
  };
}
