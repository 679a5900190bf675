// @ts-check
/**
 * One knowledge base: what is in it, and how it is searched.
 *
 * @typedef {import('../main.js').App} App
 * @typedef {import('../api/types.js').KnowledgeBase} KnowledgeBase
 * @typedef {{ title: string, show: (app: App, base: KnowledgeBase, root: HTMLElement, place: import('../router.js').Place) => (void | (() => void)) }} Tab
 */
import { problemOf } from '../api/client.js';
import { confirmDialog } from '../ui/dialog.js';
import { h, icon, iconButton } from '../ui/dom.js';
import { tell } from '../ui/errors.js';
import { attachMenu } from '../ui/menu.js';
import { kindIcon } from './bases.js';

/** @type {Record<string, () => Promise<Omit<Tab, 'title'>>>} */
const tabs = {
  documents: () => import('./documents.js'),
  faq: () => import('./faq.js'),
  pages: () => import('../wiki/tab.js'),
  search: () => import('./retrieval.js'),
};

/** The tabs of a base of a kind. */
function tabsOf(/** @type {string} */ kind) {
  return [kind === 'faq' ? 'faq' : kind === 'wiki' ? 'pages' : 'documents', 'search'];
}

/**
 * @param {App} app
 * @param {import('../router.js').Place} place
 */
export function show(app, place) {
  let left = false;
  /** @type {void | (() => void)} */
  let leave;
  open(app, place, () => left).then((f) => {
    leave = f;
    if (left) leave?.();
  }).catch((error) => {
    if (left) return;
    const { t } = app.words;
    app.main.replaceChildren(h('div', { class: 'empty' }, h('h1', null, t('base.gone')), h('p', null, tell(app.words, problemOf(error))), h('p', null, h('a', { class: 'button primary', href: '/knowledge' }, t('base.back')))));
  });
  return () => {
    left = true;
    leave?.();
  };
}

/**
 * @param {App} app
 * @param {import('../router.js').Place} place
 * @param {() => boolean} left
 */
async function open(app, place, left) {
  const { t } = app.words;
  const base = await app.client.call('base', { id: place.params.base });
  if (left()) return;
  const names = tabsOf(base.kind);
  const tab = names.includes(place.params.tab ?? '') ? place.params.tab : names[0];
  const title = app.words.baseName(base.name);
  app.title(title);
  const menu = iconButton('more', t('base.actions'), () => {});
  attachMenu(menu, () => [{ label: t('base.delete'), icon: 'trash', danger: true, run: () => remove(app, base, title) }]);
  const root = h('div', { class: 'tab-body' });
  app.main.append(h('div', { class: base.kind === 'wiki' ? 'page page-fill page-wide' : 'page page-fill' },
    h('a', { class: 'quiet small back', href: '/knowledge' }, icon('back'), t('nav.knowledge')),
    h('header', { class: 'page-head' },
      h('div', { class: 'title-row' }, h('span', { class: 'card-icon' }, icon(kindIcon(base.kind))), h('div', null, h('h1', null, title), base.description && h('p', { class: 'hint' }, base.description))),
      menu),
    h('nav', { class: 'tabs', 'aria-label': t('base.tabs') }, names.map((name) => h('a', { href: `/knowledge/${place.params.base}${name === names[0] ? '' : `/${name}`}`, 'aria-current': name === tab ? 'page' : null }, t(`base.tab.${name}`)))),
    root));
  const module = await tabs[tab]();
  return left() ? undefined : module.show(app, base, root, place);
}

/** @param {App} app @param {KnowledgeBase} base @param {string} title */
async function remove(app, base, title) {
  const { t } = app.words;
  if (!(await confirmDialog(app.words, t('base.delete'), t('base.delete.text', { name: title, n: base.documents }), t('delete')))) return;
  try {
    await app.client.call('deleteBase', { id: base.id });
    app.router.go('/knowledge');
  } catch (error) {
    app.fail(error);
  }
}
