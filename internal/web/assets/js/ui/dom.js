// @ts-check
/**
 * Elements. Text only ever becomes text nodes: nothing here, nor anywhere in
 * this interface, makes HTML from a string, and the page's policy forbids it.
 *
 * @typedef {Node | string | number | null | undefined | false | readonly any[]} Child
 * @typedef {Record<string, any>} Props
 */

const SVG = 'http://www.w3.org/2000/svg';

/**
 * Makes an element: h('a', { class: 'x', href: '/', onclick: f }, 'text').
 * Properties that are functions listen; true sets an empty attribute; false,
 * null and undefined set none.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Props | null} [props]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props, ...children) {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) set(el, name, value);
  append(el, children);
  return el;
}

/**
 * @param {Element} el
 * @param {string} name
 * @param {any} value
 */
export function set(el, name, value) {
  if (typeof value === 'function') el.addEventListener(name.slice(2), value);
  else if (name === 'value' || name === 'checked' || name === 'indeterminate') /** @type {any} */ (el)[name] = value ?? '';
  else if (value === false || value === null || value === undefined) el.removeAttribute(name);
  else el.setAttribute(name, value === true ? '' : String(value));
}

/**
 * @param {Node} parent
 * @param {Child[]} children
 */
export function append(parent, children) {
  for (const child of children) {
    if (Array.isArray(child)) append(parent, child);
    else if (child instanceof Node) parent.appendChild(child);
    else if (child !== null && child !== undefined && child !== false) parent.appendChild(document.createTextNode(String(child)));
  }
}

/**
 * Puts other children in the place of those there are.
 * @param {Element} el
 * @param {...Child} children
 */
export function fill(el, ...children) {
  el.replaceChildren();
  append(el, children);
}

/** Outlines of the icons, on a grid of 24. */
const paths = {
  plus: 'M12 5v14M5 12h14',
  send: 'M12 19V5M5.5 11.5 12 5l6.5 6.5',
  stop: 'M7 7h10v10H7z',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6 6 18',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM15.5 15.5 20 20',
  pin: 'M9 4h6l-1 6 3 3H7l3-3-1-6ZM12 13v7',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  edit: 'M4 20h4L19 9l-4-4L4 16v4ZM13 7l4 4',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5',
  copy: 'M9 9h10v11H9zM6 15H5V4h10v2',
  retry: 'M19 12a7 7 0 1 1-2.2-5.1M19 4v4h-4',
  check: 'M5 12.5 10 17l9-10',
  up: 'M7 11v9H4v-9h3Zm0 0 4-8c1.5 0 2.5 1 2.5 2.5L13 9h5.5a2 2 0 0 1 2 2.3l-1.1 7A2 2 0 0 1 17.4 20H7',
  down: 'M7 13V4H4v9h3Zm0 0 4 8c1.5 0 2.5-1 2.5-2.5L13 15h5.5a2 2 0 0 0 2-2.3l-1.1-7A2 2 0 0 0 17.4 4H7',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
  folder: 'M3 6h6l2 2h10v11H3z',
  base: 'M5 5h14v14H5zM5 10h14M10 10v9',
  faq: 'M12 17h.01M9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .9-1 1.7M4 4h16v16H4z',
  wiki: 'M5 4h11a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3V4ZM9 9h6M9 13h6',
  chat: 'M4 5h16v11H10l-5 4v-4H4z',
  trace: 'M4 6h9M8 12h9M12 18h8',
  code: 'M9 7l-5 5 5 5M15 7l5 5-5 5',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M5.6 18.4 7 17M17 7l1.4-1.4',
  moon: 'M19 14.5A7.5 7.5 0 0 1 9.5 5a7.5 7.5 0 1 0 9.5 9.5Z',
  auto: 'M12 4v16M12 4a8 8 0 1 0 0 16M12 4a8 8 0 0 1 0 16',
  upload: 'M12 16V5M7.5 9.5 12 5l4.5 4.5M5 19h14',
  download: 'M12 5v11M7.5 11.5 12 16l4.5-4.5M5 20h14',
  chevron: 'M9 6l6 6-6 6',
  warn: 'M12 4 3 19h18L12 4ZM12 10v4M12 16.8h.01',
  info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 11v5M12 8h.01',
  at: 'M12 15.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Zm3.5-7v5a2.5 2.5 0 0 0 5 0V12a8.5 8.5 0 1 0-3.5 6.9',
  key: 'M9.5 15.5a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM13 11.5h8M18 11.5v3',
  back: 'M15 6l-6 6 6 6',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM5 20a7 7 0 0 1 14 0',
};

/** @typedef {keyof typeof paths} IconName */

/**
 * An icon that says nothing to a screen reader: what it stands on is named.
 * @param {IconName} name
 * @returns {SVGSVGElement}
 */
export function icon(name) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', paths[name]);
  svg.appendChild(path);
  return svg;
}

/**
 * A button that shows only an icon.
 * @param {IconName} name
 * @param {string} label what it does, for the tip and the screen reader
 * @param {(e: MouseEvent) => void} onclick
 * @param {Props} [props]
 */
export function iconButton(name, label, onclick, props) {
  return h('button', { type: 'button', class: 'icon-button', 'aria-label': label, title: label, onclick, ...props }, icon(name));
}

let serial = 0;

/** An id that no other element of the page has. */
export function uniqueID(/** @type {string} */ stem) {
  serial += 1;
  return `${stem}-${serial}`;
}
