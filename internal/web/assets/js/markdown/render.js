// @ts-check
/**
 * Markdown → document, while it is still written. Only the last block can
 * change when text is appended: all before it stays as it is, and the last one
 * is changed in place, so that nothing flickers and no selection is lost.
 *
 * Long answers are built a few milliseconds at a time.
 *
 * @typedef {import('./blocks.js').Block} Block
 * @typedef {import('./blocks.js').Span} Span
 * @typedef {import('./inline.js').Piece} Piece
 * @typedef {{ start: number, end: number, label: string }} Mark a range of the source to mark, as an offset in characters
 * @typedef {{ cite: (n: number) => { label: string } | null, copyLabel: string, taskLabel: string }} Options
 *   cite says whether [n] is a mark of this answer
 */
import { h, icon } from '../ui/dom.js';
import { parseBlocks, sourceOf } from './blocks.js';
import { parseInline } from './inline.js';
import { renderMath } from './math.js';
import { morph } from './morph.js';

/** Text longer than this, in one block, is shown in pieces and not parsed. */
const longText = 20_000;
/** Cells of a table; the rows behind them are shown as text. */
const mostCells = 6_000;
/** How long the page may be busy with an answer at a stretch, in milliseconds. */
const slice = 8;

/**
 * @param {HTMLElement} container
 * @param {Options} options
 */
export function createProse(container, options) {
  let source = '';
  /** @type {Mark[]} */
  let marks = [];
  /** @type {{ start: number, el: HTMLElement }[]} what is shown, a block each */
  let shown = [];
  /** @type {Block[]} what waits, the next one last */
  let waiting = [];
  let scheduled = 0;
  /** @type {(() => void)[]} */
  let settled = [];

  const work = () => {
    scheduled = 0;
    const until = performance.now() + slice;
    while (waiting.length > 0) {
      const block = /** @type {Block} */ (waiting.pop());
      const el = blockElement(block, context());
      container.append(el);
      shown.push({ start: block.start, el });
      if (performance.now() > until && waiting.length > 0) {
        scheduled = requestAnimationFrame(work);
        return;
      }
    }
    for (const f of settled.splice(0)) f();
  };

  const context = () => ({ ...options, marks });

  /** Parses from the last block that is shown and puts it in place. */
  const grow = () => {
    if (scheduled) return regrow();
    const last = shown.at(-1);
    const blocks = parseBlocks(source, last?.start ?? 0);
    if (last && blocks.length > 0) {
      const first = /** @type {Block} */ (blocks.shift());
      last.el = morph(last.el, blockElement(first, context()));
    }
    waiting = blocks.reverse();
    work();
  };

  /** While blocks wait, only the ones behind those shown are parsed anew. */
  const regrow = () => {
    const from = waiting.at(-1)?.start ?? shown.at(-1)?.start ?? 0;
    waiting = parseBlocks(source, from).reverse();
  };

  const reset = () => {
    cancelAnimationFrame(scheduled);
    scheduled = 0;
    shown = [];
    waiting = [];
    container.replaceChildren();
  };

  return {
    /** Shows the text; cheap where it only grew. */
    update(/** @type {string} */ text) {
      if (text === source) return;
      const grew = text.startsWith(source);
      source = text;
      if (!grew) reset();
      grow();
    },
    /** Marks ranges and looks at the citation marks again: once, when the answer is complete. */
    mark(/** @type {Mark[]} */ ranges) {
      marks = ranges;
      const blocks = parseBlocks(source);
      if (scheduled || blocks.length !== shown.length) {
        reset();
        waiting = blocks.reverse();
        work();
        return;
      }
      blocks.forEach((block, i) => {
        shown[i].el = morph(shown[i].el, blockElement(block, context()));
      });
    },
    /** Resolves when all of the text is in the document. @returns {Promise<void>} */
    settled: () => new Promise((resolve) => (waiting.length === 0 ? resolve() : settled.push(resolve))),
  };
}

/** @typedef {Options & { marks: Mark[] }} Context */

/**
 * @param {Block} block
 * @param {Context} context
 * @returns {HTMLElement}
 */
export function blockElement(block, context) {
  switch (block.type) {
    case 'heading':
      // A page has one h1, and the message's own heading stands above these.
      return h(block.span.text ? /** @type {'h3'} */ (`h${Math.min(block.level + 2, 6)}`) : 'p', null, inline(block.span, context));
    case 'paragraph':
      return block.span.text.length > longText ? long('p', block.span.text) : h('p', null, inline(block.span, context));
    case 'code':
      return code(block.lang, block.text, context);
    case 'math':
      return h('div', { class: 'math', tabindex: '0', role: 'group', 'aria-label': 'TeX' }, renderMath(block.text, true));
    case 'quote':
      return h('blockquote', null, block.blocks.map((b) => blockElement(b, context)));
    case 'list':
      return list(block, context);
    case 'table':
      return table(block, context);
    case 'rule':
      return h('hr');
  }
}

