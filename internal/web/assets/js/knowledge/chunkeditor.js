// @ts-check
/**
 * Passages by hand: give one another text, take it out, look at what stood
 * there before and bring it back.
 *
 * @typedef {import('../main.js').App} App
 * @typedef {import('../api/types.js').Chunk} Chunk
 */
import { problemOf } from '../api/client.js';
import { confirmDialog, openDialog } from '../ui/dialog.js';
import { fill, h } from '../ui/dom.js';
import { tell } from '../ui/errors.js';

/**
 * Edits a passage, or writes a new one.
 * @param {App} app
 * @param {string} document
 * @param {Chunk | null} chunk null for a new one
 * @returns {Promise<Chunk | undefined>} what is stored now, under a new id
 */
export function editChunk(app, document, chunk) {
  const { t } = app.words;
  return openDialog(app.words, t(chunk ? 'passage.edit' : 'passage.new'), (/** @type {(c?: Chunk) => void} */ close) => {
    const area = h('textarea', { rows: '12', required: true, value: chunk?.content ?? '', 'aria-label': t('passage.text'), autofocus: true });
    const problem = h('p', { class: 'field-error', role: 'alert' });
    const submit = async (/** @type {SubmitEvent} */ e) => {
      e.preventDefault();
      const body = { content: area.value };
      try {
        close(await (chunk ? app.client.call('editChunk', { id: chunk.id, body }) : app.client.call('addChunk', { id: document, body })));
      } catch (error) {
        problem.textContent = tell(app.words, problemOf(error));
      }
    };
    return h('form', { onsubmit: submit }, h('p', { class: 'hint' }, t('passage.edit.text')), area, problem,
      h('div', { class: 'actions' },
        h('button', { type: 'button', class: 'button', onclick: () => close() }, t('cancel')),
        h('button', { type: 'submit', class: 'button primary' }, t('save'))));
  }, { wide: true });
}

/**
 * @param {App} app
 * @param {Chunk} chunk
 * @returns {Promise<boolean>} whether it is gone
 */
export async function removeChunk(app, chunk) {
  const { t } = app.words;
  if (!(await confirmDialog(app.words, t('passage.remove'), t('passage.remove.text'), t('delete')))) return false;
  try {
    await app.client.call('removeChunk', { id: chunk.id });
    return true;
  } catch (error) {
    app.fail(error);
    return false;
  }
}

/**
 * Shows what has stood in the place of a passage.
 * @param {App} app
 * @param {Chunk} chunk
 * @returns {Promise<Chunk | undefined>} the passage that was brought back
 */
export function showRevisions(app, chunk) {
  const { words } = app;
  const { t } = words;
  return openDialog(words, t('passage.revisions'), (/** @type {(c?: Chunk) => void} */ close) => {
    const list = h('ol', { class: 'found-list' });
    const problem = h('p', { class: 'field-error', role: 'alert' });
    app.client.call('revisions', { id: chunk.id }).then(({ items }) => fill(list, (items ?? []).map((r) => h('li', { class: 'found' },
      h('div', { class: 'found-head' }, h('strong', null, r.created_at ? words.date(r.created_at) : t('passage.original')), r.current && h('span', { class: 'badge' }, t('passage.current')), h('span', { class: 'spacer' }),
        !r.current && h('button', { type: 'button', class: 'button', onclick: async () => {
          try {
            close(await app.client.call('revertChunk', { id: r.chunk_id }));
          } catch (error) {
            problem.textContent = tell(words, problemOf(error));
          }
        } }, t('passage.revert'))),
      h('p', { class: 'chunk-text' }, r.content))))).catch((error) => (problem.textContent = tell(words, problemOf(error))));
    return [problem, list];
  }, { wide: true });
}
