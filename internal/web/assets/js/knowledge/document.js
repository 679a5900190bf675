// @ts-check
/**
 * A document: its passages as they are searched, beside the text that they
 * are cut from.
 *
 * @typedef {import('../main.js').App} App
 * @typedef {import('../api/types.js').Document} Document
 * @typedef {import('../api/types.js').Chunk} Chunk
 */
import { problemOf } from '../api/client.js';
import { highlight } from '../chat/evidence.js';
import { placeOf } from '../chat/sources.js';
import { fill, h, icon, iconButton } from '../ui/dom.js';
import { downloadButton } from '../ui/download.js';
import { tell } from '../ui/errors.js';
import { attachMenu } from '../ui/menu.js';
import { editChunk, removeChunk, showRevisions } from './chunkeditor.js';
import { previewCut } from './cut.js';
import { stateChip } from './documents.js';

const pageSize = 100;

/**
 * @param {App} app
 * @param {import('../router.js').Place} place
 */
export function show(app, place) {
  const page = new DocumentPage(app, place);
  page.open().catch((error) => page.lost(error));
  return () => page.leave();
}

class DocumentPage {
  /** @param {App} app @param {import('../router.js').Place} place */
  constructor(app, place) {
    this.app = app;
    this.place = place;
    this.id = place.params.document;
    this.left = false;
    this.loaded = 0;
    this.total = 0;
    this.loading = false;
    const { t } = app.words;
    this.list = h('ol', { class: 'chunk-list', 'aria-label': t('document.passages') });
    this.sentinel = h('div', { class: 'sentinel' });
    this.text = h('div', { class: 'passage', tabindex: '0', role: 'group', 'aria-label': t('document.text') });
    this.textHead = h('h2', { tabindex: '-1' }, t('document.text'));
    this.aside = h('aside', { class: 'document-text', 'aria-label': t('document.text'), onkeydown: (/** @type {KeyboardEvent} */ e) => e.key === 'Escape' && this.fold() },
      h('header', null, this.textHead, iconButton('close', t('close'), () => this.fold(), { class: 'icon-button only-narrow' })), this.text);
    this.sight = new IntersectionObserver((entries) => entries.some((e) => e.isIntersecting) && this.more(), { rootMargin: '800px' });
  }

  async open() {
    const { app } = this;
    const d = await app.client.call('document', { id: this.id });
    if (this.left) return;
    app.title(d.name);
    this.total = d.chunks;
    app.main.append(h('div', { class: 'page page-wide' }, this.head(d),
      h('div', { class: 'document-columns' }, h('div', { class: 'document-passages' }, this.list, this.sentinel), this.aside)));
    this.sight.observe(this.sentinel);
    const wanted = this.place.query.get('chunk');
    if (wanted) await this.select(wanted, false);
    else if (d.chunks === 0) fill(this.text, h('p', { class: 'hint' }, app.words.t(d.state === 'failed' ? 'document.failed' : 'document.empty')));
  }

  /** @param {Document} d */
  head(d) {
    const { words, words: { t, tn } } = this.app;
    return [
      h('a', { class: 'quiet small back', href: `/knowledge/${this.place.params.base}` }, icon('back'), t('document.back')),
      h('header', { class: 'page-head' },
        h('div', { class: 'title-row' }, h('span', { class: 'card-icon' }, icon('file')), h('div', null, h('h1', null, d.title || d.name), h('p', { class: 'hint' }, [d.name, d.format, words.bytes(d.size), tn('document.count', d.chunks)].filter(Boolean).join(' · ')))),
        h('div', { class: 'actions' }, stateChip(this.app, d), downloadButton(this.app, d.id, d.name),
          h('button', { type: 'button', class: 'quiet small', onclick: () => previewCut(this.app, d.knowledge_base_id, d.id).catch(this.app.fail) }, icon('trace'), t('cut.title')),
          h('button', { type: 'button', class: 'quiet small', onclick: () => this.changed(editChunk(this.app, d.id, null)) }, icon('plus'), t('passage.new')))),
      d.state === 'failed' && h('div', { class: 'notice failed' }, icon('warn'), h('p', null, tell(this.app.words, { code: d.error_code ?? 'internal', detail: d.error }))),
      (d.warnings ?? []).length > 0 && h('div', { class: 'notice' }, icon('warn'), h('ul', null, (d.warnings ?? []).map((w) => h('li', null, this.app.words.told(w))))),
    ];
  }

