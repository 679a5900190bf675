// @ts-check
/**
 * A table of any length of which only the rows in sight exist. Rows are of one
 * height; their data comes a page at a time.
 *
 * @template T
 * @typedef {{ load: (offset: number, limit: number) => Promise<{ items: T[], total: number }>, row: (item: T, index: number) => HTMLElement[],
 *   rowHeight: number, narrowHeight: number, kind?: string, label: string, head: string[], fail: (error: unknown) => void, empty: () => Node, counted?: (total: number) => void }} Source
 */
import { h } from './dom.js';

const pageSize = 100;
/** Rows that exist above and below those in sight. */
const margin = 8;

/**
 * @template T
 * @param {Source<T>} source
 */
export function createVirtualTable(source) {
  const narrow = matchMedia('(max-width: 799px)');
  let rowHeight = 0;
  const body = h('div', { class: 'virtual-body', role: 'rowgroup' });
  const head = h('div', { role: 'rowgroup', class: 'virtual-head' }, h('div', { role: 'row', 'aria-rowindex': '1', class: 'virtual-row head' }, source.head.map((text, i) => h('div', { role: 'columnheader', class: `cell cell-${i}` }, text))));
  const table = h('div', { role: 'table', 'aria-label': source.label, class: 'virtual-table' }, head, body);
  const none = h('div', { class: 'virtual-empty', hidden: true });
  const root = h('div', { class: `virtual virtual-${source.kind ?? 'documents'}`, tabindex: '0', role: 'region', 'aria-label': source.label }, table, none);

  let total = 0;
  /** @type {Map<number, T[]>} by number of the page */
  let pages = new Map();
  /** @type {Set<number>} */
  let asked = new Set();
  /** @type {Map<number, { item: T | undefined, el: HTMLElement }>} rows that exist */
  const rows = new Map();
  let generation = 0;
  let frame = 0;

  const itemAt = (/** @type {number} */ i) => pages.get(Math.floor(i / pageSize))?.[i % pageSize];

  /** @param {number} page */
  const fetchPage = async (page) => {
    if (asked.has(page)) return;
    asked.add(page);
    const mine = generation;
    try {
      const answer = await source.load(page * pageSize, pageSize);
      if (mine !== generation) return;
      pages.set(page, answer.items);
      if (answer.total !== total || page === 0) setTotal(answer.total);
      schedule();
    } catch (error) {
      asked.delete(page);
      source.fail(error);
    }
  };

  /** @param {number} n */
  const setTotal = (n) => {
    total = n;
    body.style.height = `${total * rowHeight}px`;
    table.setAttribute('aria-rowcount', String(total + 1));
    table.hidden = total === 0;
    none.hidden = total > 0;
    if (total === 0) none.replaceChildren(source.empty());
    source.counted?.(total);
  };

  const draw = () => {
    frame = 0;
    const top = Math.max(0, root.scrollTop - head.offsetHeight);
    const first = Math.max(0, Math.floor(top / rowHeight) - margin);
    const last = Math.min(total, Math.ceil((root.scrollTop + root.clientHeight) / rowHeight) + margin);
    for (const [i, row] of rows) {
      if (i < first || i >= last) {
        row.el.remove();
        rows.delete(i);
      }
    }
    for (let i = first; i < last; i += 1) place(i);
    for (let page = Math.floor(first / pageSize); page <= Math.floor(Math.max(first, last - 1) / pageSize); page += 1) fetchPage(page);
  };

  /** @param {number} i */
  const place = (i) => {
    const item = itemAt(i);
    const known = rows.get(i);
    if (known && known.item === item) return;
    const cells = item === undefined ? [h('span', { class: 'skeleton' })] : source.row(item, i);
    const el = h('div', { role: 'row', class: 'virtual-row', 'aria-rowindex': i + 2 }, cells.map((c, n) => h('div', { role: 'cell', class: `cell cell-${n}` }, c)));
    el.style.transform = `translateY(${i * rowHeight}px)`;
    if (known) {
      const focused = known.el.contains(document.activeElement) ? [...known.el.querySelectorAll('a, button, input')].indexOf(/** @type {Element} */ (document.activeElement)) : -1;
      known.el.replaceWith(el);
      if (focused >= 0) /** @type {HTMLElement | undefined} */ ([...el.querySelectorAll('a, button, input')][focused])?.focus();
    } else insert(i, el);
    rows.set(i, { item, el });
  };

  /** Keeps rows in the order in which they are read out. */
  const insert = (/** @type {number} */ i, /** @type {HTMLElement} */ el) => {
    let next = null;
    let nearest = Infinity;
    for (const [j, row] of rows) {
      if (j > i && j < nearest) {
        nearest = j;
        next = row.el;
      }
    }
    body.insertBefore(el, next);
  };

  const schedule = () => {
    frame ||= requestAnimationFrame(draw);
  };
  root.addEventListener('scroll', schedule, { passive: true });
  const size = new ResizeObserver(schedule);
  size.observe(root);

  const measure = () => {
    rowHeight = narrow.matches ? source.narrowHeight : source.rowHeight;
    for (const row of rows.values()) row.el.remove();
    rows.clear();
    body.style.height = `${total * rowHeight}px`;
    schedule();
  };
  measure();
  narrow.addEventListener('change', measure);

  /** Reads the rows in sight again, and what is not in sight when it comes there. */
  const refresh = async () => {
    generation += 1;
    const mine = generation;
    const first = Math.floor(Math.max(0, root.scrollTop / rowHeight - margin) / pageSize);
    const last = Math.floor(Math.max(0, (root.scrollTop + root.clientHeight) / rowHeight + margin) / pageSize);
    const numbers = [];
    for (let page = first; page <= Math.min(last, first + 2); page += 1) numbers.push(page);
    try {
      const answers = await Promise.all(numbers.map((n) => source.load(n * pageSize, pageSize)));
      if (mine !== generation) return;
      pages = new Map(numbers.map((n, i) => [n, answers[i].items]));
      asked = new Set(numbers);
      setTotal(answers[0].total);
      draw();
    } catch (error) {
      source.fail(error);
    }
  };

  return {
    root, refresh,
    leave() {
      generation += 1;
      cancelAnimationFrame(frame);
      size.disconnect();
      narrow.removeEventListener('change', measure);
    },
  };
}
