// @ts-check
/**
 * Dialogs, on the browser's own <dialog>: it keeps the focus inside, gives it
 * back, and closes with Escape.
 */
import { append, h, iconButton, uniqueID } from './dom.js';

/** @typedef {import('../i18n.js').I18n} I18n */

/**
 * Shows a dialog and resolves, when it is closed, with what close was given.
 *
 * @template T
 * @param {I18n} words
 * @param {string} title
 * @param {(close: (value?: T) => void) => import('./dom.js').Child} content
 * @param {{ wide?: boolean, locked?: boolean }} [how] locked: only close() ends it
 * @returns {Promise<T | undefined>}
 */
export function openDialog(words, title, content, how = {}) {
  return new Promise((resolve) => {
    const id = uniqueID('dialog');
    /** @type {T | undefined} */
    let result;
    const dialog = h('dialog', { class: how.wide ? 'dialog wide' : 'dialog', 'aria-labelledby': id });
    const close = (/** @type {T} */ value) => {
      result = value;
      dialog.close();
    };
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(result);
    });
    dialog.addEventListener('cancel', (e) => how.locked && e.preventDefault());
    dialog.addEventListener('click', (e) => e.target === dialog && !how.locked && dialog.close());
    const head = h('header', null, h('h2', { id }, title), !how.locked && iconButton('close', words.t('close'), () => dialog.close()));
    const box = h('div', { class: 'dialog-box' }, head);
    append(box, [content(/** @type {(value?: T) => void} */ (close))]);
    dialog.append(box);
    document.body.append(dialog);
    dialog.showModal();
    const first = dialog.querySelector('[autofocus], input:not([type=checkbox]), textarea, select');
    if (first instanceof HTMLElement) first.focus();
  });
}

/**
 * Asks before something that cannot be undone.
 * @param {I18n} words
 * @param {string} title
 * @param {string} text
 * @param {string} action what the button says
 * @returns {Promise<boolean>}
 */
export async function confirmDialog(words, title, text, action) {
  const yes = await openDialog(words, title, (/** @type {(v?: boolean) => void} */ close) => [
    h('p', null, text),
    h('div', { class: 'actions' },
      h('button', { type: 'button', class: 'button', autofocus: true, onclick: () => close(false) }, words.t('cancel')),
      h('button', { type: 'button', class: 'button danger', onclick: () => close(true) }, action)),
  ]);
  return yes === true;
}

/**
 * Asks for one line of text.
 * @param {I18n} words
 * @param {{ title: string, label: string, value?: string, action: string, max?: number }} ask
 * @returns {Promise<string | undefined>}
 */
export function promptDialog(words, ask) {
  return openDialog(words, ask.title, (/** @type {(v?: string) => void} */ close) => {
    const input = h('input', { type: 'text', required: true, maxlength: ask.max ?? 200, value: ask.value ?? '', autocomplete: 'off' });
    queueMicrotask(() => input.select());
    const submit = (/** @type {SubmitEvent} */ e) => {
      e.preventDefault();
      if (input.value.trim()) close(input.value.trim());
    };
    return h('form', { onsubmit: submit },
      h('label', { class: 'field' }, h('span', null, ask.label), input),
      h('div', { class: 'actions' },
        h('button', { type: 'button', class: 'button', onclick: () => close() }, words.t('cancel')),
        h('button', { type: 'submit', class: 'button primary' }, ask.action)));
  });
}
