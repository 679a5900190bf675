// @ts-check
/**
 * A page of a wiki as it reads: its text with working links, what it rests on,
 * and which pages lead to it.
 *
 * @typedef {import('../main.js').App} App
 * @typedef {import('../api/types.js').WikiPage} WikiPage
 * @typedef {import('../api/types.js').Links} WikiLinks
 * @typedef {import('../api/types.js').KnowledgeBase} KnowledgeBase
 * @typedef {{ base: KnowledgeBase, address: (id: string) => string, changed: () => void }} Ways
 */
import { createProse } from '../markdown/render.js';
import { confirmDialog } from '../ui/dialog.js';
import { fill, h, icon, iconButton } from '../ui/dom.js';
import { attachMenu } from '../ui/menu.js';
import { showEditor } from './editor.js';
import { showHistory } from './history.js';
import { decorate, resolver } from './links.js';

/**
 * @param {App} app
 * @param {Ways} ways
 * @param {HTMLElement} root
 * @param {string} id
 */
export async function showPage(app, ways, root, id) {
  const call = { id: ways.base.id, params: { page: id } };
  const [page, links] = await Promise.all([app.client.call('wikiPage', call), app.client.call('wikiLinks', call)]);
  await render(app, ways, root, page, links);
}

/** @param {App} app @param {Ways} ways @param {HTMLElement} root @param {WikiPage} page @param {WikiLinks} links */
async function render(app, ways, root, page, links) {
  const { words, words: { t } } = app;
  app.title(page.title);
  const again = async () => {
    ways.changed();
    await showPage(app, ways, root, page.id);
  };
  const text = h('div', { class: 'prose' });
  const prose = createProse(text, { cite: () => null, copyLabel: t('copy'), taskLabel: t('task') });
  const body = withoutTitle(page);
  prose.update(body);
  await prose.settled();
  decorate(text, linker(app, ways, links), marker(page));
  fill(root, head(app, ways, root, page, again),
    page.proposals > 0 && h('div', { class: 'notice' }, icon('info'), h('p', null, t('wiki.proposed.text'), ' ', h('button', { type: 'button', class: 'quiet small', onclick: () => history() }, t('wiki.history')))),
    page.summary && h('p', { class: 'lead' }, page.summary),
    body.trim() ? text : h('p', { class: 'hint' }, t('wiki.blank')),
    sources(app, page), backlinks(app, ways, links),
    h('p', { class: 'hint' }, t(page.author === 'model' ? 'wiki.by.model' : 'wiki.by.person', { when: words.date(page.updated_at), n: page.revision })));
  const history = () => showHistory(app, ways, page).then((changed) => (changed ? again() : undefined)).catch(app.fail);
}

/** The text without the heading that says the title again. @param {WikiPage} page */
function withoutTitle(page) {
  const content = page.content ?? '';
  const [first, ...rest] = content.split('\n');
  return first.replace(/^#\s+/, '').trim() === page.title && first.startsWith('#') ? rest.join('\n') : content;
}

/** @param {App} app @param {Ways} ways @param {HTMLElement} root @param {WikiPage} page @param {() => Promise<void>} again */
function head(app, ways, root, page, again) {
  const { t } = app.words;
  const edit = () => showEditor(app, ways, root, page, '').catch(app.fail);
  const history = () => showHistory(app, ways, page).then((changed) => (changed ? again() : undefined)).catch(app.fail);
  const menu = iconButton('more', t('wiki.actions'), () => {});
  const status = page.status === 'published' ? 'archived' : 'published';
  attachMenu(menu, () => [
    { label: t(`wiki.make.${status}`), icon: status === 'archived' ? 'stop' : 'check', run: () => change(app, ways, page, { status }).then(again).catch(app.fail) },
    { label: t('wiki.delete'), icon: 'trash', danger: true, run: () => remove(app, ways, page) },
  ]);
  return h('header', { class: 'page-head' },
    h('div', null, h('h2', { class: 'wiki-title' }, page.title), h('p', { class: 'hint' }, [page.slug, t(`wiki.type.${page.type}`), page.status !== 'published' && t(`wiki.status.${page.status}`), (page.aliases ?? []).join(', ')].filter(Boolean).join(' · '))),
    h('div', { class: 'actions' },
      h('button', { type: 'button', class: 'button', onclick: edit }, icon('edit'), t('wiki.edit')),
      h('button', { type: 'button', class: 'button', onclick: history }, icon('retry'), t('wiki.history')), menu));
}

/** @param {App} app @param {Ways} ways @param {WikiPage} page @param {Record<string, unknown>} body */
function change(app, ways, page, body) {
  return app.client.call('changeWiki', { id: ways.base.id, params: { page: page.id }, body: { revision: page.revision, ...body } });
}

/** @param {App} app @param {Ways} ways @param {WikiPage} page */
async function remove(app, ways, page) {
  const { t } = app.words;
  if (!(await confirmDialog(app.words, t('wiki.delete'), t('wiki.delete.text', { title: page.title }), t('delete')))) return;
  try {
    await app.client.call('deleteWiki', { id: ways.base.id, params: { page: page.id } });
    app.router.go(`/knowledge/${ways.base.id}`);
  } catch (error) {
    app.fail(error);
  }
}

/** @param {App} app @param {Ways} ways @param {WikiLinks} links */
function linker(app, ways, links) {
  const resolve = resolver(links.out ?? []);
  return (/** @type {string} */ text, /** @type {string} */ target) => {
    const link = resolve(text);
    if (link?.page_id) return h('a', { class: 'wiki-link', href: ways.address(link.page_id), title: link.title }, text);
    const title = app.words.t('wiki.missing', { title: target });
    return h('a', { class: 'wiki-link broken', href: `${ways.address('new')}?title=${encodeURIComponent(target)}`, title }, text);
  };
}

/** @param {WikiPage} page */
function marker(page) {
  const numbers = new Set((page.sources ?? []).map((s) => s.number));
  return (/** @type {number} */ n) => (numbers.has(n) ? h('a', { class: 'cite', href: `#wiki-source-${n}` }, n) : null);
}

/** @param {App} app @param {WikiPage} page */
function sources(app, page) {
  const { t } = app.words;
  const list = page.sources ?? [];
  if (list.length === 0) return null;
  return h('section', { class: 'wiki-foot' }, h('h3', null, t('wiki.sources')), h('ol', { class: 'wiki-sources' }, list.map((s) => h('li', { id: `wiki-source-${s.number}`, value: s.number },
    s.title ? h('details', null, h('summary', null, s.title), h('p', { class: 'chunk-text' }, s.text)) : h('span', { class: 'hint' }, t('wiki.source.gone'))))));
}

/** @param {App} app @param {Ways} ways @param {WikiLinks} links */
function backlinks(app, ways, links) {
  const list = links.in ?? [];
  if (list.length === 0) return null;
  return h('section', { class: 'wiki-foot' }, h('h3', null, app.words.t('wiki.backlinks')), h('ul', { class: 'wiki-backlinks' },
    list.map((l) => h('li', null, h('a', { href: ways.address(l.page_id ?? '') }, l.title || l.slug)))));
}
