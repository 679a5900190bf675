// @ts-check
/**
 * Short messages at the edge of the page, which screen readers read out, and a
 * place to say things that need not be shown.
 *
 * @typedef {ReturnType<typeof createToasts>} Toasts
 */
import { h, iconButton } from './dom.js';

/** @param {() => import('../i18n.js').I18n} words */
export function createToasts(words) {
  const list = h('div', { class: 'toasts', role: 'status', 'aria-live': 'polite' });
  const spoken = h('div', { class: 'visually-hidden', role: 'status', 'aria-live': 'polite' });
  document.body.append(list, spoken);

  /**
   * @param {string} text
   * @param {'info' | 'error'} kind
   */
  const show = (text, kind) => {
    const toast = h('div', { class: `toast ${kind}` }, h('span', null, text), iconButton('close', words().t('dismiss'), () => toast.remove()));
    list.append(toast);
    while (list.childElementCount > 4) list.firstElementChild?.remove();
    if (kind === 'info') setTimeout(() => toast.remove(), 6000);
  };
  return {
    info: (/** @type {string} */ text) => show(text, 'info'),
    error: (/** @type {string} */ text) => show(text, 'error'),
    /** Tells a screen reader only. */
    say(/** @type {string} */ text) {
      spoken.textContent = '';
      queueMicrotask(() => (spoken.textContent = text));
    },
  };
}