  async more() {
    if (this.loading || this.left || this.loaded >= this.total) return;
    this.loading = true;
    try {
      const page = await this.app.client.call('chunks', { id: this.id, query: { offset: this.loaded, limit: pageSize } });
      const items = page.items ?? [];
      this.loaded += items.length;
      if (items.length === 0) this.total = this.loaded;
      this.list.append(...items.map((c) => this.item(c)));
      if (this.loaded === items.length && items[0] && !this.text.hasChildNodes()) await this.select(items[0].id, false, items[0]);
      this.loading = false;
      this.sight.unobserve(this.sentinel); // looked at again, should it still be in sight
      this.sight.observe(this.sentinel);
    } catch (error) {
      this.loading = false;
      this.app.fail(error);
    }
  }

  /** @param {Chunk} c */
  item(c) {
    const { t } = this.app.words;
    return h('li', { class: 'chunk', 'data-id': c.id, 'data-parent': c.parent_id ?? '' },
      h('button', { type: 'button', class: 'chunk-open', onclick: () => this.select(c.id, true, c) },
        h('span', { class: 'chunk-head' }, h('span', { class: 'source-number' }, c.index + 1), h('span', null, placeOf(this.app.words, c) || t(`chunk.${c.type}`))),
        h('span', { class: 'chunk-text' }, c.content)), this.menu(c));
  }

  /** What can be done with a passage. @param {Chunk} c */
  menu(c) {
    const { app, app: { words: { t } } } = this;
    const button = iconButton('more', t('passage.actions', { n: c.index + 1 }), () => {}, { class: 'icon-button chunk-menu' });
    attachMenu(button, () => [
      { label: t('passage.edit'), icon: 'edit', run: () => this.changed(editChunk(app, this.id, c)) },
      { label: t('passage.revisions'), icon: 'retry', run: () => this.changed(showRevisions(app, c)) },
      { label: t('passage.remove'), icon: 'trash', danger: true, run: () => this.changed(removeChunk(app, c).then((gone) => (gone ? null : undefined))) },
    ]);
    return button;
  }

  /**
   * Reads the document anew after a passage changed.
   * @param {Promise<Chunk | null | undefined>} change null: a passage is gone; undefined: nothing changed
   */
  async changed(change) {
    const chunk = await change;
    if (chunk === undefined || this.left) return;
    this.list.replaceChildren();
    this.text.replaceChildren();
    this.total = Math.max(this.total + 1, 1); // read on until nothing comes
    this.loaded = 0;
    await this.more();
    if (chunk) await this.select(chunk.id, false, chunk);
  }

  /**
   * Shows a passage in its text.
   * @param {string} id
   * @param {boolean} focus
   * @param {Chunk} [known]
   */
  async select(id, focus, known) {
    try {
      const chunk = known ?? (await this.app.client.call('chunk', { id }));
      const parent = chunk.parent_id ? await this.app.client.call('chunk', { id: chunk.parent_id }) : chunk;
      if (this.left) return;
      const start = chunk.start - parent.start;
      const whole = parent === chunk;
      fill(this.text, whole ? parent.content : highlight(parent.content, [{ start, end: start + chunk.end - chunk.start, supported: true }], 0));
      for (const li of this.list.children) {
        const on = li.getAttribute('data-id') === id || (whole && li.getAttribute('data-parent') === id);
        li.classList.toggle('selected', on);
        li.firstElementChild?.setAttribute('aria-pressed', String(on));
      }
      if (focus || this.place.query.get('chunk') === id) this.aside.classList.add('unfolded');
      this.text.querySelector('mark')?.scrollIntoView({ block: 'nearest' });
      if (focus && matchMedia('(max-width: 999px)').matches) this.textHead.focus();
    } catch (error) {
      this.app.fail(error);
    }
  }

  /** On a narrow screen the text is a sheet over the passages. */
  fold() {
    this.aside.classList.remove('unfolded');
    /** @type {HTMLElement | null} */ (this.list.querySelector('.selected button'))?.focus();
  }

  lost(/** @type {unknown} */ error) {
    if (this.left) return;
    const { t } = this.app.words;
    this.app.main.replaceChildren(h('div', { class: 'empty' }, h('h1', null, t('document.gone')), h('p', null, tell(this.app.words, problemOf(error))),
      h('p', null, h('a', { class: 'button primary', href: `/knowledge/${this.place.params.base}` }, t('document.back')))));
  }

  leave() {
    this.left = true;
    this.sight.disconnect();
  }
}
