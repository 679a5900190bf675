// @ts-check
/** A field for one file that speaks the language of the page; the browser's own speaks that of the browser. */
import { h, icon } from './dom.js';

/**
 * @param {import('../i18n.js').I18n} words
 * @param {{ label: string, accept: string, changed: () => void }} how
 * @returns {{ root: HTMLElement, file: () => File | undefined }}
 */
export function fileField(words, { label, accept, changed }) {
  const name = h('span', { class: 'file-name', role: 'status' }, words.t('file.none'));
  const input = h('input', { type: 'file', accept, class: 'visually-hidden', tabindex: '-1', 'aria-label': label, onchange: () => {
    name.textContent = input.files?.[0]?.name ?? words.t('file.none');
    changed();
  } });
  const choose = h('button', { type: 'button', class: 'button', onclick: () => input.click() }, icon('file'), words.t('file.choose'));
  const root = h('div', { class: 'field', role: 'group', 'aria-label': label }, h('span', { 'aria-hidden': 'true' }, label), h('div', { class: 'file-field' }, choose, name, input));
  return { root, file: () => input.files?.[0] };
}
