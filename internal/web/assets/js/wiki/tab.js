// @ts-check
/**
 * The pages of a wiki: their tree beside the one that is read or written.
 *
 * @typedef {import('../main.js').App} App
 * @typedef {import('../api/types.js').KnowledgeBase} KnowledgeBase
 * @typedef {import('../api/types.js').WikiPage} WikiPage
 */
import { problemOf } from '../api/client.js';
import { fill, h, icon } from '../ui/dom.js';
import { save } from '../ui/download.js';
import { tell } from '../ui/errors.js';
import { showEditor } from './editor.js';
import { showPage } from './page.js';
import { tree } from './tree.js';
import { createWriting } from './writing.js';

/** The most pages that the tree shows at once; more are found by words. */
const most = 1000;

/**
 * @param {App} app
 * @param {KnowledgeBase} base
 * @param {HTMLElement} root
 * @param {import('../router.js').Place} place
 */
export function show(app, base, root, place) {
  const tab = new WikiTab(app, base, place);
  root.append(tab.root);
  tab.list();
  tab.open();
  return () => tab.leave();
}

class WikiTab {
  /** @param {App} app @param {KnowledgeBase} base @param {import('../router.js').Place} place */
  constructor(app, base, place) {
    this.app = app;
    this.base = base;
    this.page = place.params.page ?? '';
    this.query = place.query;
    this.asked = 0;
    this.timer = 0;
    const { t } = app.words;
    this.search = h('input', { type: 'search', placeholder: t('wiki.search'), 'aria-label': t('wiki.search'), oninput: () => this.later() });
    this.pages = h('nav', { class: 'wiki-tree', 'aria-label': t('wiki.tree') });
    this.count = h('p', { class: 'counts', role: 'status' });
    this.body = h('div', { class: 'wiki-body' });
    const write = h('a', { class: 'button primary', href: this.address('new') }, icon('plus'), t('wiki.new'));
    const out = h('button', { type: 'button', class: 'quiet small', onclick: () => app.client.blob('exportWiki', { id: base.id }).then((b) => save(b, `${base.name}.zip`)).catch(app.fail) }, icon('download'), t('wiki.export'));
    this.writing = createWriting(app, base, () => this.list());
    this.side = h('div', { class: 'wiki-side' }, write, h('div', { class: 'search-field' }, icon('search'), this.search), this.count, this.pages, this.writing.root, h('div', null, out));
    this.root = h('div', { class: this.page ? 'wiki reading' : 'wiki' }, this.side, this.body);
  }

  /** @param {string} page */
  address(page) {
    return `/knowledge/${this.base.id}/pages/${encodeURIComponent(page)}`;
  }

  later() {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.list(), 200);
  }

  async list() {
    const { app, app: { words: { t, tn } } } = this;
    const mine = (this.asked += 1);
    const query = this.search.value.trim();
    try {
      const list = await app.client.call('listWiki', { id: this.base.id, query: { query, limit: most } });
      if (mine !== this.asked) return;
      this.count.textContent = list.total > most ? t('wiki.many', { n: most, total: list.total }) : tn('wiki.count', list.total);
      fill(this.pages, tree(app.words, list.items ?? [], { at: this.page, address: (id) => this.address(id), open: query !== '' }));
      if (!this.page) this.welcome(list.total, query);
    } catch (error) {
      app.fail(error);
    }
  }

  /** What stands beside the tree before a page is chosen. @param {number} total @param {string} query */
  welcome(total, query) {
    const { t } = this.app.words;
    if (query) return;
    fill(this.body, h('div', { class: 'empty' }, h('h2', null, t(total ? 'wiki.choose' : 'wiki.none')), h('p', null, t('wiki.text'))));
  }

  async open() {
    if (!this.page) return;
    const { app } = this;
    const back = h('a', { class: 'quiet small back only-narrow', href: `/knowledge/${this.base.id}` }, icon('back'), app.words.t('wiki.all'));
    const place = h('div', { class: 'wiki-page' });
    fill(this.body, back, place);
    try {
      const ways = { base: this.base, address: (/** @type {string} */ id) => this.address(id), changed: () => this.list() };
      if (this.page === 'new') await showEditor(app, ways, place, null, this.query.get('title') ?? '');
      else await showPage(app, ways, place, this.page);
    } catch (error) {
      fill(place, h('div', { class: 'empty' }, h('h2', null, app.words.t('wiki.gone')), h('p', null, tell(app.words, problemOf(error)))));
    }
  }

  leave() {
    this.writing.leave();
    clearTimeout(this.timer);
    this.asked += 1;
  }
}
