// @ts-check
/**
 * The documents of a base: upload, live state, removal.
 *
 * @typedef {import('../main.js').App} App
 * @typedef {import('../api/types.js').Document} Document
 * @typedef {import('../api/types.js').KnowledgeBase} KnowledgeBase
 */
import { confirmDialog, promptDialog } from '../ui/dialog.js';
import { fill, h, icon, iconButton } from '../ui/dom.js';
import { save } from '../ui/download.js';
import { tell } from '../ui/errors.js';
import { attachMenu } from '../ui/menu.js';
import { createVirtualTable } from '../ui/virtual.js';
import { again } from './cut.js';
import { createFolders } from './folders.js';
import { followProgress } from './live.js';
import { createUpload } from './upload.js';

/** @param {App} app @param {KnowledgeBase} base @param {HTMLElement} root @param {import('../router.js').Place} place */
export function show(app, base, root, place) {
  const { t, tn, words } = { ...app.words, words: app.words };
  const counts = h('p', { class: 'counts', role: 'status' });
  const upload = createUpload(app, { base: base.id, folder: () => folders.current(), added: () => refreshSoon() });

  const folders = createFolders(app, base.id, place.query.get('folder') ?? '', () => table.refresh());

  /** Makes a change to a document and shows what came of it. @param {Promise<any>} change */
  const after = async (change) => {
    await change.catch(app.fail);
    table.refresh();
  };

  /** @param {Document} d */
  const rename = async (d) => {
    const name = await promptDialog(words, { title: t('document.rename'), label: t('documents.name'), value: d.name, action: t('save'), max: 255 });
    if (name) after(app.client.call('changeDocument', { id: d.id, body: { name } }));
  };

  /** @param {Document} d */
  const move = async (d) => {
    const folder = await folders.choose(d.folder_id ?? '');
    if (folder !== undefined) after(app.client.call('changeDocument', { id: d.id, body: { folder_id: folder } }));
  };

  /** @param {Document} d @returns {import('../ui/menu.js').Item[]} */
  const actions = (d) => {
    const off = d.state === 'disabled';
    return [
      { label: t('download'), icon: 'download', run: () => app.client.blob('original', { id: d.id }).then((b) => save(b, d.name)).catch(app.fail) },
      { label: t('document.rename'), icon: 'edit', run: () => rename(d) },
      { label: t('folders.move'), icon: 'folder', run: () => move(d) },
      { label: t('document.reparse'), icon: 'retry', run: () => after(again(app, 'reparseDocument', d)) },
      { label: t('document.rechunk'), icon: 'trace', run: () => after(again(app, 'rechunkDocument', d)) },
      ...(off || d.state === 'ready' ? [{ label: t(off ? 'faq.enable' : 'faq.disable'), icon: /** @type {import('../ui/dom.js').IconName} */ (off ? 'check' : 'stop'), run: () => after(app.client.call('batchDocuments', { id: base.id, body: { action: off ? 'enable' : 'disable', ids: [d.id] } })) }] : []),
      { label: t('delete'), icon: 'trash', danger: true, run: () => remove(d) },
    ];
  };

  /** @param {Document} d */
  const row = (d) => {
    const menu = iconButton('more', t('document.actions', { name: d.name }), () => {});
    attachMenu(menu, () => actions(d));
    return [
      h('a', { class: 'document-name', href: `/knowledge/${base.id}/documents/${d.id}`, title: d.name }, icon('file'), h('span', null, d.name)),
      stateChip(app, d),
      h('span', { class: 'figure' }, d.state === 'ready' ? words.number(d.chunks) : ''),
      h('span', { class: 'figure' }, words.bytes(d.size)),
      h('time', { datetime: d.updated_at, title: words.date(d.updated_at) }, words.ago(d.updated_at)),
      menu,
    ];
  };

  /** @param {Document} d */
  const remove = async (d) => {
    if (!(await confirmDialog(words, t('document.delete'), t('document.delete.text', { name: d.name }), t('delete')))) return;
    try {
      await app.client.call('deleteDocument', { id: d.id });
      table.refresh();
    } catch (error) {
      app.fail(error);
    }
  };

  const table = createVirtualTable({
    load: (offset, limit) => app.client.call('listDocuments', { id: base.id, query: { offset, limit, folder_id: folders.current() } }).then((p) => ({ items: p.items ?? [], total: p.total })),
    row, rowHeight: 48, narrowHeight: 64, label: t('documents.title'), fail: app.fail,
    head: [t('documents.name'), t('documents.state'), t('documents.passages'), t('documents.size'), t('documents.changed'), t('documents.actions')],
    empty: () => h('p', { class: 'hint' }, t('documents.none')),
  });

  let timer = 0;
  const refreshSoon = () => {
    timer ||= window.setTimeout(() => {
      timer = 0;
      table.refresh();
    }, 250);
  };
  const unfollow = followProgress(app, base.id, (c) => {
    const parts = [tn('documents.ready', c.ready)];
    if (c.queued + c.processing > 0) parts.push(tn('documents.working', c.queued + c.processing));
    if (c.failed > 0) parts.push(tn('documents.failed', c.failed));
    fill(counts, c.queued + c.processing > 0 && h('span', { class: 'pulse', 'aria-hidden': 'true' }), parts.join(' · '));
    refreshSoon();
  });
  root.append(h('div', { class: 'documents' }, upload.zone, upload.panel, folders.root, counts, table.root));
  upload.catchDrops(app.main);
  return () => {
    clearTimeout(timer);
    unfollow();
    table.leave();
    upload.leave();
    app.main.classList.remove('dropping');
  };
}

/**
 * Where a document stands; an error is told when it is opened.
 * @param {App} app
 * @param {Document} d
 */
export function stateChip(app, d) {
  const { t } = app.words;
  const key = `state.${d.state}`;
  const error = d.state === 'failed' ? tell(app.words, { code: d.error_code ?? 'internal', detail: d.error }) : '';
  const warnings = d.state === 'ready' ? (d.warnings ?? []).map(app.words.told) : [];
  return h('span', { class: `chip-state state-${d.state}${warnings.length > 0 ? ' warned' : ''}`, title: error || warnings.join('\n') || null },
    (d.state === 'processing' || d.state === 'queued') && h('span', { class: 'pulse', 'aria-hidden': 'true' }),
    (d.state === 'failed' || warnings.length > 0) && icon('warn'),
    h('span', null, error || t(key)));
}