/** @param {'p' | 'pre'} tag @param {string} text */
function long(tag, text) {
  const pieces = [];
  for (let i = 0; i < text.length; i += longText) pieces.push(h('div', { class: 'prose-piece' }, text.slice(i, i + longText)));
  return h('div', { class: `long long-${tag}` }, pieces);
}

/** @param {string} lang @param {string} text @param {Context} context */
function code(lang, text, context) {
  const body = text.length > longText ? long('pre', text) : h('pre', { tabindex: '0' }, h('code', null, text));
  return h('div', { class: 'code' },
    h('div', { class: 'code-head' }, h('span', null, lang), h('button', { type: 'button', class: 'quiet small', 'data-copy': 'code' }, icon('copy'), context.copyLabel)),
    body);
}

/** @param {Extract<Block, { type: 'list' }>} block @param {Context} context */
function list(block, context) {
  const items = block.items.map((item) => {
    const children = item.blocks.map((b) => (b.type === 'paragraph' && !block.loose ? inline(b.span, context) : blockElement(b, context)));
    if (item.task === null) return h('li', null, children);
    const box = h('input', { type: 'checkbox', disabled: true, checked: item.task, 'aria-label': context.taskLabel });
    return h('li', { class: 'task' }, box, children);
  });
  return block.ordered ? h('ol', { start: block.first === 1 ? null : block.first }, items) : h('ul', null, items);
}

/** @param {Extract<Block, { type: 'table' }>} block @param {Context} context */
function table(block, context) {
  /** @param {'th' | 'td'} tag @param {Span} span @param {number} column */
  const cell = (tag, span, column) => h(tag, { class: block.align[column] ? `align-${block.align[column]}` : null, scope: tag === 'th' ? 'col' : null }, inline(span, context));
  const most = Math.ceil(mostCells / block.head.length);
  const rest = block.rows.slice(most).map((row) => row.map((s) => s.text).join(' | ')).join('\n');
  const el = h('div', { class: 'table', tabindex: '0', role: 'group', 'aria-label': block.head.map((s) => s.text).join(', ') },
    h('table', null,
      h('thead', null, h('tr', null, block.head.map((s, i) => cell('th', s, i)))),
      h('tbody', null, block.rows.slice(0, most).map((row) => h('tr', null, row.map((s, i) => cell('td', s, i)))))));
  return rest ? h('div', null, el, long('pre', rest)) : el;
}

/** @param {Span} span @param {Context} context @returns {Node[]} */
function inline(span, context) {
  if (span.text.length > longText) return [document.createTextNode(span.text)];
  return pieces(parseInline(span.text), span, context);
}

/** @param {Piece[]} list @param {Span} span @param {Context} context @returns {Node[]} */
function pieces(list, span, context) {
  return list.flatMap((piece) => {
    switch (piece.type) {
      case 'text':
        return piece.pos < 0 ? [document.createTextNode(piece.text)] : marked(piece.text, sourceOf(span, piece.pos), context);
      case 'code':
        return [h('code', null, piece.text)];
      case 'math':
        return [renderMath(piece.text, piece.display)];
      case 'break':
        return [h('br')];
      case 'cite':
        return [cite(piece.number, context)];
      case 'link':
        return [h('a', { href: piece.href, target: '_blank', rel: 'noopener noreferrer nofollow' }, pieces(piece.children, span, context))];
      default:
        return [h(piece.type, null, pieces(piece.children, span, context))];
    }
  });
}

/** @param {number} number @param {Context} context @returns {Node} */
function cite(number, context) {
  const target = context.cite(number);
  if (!target) return document.createTextNode(`[${number}]`);
  return h('button', { type: 'button', class: 'cite', 'data-cite': number, 'aria-label': target.label }, String(number));
}

/**
 * Text, cut where marks begin and end.
 * @param {string} text
 * @param {number} src
 * @param {Context} context
 * @returns {Node[]}
 */
function marked(text, src, context) {
  /** @type {Node[]} */
  const out = [];
  let at = 0;
  for (const mark of context.marks) {
    const start = Math.max(mark.start - src, at);
    const end = Math.min(mark.end - src, text.length);
    if (start >= end) continue;
    if (start > at) out.push(document.createTextNode(text.slice(at, start)));
    out.push(h('mark', { class: 'unsupported', title: mark.label }, text.slice(start, end)));
    at = end;
  }
  if (at < text.length) out.push(document.createTextNode(text.slice(at)));
  return out;
}
