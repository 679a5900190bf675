// @ts-check
/**
 * The entries of an FAQ base: search, edit, try, import.
 *
 * @typedef {import('../main.js').App} App
 * @typedef {import('../api/types.js').FAQ} FAQ
 * @typedef {import('../api/types.js').KnowledgeBase} KnowledgeBase
 */
import { confirmDialog } from '../ui/dialog.js';
import { h, icon, iconButton } from '../ui/dom.js';
import { save } from '../ui/download.js';
import { attachMenu } from '../ui/menu.js';
import { createVirtualTable } from '../ui/virtual.js';
import { editFAQ } from './faqeditor.js';
import { importFAQ } from './faqimport.js';
import { tryFAQ } from './faqtry.js';

/** @param {App} app @param {KnowledgeBase} base @param {HTMLElement} root */
export function show(app, base, root) {
  const { words } = app;
  const { t, tn } = words;
  let query = '';
  let timer = 0;
  const search = h('input', { type: 'search', placeholder: t('faq.search'), 'aria-label': t('faq.search'), oninput: () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      query = search.value.trim();
      table.refresh();
    }, 200);
  } });
  const count = h('p', { class: 'counts', role: 'status' });

  /** @param {FAQ | null} entry */
  const edit = async (entry) => {
    if (await editFAQ(app, base.id, entry)) table.refresh();
  };

  /** @param {FAQ} f */
  const remove = async (f) => {
    if (!(await confirmDialog(words, t('faq.delete'), t('faq.delete.text', { question: f.standard_question }), t('delete')))) return;
    try {
      await app.client.call('deleteFAQ', { id: base.id, params: { entry_id: f.id } });
      table.refresh();
    } catch (error) {
      app.fail(error);
    }
  };

  /** @param {FAQ} f */
  const toggle = async (f) => {
    try {
      await app.client.call('changeFAQ', { id: base.id, params: { entry_id: f.id }, body: { enabled: !f.enabled } });
      table.refresh();
    } catch (error) {
      app.fail(error);
    }
  };

  /** @param {FAQ} f */
  const row = (f) => {
    const menu = iconButton('more', t('faq.actions', { question: f.standard_question }), () => {});
    attachMenu(menu, () => [
      { label: t('faq.edit'), icon: 'edit', run: () => edit(f) },
      { label: f.enabled ? t('faq.disable') : t('faq.enable'), icon: f.enabled ? 'stop' : 'check', run: () => toggle(f) },
      { label: t('delete'), icon: 'trash', danger: true, run: () => remove(f) },
    ]);
    const extra = [(f.similar_questions ?? []).length > 0 && tn('faq.similar.count', (f.similar_questions ?? []).length), (f.negative_questions ?? []).length > 0 && tn('faq.negative.count', (f.negative_questions ?? []).length)].filter(Boolean).join(' · ');
    return [
      h('button', { type: 'button', class: `faq-question${f.enabled ? '' : ' off'}`, title: f.standard_question, onclick: () => edit(f) }, h('span', null, f.standard_question), !f.enabled && h('small', null, t('faq.off'))),
      h('span', { class: 'faq-answer', title: (f.answers ?? []).join('\n') }, (f.answers ?? []).join(' / ')),
      h('span', { class: 'figure' }, extra),
      menu,
    ];
  };

  const table = createVirtualTable({
    kind: 'faq', row, rowHeight: 48, narrowHeight: 68, label: t('base.tab.faq'), fail: app.fail,
    load: (offset, limit) => app.client.call('listFAQs', { id: base.id, query: { offset, limit, query } }).then((p) => ({ items: p.items ?? [], total: p.total })),
    head: [t('faq.question'), t('faq.answer'), t('faq.also'), t('documents.actions')],
    empty: () => h('p', { class: 'hint' }, query ? t('faq.none.found') : t('faq.none')),
    counted: (n) => (count.textContent = tn('bases.entries', n)),
  });
  const add = h('button', { type: 'button', class: 'button primary', onclick: () => edit(null) }, icon('plus'), t('faq.new'));
  const bring = h('button', { type: 'button', class: 'button', onclick: async () => (await importFAQ(app, base.id)) && table.refresh() }, icon('upload'), t('faq.import'));
  const out = h('button', { type: 'button', class: 'button', onclick: () => app.client.blob('exportFAQ', { id: base.id, query: { format: 'xlsx' } }).then((b) => save(b, `${base.name}.xlsx`)).catch(app.fail) }, icon('download'), t('faq.export'));
  root.append(h('div', { class: 'documents' },
    h('div', { class: 'faq-bar' }, h('div', { class: 'search-field' }, icon('search'), search), h('div', { class: 'actions' }, bring, out, add)),
    tryFAQ(app, base.id, edit), count, table.root));
  table.refresh();
  return () => {
    clearTimeout(timer);
    table.leave();
  };
}
