// @ts-check
/**
 * The folders of a base: where one is, what lies below, and making, renaming
 * and deleting them.
 *
 * @typedef {import('../main.js').App} App
 * @typedef {import('../api/types.js').Folder} Folder
 */
import { confirmDialog, openDialog, promptDialog } from '../ui/dialog.js';
import { fill, h, icon, iconButton } from '../ui/dom.js';
import { attachMenu } from '../ui/menu.js';

/**
 * @param {App} app
 * @param {string} base
 * @param {string} first the folder that is open; '' is the whole base
 * @param {(folder: string) => void} opened
 */
export function createFolders(app, base, first, opened) {
  const { words } = app;
  const { t } = words;
  const root = h('nav', { class: 'folders', 'aria-label': t('folders.title') });
  /** @type {Folder[]} */
  let all = [];
  let current = first;

  const load = async () => {
    try {
      all = (await app.client.call('listFolders', { id: base })).items ?? [];
    } catch (error) {
      app.fail(error);
    }
    draw();
  };

  /** @param {string} id */
  const go = (id) => {
    current = id;
    const here = new URL(location.href);
    if (id) here.searchParams.set('folder', id);
    else here.searchParams.delete('folder');
    app.router.go(here.pathname + here.search, { quiet: true });
    draw();
    opened(id);
  };

  /** From the outermost folder to this one. @param {string} id @returns {Folder[]} */
  const path = (id) => {
    const out = [];
    for (let f = all.find((x) => x.id === id); f && out.length < 50; f = all.find((x) => x.id === f?.parent_id)) out.unshift(f);
    return out;
  };

  const make = async () => {
    const name = await promptDialog(words, { title: t('folders.new'), label: t('folders.name'), action: t('bases.make') });
    if (!name) return;
    try {
      const made = await app.client.call('createFolder', { id: base, body: { name, ...(current && { parent_id: current }) } });
      await load();
      go(made.id);
    } catch (error) {
      app.fail(error);
    }
  };

  /** @param {Folder} f */
  const rename = async (f) => {
    const name = await promptDialog(words, { title: t('folders.rename'), label: t('folders.name'), value: f.name, action: t('save') });
    if (!name) return;
    await app.client.call('changeFolder', { id: base, params: { folder_id: f.id }, body: { name } }).catch(app.fail);
    load();
  };

  /** @param {Folder} f */
  const remove = async (f) => {
    if (!(await confirmDialog(words, t('folders.delete'), t('folders.delete.text', { name: f.name }), t('delete')))) return;
    try {
      await app.client.call('deleteFolder', { id: base, params: { folder_id: f.id } });
      await load();
      go(f.parent_id ?? '');
    } catch (error) {
      app.fail(error);
    }
  };

  const draw = () => {
    const here = path(current);
    const below = all.filter((f) => (f.parent_id ?? '') === current);
    const last = here.at(-1);
    const menu = iconButton('more', t('folders.actions', { name: last?.name ?? '' }), () => {});
    if (last) attachMenu(menu, () => [
      { label: t('folders.rename'), icon: 'edit', run: () => rename(last) },
      { label: t('folders.delete'), icon: 'trash', danger: true, run: () => remove(last) },
    ]);
    /** @param {string} id @param {string} name */
    const crumb = (id, name) => h('button', { type: 'button', class: 'quiet', 'aria-current': id === current ? 'location' : null, onclick: () => go(id) }, name);
    fill(root,
      h('div', { class: 'crumbs' }, crumb('', t('folders.all')), here.map((f) => [h('span', { class: 'arrow', 'aria-hidden': 'true' }, '›'), crumb(f.id, f.name)]), last && menu),
      h('span', { class: 'spacer' }),
      h('button', { type: 'button', class: 'quiet', onclick: make }, icon('plus'), t('folders.new')),
      below.length > 0 && h('ul', { class: 'folder-list' }, below.map((f) => h('li', null, h('button', { type: 'button', class: 'stage-tab', onclick: () => go(f.id) }, icon('folder'), f.name)))));
  };
  load();

  return {
    root,
    current: () => current,
    /** Asks where a document should lie; undefined where nobody chose. @param {string} now @returns {Promise<string | undefined>} */
    choose: (now) => openDialog(words, t('folders.move'), (/** @type {(v?: string) => void} */ close) => {
      const select = h('select', { 'aria-label': t('folders.title') },
        h('option', { value: '' }, t('folders.none')),
        all.map((f) => h('option', { value: f.id, selected: f.id === now }, path(f.id).map((p) => p.name).join(' › '))));
      return h('form', { onsubmit: (/** @type {Event} */ e) => {
        e.preventDefault();
        close(select.value);
      } }, select, h('div', { class: 'actions' },
        h('button', { type: 'button', class: 'button', onclick: () => close() }, t('cancel')),
        h('button', { type: 'submit', class: 'button primary' }, t('folders.move'))));
    }),
  };
}
