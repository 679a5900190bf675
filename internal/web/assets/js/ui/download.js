// @ts-check
/** Hands a document's original to the browser, with the credential that a plain link could not send. */
import { h, icon } from './dom.js';

/**
 * @param {import('../main.js').App} app
 * @param {string} documentID
 * @param {string} name
 */
export function downloadButton(app, documentID, name) {
  const button = h('button', { type: 'button', class: 'quiet small', onclick: async () => {
    button.disabled = true;
    try {
      save(await app.client.blob('original', { id: documentID }), name);
    } catch (error) {
      app.fail(error);
    }
    button.disabled = false;
  } }, icon('download'), app.words.t('download'));
  return button;
}

/**
 * @param {Blob} blob
 * @param {string} name
 */
export function save(blob, name) {
  const url = URL.createObjectURL(blob);
  const a = h('a', { href: url, download: name });
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
