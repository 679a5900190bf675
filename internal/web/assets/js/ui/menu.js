// @ts-check
/**
 * A button that opens a menu: arrows move, Escape and a click elsewhere close.
 *
 * @typedef {{ label: string, icon?: import('./dom.js').IconName, danger?: boolean, checked?: boolean, run: () => void }} Item
 */
import { h, icon } from './dom.js';

/**
 * @param {HTMLElement} button
 * @param {() => Item[]} items asked each time that the menu opens
 */
export function attachMenu(button, items) {
  button.setAttribute('aria-haspopup', 'menu');
  button.setAttribute('aria-expanded', 'false');
  /** @type {HTMLElement | null} */
  let menu = null;

  const close = (/** @type {boolean} */ back) => {
    if (!menu) return;
    menu.remove();
    menu = null;
    button.setAttribute('aria-expanded', 'false');
    document.removeEventListener('pointerdown', outside, true);
    window.removeEventListener('scroll', away, true);
    if (back) button.focus();
  };
  const away = () => close(false);
  const outside = (/** @type {PointerEvent} */ e) => {
    if (e.target instanceof Node && (menu?.contains(e.target) || button.contains(e.target))) return;
    close(false);
  };

  /** @param {KeyboardEvent} e */
  const onkeydown = (e) => {
    const all = /** @type {HTMLElement[]} */ ([...(menu?.children ?? [])]);
    const at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    if (e.key === 'Escape' || e.key === 'Tab') {
      e.preventDefault();
      e.stopPropagation();
      close(true);
    } else if (e.key === 'ArrowDown') all[(at + 1) % all.length]?.focus();
    else if (e.key === 'ArrowUp') all[(at - 1 + all.length) % all.length]?.focus();
    else if (e.key === 'Home') all[0]?.focus();
    else if (e.key === 'End') all.at(-1)?.focus();
    else return;
    e.preventDefault();
  };

  const open = () => {
    menu = h('div', { class: 'menu', role: 'menu', onkeydown }, items().map((item) => h('button', {
      type: 'button', role: item.checked === undefined ? 'menuitem' : 'menuitemradio', tabindex: '-1', class: item.danger ? 'danger' : null,
      'aria-checked': item.checked === undefined ? null : String(item.checked),
      onclick: () => {
        close(true);
        item.run();
      },
    }, item.icon && icon(item.icon), item.label, item.checked && h('span', { class: 'tick' }, icon('check')))));
    (button.closest('dialog, section, footer, main') ?? document.body).append(menu);
    place(menu, button);
    button.setAttribute('aria-expanded', 'true');
    document.addEventListener('pointerdown', outside, true);
    window.addEventListener('scroll', away, true);
    /** @type {HTMLElement} */ (menu.firstElementChild)?.focus();
  };
  button.addEventListener('click', (e) => {
    e.preventDefault();
    e.stopPropagation();
    if (menu) close(true);
    else open();
  });
}

/**
 * Puts a menu below its button, or above where there is more room.
 * @param {HTMLElement} menu
 * @param {HTMLElement} button
 */
export function place(menu, button) {
  const at = button.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const left = Math.max(8, Math.min(at.left, innerWidth - width - 8));
  const below = at.bottom + 4 + height <= innerHeight || at.top < height;
  menu.style.left = `${left}px`;
  menu.style.top = `${below ? at.bottom + 4 : at.top - height - 4}px`;
}
