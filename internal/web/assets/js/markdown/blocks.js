// @ts-check
/**
 * Markdown → blocks: headings, paragraphs, lists, quotes, fenced code, tables,
 * rules and display math. Every piece of text knows where in the source it
 * stands. Time is linear in the text, whatever is in it; what only opens and
 * never closes runs to the end, as it does while an answer is still written.
 *
 * @typedef {{ text: string, src: number }} Line a line, and where its first character stands
 * @typedef {{ text: string, parts: { pos: number, src: number }[] }} Span text of a block, and where its lines stand
 * @typedef {{ type: 'heading', level: number, span: Span }
 *   | { type: 'paragraph', span: Span }
 *   | { type: 'code', lang: string, text: string }
 *   | { type: 'math', text: string }
 *   | { type: 'quote', blocks: Block[] }
 *   | { type: 'list', ordered: boolean, first: number, loose: boolean, items: Item[] }
 *   | { type: 'table', align: string[], head: Span[], rows: Span[][] }
 *   | { type: 'rule' }} BlockBody
 * @typedef {BlockBody & { start: number }} Block
 * @typedef {{ blocks: Block[], task: boolean | null }} Item
 */

/** How deep lists and quotes may stand in one another; deeper is plain text. */
const maxDepth = 12;

/** Columns of a table; what has more is text. */
const maxColumns = 100;

