// @ts-check
/**
 * How documents are cut: settings are tried on a document, kept for its base,
 * and applied to all documents of the base.
 *
 * @typedef {import('../main.js').App} App
 * @typedef {import('../api/types.js').Chunking} Chunking
 * @typedef {import('../api/types.js').Preview} Preview
 * @typedef {import('../api/types.js').Document} Document
 */
import { problemOf } from '../api/client.js';
import { placeOf } from '../chat/sources.js';
import { confirmDialog, openDialog } from '../ui/dialog.js';
import { fill, h, icon } from '../ui/dom.js';
import { tell } from '../ui/errors.js';

/** The signs by which separators are typed that cannot be seen. @type {[string, string][]} */
const unseen = [['\n', '\\n'], ['\t', '\\t'], [' ', '\\s']];

/** @param {string[] | null | undefined} list */
const typed = (list) => (list ?? []).map((sep) => unseen.reduce((s, [sign, as]) => s.replaceAll(sign, as), sep)).join(' ');

/** @param {string} text */
const separators = (text) => text.split(' ').filter(Boolean).map((sep) => unseen.reduce((s, [sign, as]) => s.replaceAll(as, sign), sep));

/**
 * The fields of the settings.
 * @param {App} app
 * @param {Chunking} now
 * @param {() => void} changed
 */
function createFields(app, now, changed) {
  const { t } = app.words;
  /** @param {string} label @param {HTMLElement} input @param {string} [hint] */
  const field = (label, input, hint) => h('label', { class: 'field' }, h('span', null, t(label)), input, hint && h('small', null, t(hint)));
  /** @param {number | undefined} value @param {string} min @param {string} max */
  const number = (value, min, max) => h('input', { type: 'number', min, max, step: '1', value: value || '', placeholder: t('cut.default'), oninput: changed });
  /** @param {string} value @param {string[]} values @param {string} name */
  const choice = (value, values, name) => h('select', { onchange: changed }, values.map((v) => h('option', { value: v, selected: v === value }, t(`cut.${name}.${v}`))));
  const size = number(now.chunk_size, '50', '4000');
  const overlap = number(now.chunk_overlap, '-1', '1000');
  const parent = number(now.parent_size, '100', '20000');
  const level = choice(String(now.heading_level ?? 0), ['0', '1', '2', '3', '4', '5', '6', '-1'], 'headings');
  const rows = choice(now.rows || 'data', ['data', 'all', 'none'], 'rows');
  const parts = h('input', { type: 'text', value: typed(now.separators), placeholder: t('cut.sentences'), autocomplete: 'off', spellcheck: 'false', oninput: changed });
  return {
    nodes: [
      h('div', { class: 'field-row' }, field('cut.size', size), field('cut.overlap', overlap), field('cut.parent', parent)),
      h('div', { class: 'field-row' }, field('cut.headings', level), field('cut.rows', rows), field('cut.separators', parts, 'cut.separators.text')),
    ],
    /** @returns {Chunking} */
    value: () => ({
      ...(Number(size.value) && { chunk_size: Number(size.value) }),
      ...(Number(overlap.value) && { chunk_overlap: Number(overlap.value) }),
      ...(Number(parent.value) && { parent_size: Number(parent.value) }),
      ...(Number(level.value) && { heading_level: Number(level.value) }),
      ...(rows.value !== 'data' && { rows: rows.value }),
      ...(parts.value.trim() && { separators: separators(parts.value) }),
    }),
  };
}

/** @param {App} app @param {Preview} p */
function passages(app, p) {
  const { words, words: { tn } } = app;
  return [
    h('p', null, h('strong', null, tn('document.count', p.total))),
    h('ol', { class: 'chunk-list' }, (p.passages ?? []).map((c, i) => h('li', { class: 'chunk-open' },
      h('span', { class: 'chunk-head' }, h('span', { class: 'source-number' }, i + 1), placeOf(words, c), h('span', { class: 'spacer' }), tn('cut.chars', [...c.content].length)),
      h('span', { class: 'chunk-text' }, c.content)))),
  ];
}

/**
 * Tries settings on a document, keeps them for its base, and cuts the base's
 * documents anew.
 * @param {App} app
 * @param {string} base
 * @param {string} document
 */
export async function previewCut(app, base, document) {
  const { words, words: { t } } = app;
  const { chunking } = await app.client.call('base', { id: base });
  return openDialog(words, t('cut.title'), (/** @type {() => void} */ close) => {
    let timer = 0;
    let asked = 0;
    const fields = createFields(app, chunking ?? {}, () => {
      clearTimeout(timer);
      timer = window.setTimeout(look, 300);
    });
    const out = h('div', { class: 'cut-preview', 'aria-live': 'polite', tabindex: '0', role: 'group', 'aria-label': t('document.passages') });
    const look = async () => {
      const mine = (asked += 1);
      try {
        const p = await app.client.call('previewDocument', { id: document, body: { chunking: fields.value() } });
        if (mine === asked) fill(out, passages(app, p));
      } catch (error) {
        if (mine === asked) fill(out, h('p', { class: 'field-error' }, tell(words, problemOf(error))));
      }
    };
    /** @param {() => Promise<string>} then what is done with the kept settings; it says what came of it */
    const keep = async (then) => {
      try {
        await app.client.call('changeBase', { id: base, body: { chunking: fields.value() } });
        app.toasts.info(await then());
        close();
      } catch (error) {
        app.fail(error);
      }
    };
    const anew = async () => {
      const { documents, kept } = await app.client.call('rechunkBase', { id: base });
      return t(kept ? 'cut.anew.kept' : 'cut.anew.done', { n: documents, kept });
    };
    look();
    return [
      h('p', { class: 'hint' }, t('cut.text')), fields.nodes, out,
      h('div', { class: 'actions' },
        h('button', { type: 'button', class: 'button', onclick: () => keep(async () => t('cut.kept')) }, icon('check'), t('cut.keep')),
        h('button', { type: 'button', class: 'button primary', onclick: () => keep(anew) }, icon('retry'), t('cut.anew'))),
    ];
  }, { wide: true });
}

/**
 * Reads a document again, or cuts it anew; asks before that takes back what was
 * changed by hand.
 * @param {App} app
 * @param {'reparseDocument' | 'rechunkDocument'} call
 * @param {Document} d
 */
export async function again(app, call, d) {
  const { t } = app.words;
  try {
    await app.client.call(call, { id: d.id });
  } catch (error) {
    if (problemOf(error).code !== 'edited') throw error;
    if (await confirmDialog(app.words, t(`document.${call === 'reparseDocument' ? 'reparse' : 'rechunk'}`), t('document.edited', { name: d.name }), t('document.edited.discard'))) {
      await app.client.call(call, { id: d.id, query: { discard_edits: true } });
    }
  }
}