// No pattern has two parts beside each other that could share the same
// characters: a line that fits almost would be tried in every way.
const patterns = {
  heading: /^ {0,3}(#{1,6})(?=[ \t]|$)/,
  fence: /^ {0,3}(`{3,}|~{3,})/,
  rule: /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/,
  quote: /^ {0,3}> ?/,
  item: /^( {0,3})([-*+•](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$)|\d{1,3}、)[ \t]*/,
  task: /^\[([ xX])\][ \t]+/,
  delimiter: /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$/,
  mathOpen: /^ {0,3}(\$\$|\\\[)/,
};

/**
 * @param {string} source
 * @param {number} [from] only what stands after this offset, which begins a block
 * @returns {Block[]}
 */
export function parseBlocks(source, from = 0) {
  /** @type {Line[]} */
  const lines = [];
  let src = from;
  for (const text of source.slice(from).split('\n')) {
    lines.push({ text: text.endsWith('\r') ? text.slice(0, -1) : text, src });
    src += text.length + 1;
  }
  return parse(lines, 0);
}

/**
 * @param {Line[]} lines
 * @param {number} depth
 * @returns {Block[]}
 */
function parse(lines, depth) {
  /** @type {Block[]} */
  const blocks = [];
  let i = 0;
  while (i < lines.length) {
    if (lines[i].text.trim() === '') {
      i += 1;
      continue;
    }
    const start = lines[i].src;
    const [body, next] = blockAt(lines, i, depth);
    blocks.push({ ...body, start });
    i = next;
  }
  return blocks;
}

/**
 * @param {Line[]} lines
 * @param {number} i
 * @param {number} depth
 * @returns {[BlockBody, number]} the block at line i, and the line after it
 */
function blockAt(lines, i, depth) {
  const { text } = lines[i];
  const heading = patterns.heading.exec(text);
  if (heading) {
    const rest = text.slice(heading[0].length);
    const content = unclosed(rest.trim());
    const at = text.length - rest.trimStart().length;
    return [{ type: 'heading', level: heading[1].length, span: spanOf([{ text: content, src: lines[i].src + at }]) }, i + 1];
  }
  if (fenceOf(text)) return fenced(lines, i);
  if (patterns.mathOpen.test(text)) return math(lines, i);
  if (patterns.rule.test(text)) return [{ type: 'rule' }, i + 1];
  if (depth < maxDepth && patterns.quote.test(text)) return quote(lines, i, depth);
  if (depth < maxDepth && patterns.item.test(text)) return list(lines, i, depth);
  if (isTable(lines, i)) return table(lines, i);
  return paragraph(lines, i, depth);
}

/** What opens a block of code: no backtick follows in its line. @param {string} text */
function fenceOf(text) {
  const open = patterns.fence.exec(text);
  return open && !text.includes('`', open[0].length) ? open : null;
}

/** A heading without the signs that may close it. @param {string} text */
function unclosed(text) {
  let end = text.length;
  while (text[end - 1] === '#') end -= 1;
  return end === 0 || /[ \t]/.test(text[end - 1]) ? text.slice(0, end).trimEnd() : text;
}

/** @param {Line[]} lines @param {number} i @returns {[BlockBody, number]} */
function fenced(lines, i) {
  const open = /** @type {RegExpExecArray} */ (fenceOf(lines[i].text));
  const indent = lines[i].text.length - lines[i].text.trimStart().length;
  const close = new RegExp(`^ {0,3}${open[1][0] === '~' ? '~' : '`'}{${open[1].length},}[ \\t]*$`);
  const body = [];
  let next = i + 1;
  for (; next < lines.length && !close.test(lines[next].text); next += 1) {
    const { text } = lines[next];
    body.push(text.slice(Math.min(indent, text.length - text.trimStart().length)));
  }
  const lang = lines[i].text.slice(open[0].length).trim().split(/\s/, 1)[0];
  return [{ type: 'code', lang, text: body.join('\n') }, Math.min(next + 1, lines.length)];
}

/** @param {Line[]} lines @param {number} i @returns {[BlockBody, number]} */
function math(lines, i) {
  const open = /** @type {RegExpExecArray} */ (patterns.mathOpen.exec(lines[i].text));
  const close = open[1] === '$$' ? '$$' : '\\]';
  const body = [];
  for (let next = i; next < lines.length; next += 1) {
    const text = next === i ? lines[i].text.slice(open[0].length) : lines[next].text;
    const end = text.indexOf(close);
    if (end >= 0) {
      body.push(text.slice(0, end));
      const rest = text.slice(end + close.length).trim();
      if (rest) body.push(`\\text{ ${rest}}`);
      return [{ type: 'math', text: body.join('\n') }, next + 1];
    }
    if (next > i && text.trim() === '') return [{ type: 'math', text: body.join('\n') }, next];
    body.push(text);
  }
  return [{ type: 'math', text: body.join('\n') }, lines.length];
}

/** @param {Line[]} lines @param {number} i @param {number} depth @returns {[BlockBody, number]} */
function quote(lines, i, depth) {
  /** @type {Line[]} */
  const inner = [];
  let next = i;
  for (; next < lines.length; next += 1) {
    const mark = patterns.quote.exec(lines[next].text);
    if (mark) inner.push(after(lines[next], mark[0].length));
    else if (lines[next].text.trim() === '' || begins(lines, next, depth)) break;
    else inner.push(lines[next]); // a line that lazily goes on
  }
  return [{ type: 'quote', blocks: parse(inner, depth + 1) }, next];
}

/** @param {Line[]} lines @param {number} i @param {number} depth @returns {[BlockBody, number]} */
function list(lines, i, depth) {
  const first = /** @type {RegExpExecArray} */ (patterns.item.exec(lines[i].text));
  const kind = kindOf(first[2]);
  /** @type {Item[]} */
  const items = [];
  let loose = false;
  let next = i;
  while (next < lines.length) {
    const mark = patterns.item.exec(lines[next].text);
    if (!mark || kindOf(mark[2]) !== kind || patterns.rule.test(lines[next].text)) break;
    const [item, end, blank] = itemAt(lines, next, mark, depth);
    items.push(item);
    next = end;
    const more = next < lines.length && patterns.item.test(lines[next].text);
    loose ||= blank && more;
  }
  return [{ type: 'list', ordered: kind !== '-', first: Number.parseInt(first[2], 10) || 1, loose, items }, next];
}

/** Bullets are all one kind; numbers are told apart by what follows them. */
function kindOf(/** @type {string} */ mark) {
  return /\d/.test(mark) ? mark.slice(-1) : '-';
}

/**
 * @param {Line[]} lines
 * @param {number} i
 * @param {RegExpExecArray} mark
 * @param {number} depth
 * @returns {[Item, number, boolean]} the item, the line after it, whether a blank line ends it
 */
function itemAt(lines, i, mark, depth) {
  const width = Math.max(2, Math.min(mark[0].length, mark[1].length + mark[2].length + 4));
  let head = after(lines[i], mark[0].length);
  const task = patterns.task.exec(head.text);
  if (task) head = after(head, task[0].length);
  const inner = [head];
  let blank = false;
  let next = i + 1;
  for (; next < lines.length; next += 1) {
    const { text } = lines[next];
    if (text.trim() === '') {
      blank = true;
      inner.push(lines[next]);
      continue;
    }
    const indent = text.length - text.trimStart().length;
    if (indent >= Math.min(width, 2) && (indent >= width || indent > mark[1].length + 1)) inner.push(after(lines[next], Math.min(indent, width)));
    else if (blank || patterns.item.test(text) || begins(lines, next, depth)) break;
    else inner.push(lines[next]);
    blank = false;
  }
  return [{ blocks: parse(inner, depth + 1), task: task ? task[1] !== ' ' : null }, next, blank];
}

/**
 * Whether a line ends the paragraph before it. A number does only as the
 * first of a list: "In\n1990. That year" is a sentence.
 */
function begins(/** @type {Line[]} */ lines, /** @type {number} */ i, /** @type {number} */ depth) {
  const { text } = lines[i];
  if (patterns.heading.test(text) || fenceOf(text) || patterns.rule.test(text) || patterns.mathOpen.test(text)) return true;
  const item = patterns.item.exec(text);
  const first = item && (!/\d/.test(item[2]) || parseInt(item[2], 10) === 1);
  return (depth < maxDepth && (patterns.quote.test(text) || Boolean(first))) || isTable(lines, i);
}

/** @param {Line[]} lines @param {number} i @param {number} depth @returns {[BlockBody, number]} */
function paragraph(lines, i, depth) {
  let next = i + 1;
  while (next < lines.length && lines[next].text.trim() !== '' && !begins(lines, next, depth)) next += 1;
  return [{ type: 'paragraph', span: spanOf(lines.slice(i, next).map(trimmed)) }, next];
}

/** @param {Line} line */
function trimmed(line) {
  const text = line.text.trimStart();
  return { text: text.trimEnd(), src: line.src + line.text.length - text.length };
}

/** @param {Line[]} lines @param {number} i */
function isTable(lines, i) {
  return i + 1 < lines.length && lines[i].text.includes('|') && patterns.delimiter.test(lines[i + 1].text.trimEnd()) &&
    cells(lines[i]).length === cells(lines[i + 1]).length && cells(lines[i]).length <= maxColumns;
}

/** @param {Line[]} lines @param {number} i @returns {[BlockBody, number]} */
function table(lines, i) {
  const head = cells(lines[i]);
  const align = cells(lines[i + 1]).map(({ text }) => {
    const [left, right] = [text.startsWith(':'), text.endsWith(':')];
    return left && right ? 'center' : right ? 'right' : left ? 'left' : '';
  });
  const rows = [];
  let next = i + 2;
  for (; next < lines.length && lines[next].text.includes('|'); next += 1) {
    const row = cells(lines[next]).slice(0, head.length);
    while (row.length < head.length) row.push(spanOf([{ text: '', src: lines[next].src }]));
    rows.push(row);
  }
  return [{ type: 'table', align, head, rows }, next];
}

/**
 * The cells of a row; a bar in code or behind a backslash is text.
 * @param {Line} line
 * @returns {Span[]}
 */
function cells(line) {
  /** @type {Span[]} */
  const out = [];
  const { text } = line;
  const body = text.trimStart();
  let start = text.length - body.length + (body.startsWith('|') ? 1 : 0);
  let code = false;
  for (let i = start; i <= text.length; i += 1) {
    const c = text[i];
    if (c === '\\') i += 1;
    else if (c === '`') code = !code;
    else if (c === undefined || (c === '|' && !code)) {
      const cell = text.slice(start, i);
      if (c !== undefined || cell.trim() !== '') out.push(spanOf([trimmed({ text: cell, src: line.src + start })]));
      start = i + 1;
    }
  }
  return out;
}

/** @param {Line} line @param {number} n @returns {Line} */
function after(line, n) {
  return { text: line.text.slice(n), src: line.src + n };
}

/** @param {Line[]} lines @returns {Span} */
function spanOf(lines) {
  const parts = [];
  let pos = 0;
  for (const line of lines) {
    parts.push({ pos, src: line.src });
    pos += line.text.length + 1;
  }
  return { text: lines.map((l) => l.text).join('\n'), parts };
}

/**
 * Where a character of a span stands in the source.
 * @param {Span} span
 * @param {number} pos
 */
export function sourceOf(span, pos) {
  let low = 0;
  let high = span.parts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (span.parts[middle].pos <= pos) low = middle;
    else high = middle - 1;
  }
  const part = span.parts[low];
  return part.src + (pos - part.pos);
}
