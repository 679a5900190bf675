// @ts-check
/**
 * The text of a block → pieces: text, code, emphasis, links, math, citation
 * marks. Links lead to http, https and mailto only; images are links, since
 * nothing is loaded from elsewhere; HTML is text.
 *
 * @typedef {{ type: 'text', text: string, pos: number }
 *   | { type: 'code', text: string }
 *   | { type: 'math', text: string, display: boolean }
 *   | { type: 'cite', number: number }
 *   | { type: 'break' }
 *   | { type: 'strong' | 'em' | 'del', children: Piece[] }
 *   | { type: 'link', href: string, children: Piece[] }} Piece
 * @typedef {{ at: number, char: string, count: number, open: boolean, close: boolean }} Run
 */

/** Emphasis that may be open at once, and so how deep it may stand in one another. */
const maxOpen = 30;

// Blanks are counted: two runs of any length beside each other would be tried
// in every way that they can share what stands there.
const sticky = {
  cite: /\[(\d{1,3})\](?!\()/y,
  link: /!?\[((?:[^\[\]\\]|\\.|\[[^\[\]]{0,200}\]){0,1000})\]\(\s{0,20}<?([^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*)>?(?:\s{1,20}"[^"]{0,500}")?\s{0,20}\)/y,
  angled: /<((?:https?:\/\/|mailto:)[^\s<>]{1,2000})>/y,
  bare: /https?:\/\/[^\s<>"'`（）【】「」《》，。；：、！？]{1,2000}/y,
  br: /<br\s*\/?>/iy,
  escape: /\\[!-/:-@[-`{-~]/y,
};

/**
 * @param {string} text
 * @param {number} [from] position of text in its span
 * @returns {Piece[]}
 */
export function parseInline(text, from = 0) {
  return new Scanner(text, from).scan();
}

class Scanner {
  /**
   * @param {string} text
   * @param {number} from
   */
  constructor(text, from) {
    this.text = text;
    this.from = from;
    this.i = 0;
    this.plain = 0; // where text that is not yet a piece begins
    /** @type {Piece[]} */
    this.out = [];
    /** @type {Run[]} */
    this.runs = [];
    /** @type {Map<string, number>} where an end was found last; -1 where there is none in the rest of the text */
    this.ends = new Map();
  }

  scan() {
    const { text } = this;
    while (this.i < text.length) {
      if (!this.special(text[this.i])) this.i += 1;
    }
    this.flush();
    return this.out;
  }

  /** @param {string} c @returns {boolean} whether a piece was taken here */
  special(c) {
    switch (c) {
      case '\\':
        return this.delimited('\\(', '\\)', false) || this.delimited('\\[', '\\]', true) || this.escaped();
      case '`':
        return this.code();
      case '$':
        return this.delimited('$$', '$$', true) || this.dollars();
      case '*':
      case '_':
      case '~':
        return this.run(c);
      case '[':
        return this.cite() || this.link();
      case '!':
        return this.text[this.i + 1] === '[' && this.link();
      case '<':
        return this.take(sticky.br, () => ({ type: 'break' })) || this.url(sticky.angled, 1);
      case 'h':
        return !/\w/.test(this.text[this.i - 1] ?? '') && this.url(sticky.bare, 0);
      case '\n':
        this.push({ type: 'break' }, 1);
        return true;
      default:
        return false;
    }
  }

  flush() {
    if (this.i > this.plain) this.out.push({ type: 'text', text: this.text.slice(this.plain, this.i), pos: this.from + this.plain });
    this.plain = this.i;
  }

  /** @param {Piece} piece @param {number} length */
  push(piece, length) {
    this.flush();
    this.out.push(piece);
    this.i += length;
    this.plain = this.i;
  }

  /** @param {RegExp} pattern @param {(m: RegExpExecArray) => Piece} make */
  take(pattern, make) {
    pattern.lastIndex = this.i;
    const m = pattern.exec(this.text);
    if (!m) return false;
    this.push(make(m), m[0].length);
    return true;
  }

  escaped() {
    sticky.escape.lastIndex = this.i;
    if (!sticky.escape.test(this.text)) return false;
    this.flush();
    this.i += 1;
    this.plain = this.i; // the character itself is text
    this.i += 1;
    return true;
  }

  /** Finds an end and remembers where it is, or that there is none, so that time stays linear. */
  end(/** @type {string} */ mark, /** @type {number} */ from) {
    const last = this.ends.get(mark);
    if (last !== undefined && (last < 0 || last >= from)) return last;
    const at = this.text.indexOf(mark, from);
    this.ends.set(mark, at);
    return at;
  }

  /** @param {string} open @param {string} close @param {boolean} display */
  delimited(open, close, display) {
    if (!this.text.startsWith(open, this.i)) return false;
    const end = this.end(close, this.i + open.length);
    if (end <= this.i + open.length) return false;
    this.push({ type: 'math', text: this.text.slice(this.i + open.length, end), display }, end + close.length - this.i);
    return true;
  }

  /** $x$, but not the prices in "$5 and $10". */
  dollars() {
    const start = this.i + 1;
    if (/[\s$]/.test(this.text[start] ?? ' ')) return false;
    const end = this.end('$', start);
    if (end < 0 || end - start > 1000) return false;
    if (/\s/.test(this.text[end - 1]) || /[\d$]/.test(this.text[end + 1] ?? '')) return false;
    this.push({ type: 'math', text: this.text.slice(start, end), display: false }, end + 1 - this.i);
    return true;
  }

  code() {
    let n = 1;
    while (this.text[this.i + n] === '`') n += 1;
    const mark = '`'.repeat(n);
    let end = this.end(mark, this.i + n);
    while (end >= 0 && this.text[end + n] === '`') {
      let past = end + n;
      while (this.text[past] === '`') past += 1;
      end = this.end(mark, past);
    }
    if (end < 0) {
      this.i += n;
      return true;
    }
    const body = this.text.slice(this.i + n, end).replace(/\n/g, ' ');
    this.push({ type: 'code', text: /^ .*[^ ].* $/.test(body) ? body.slice(1, -1) : body }, end + n - this.i);
    return true;
  }

  cite() {
    return this.take(sticky.cite, (m) => ({ type: 'cite', number: Number(m[1]) }));
  }

  link() {
    const image = this.text[this.i] === '!' ? 1 : 0;
    if (this.end('](', this.i) < 0) return false;
    return this.take(sticky.link, (m) => {
      const label = new Scanner(m[1], this.from + this.i + image + 1).scan().flatMap(plain);
      const href = safe(m[2]);
      if (!href) return { type: 'em', children: label };
      return { type: 'link', href, children: label.length > 0 ? label : [{ type: 'text', text: m[2], pos: -1 }] };
    });
  }

  /** @param {RegExp} pattern @param {number} group */
  url(pattern, group) {
    pattern.lastIndex = this.i;
    const m = pattern.exec(this.text);
    if (!m) return false;
    const shown = group === 0 ? trimmed(m[0]) : m[1];
    const href = safe(shown);
    if (!href) return false;
    const at = this.from + this.i + group;
    this.push({ type: 'link', href, children: [{ type: 'text', text: shown, pos: at }] }, group === 0 ? shown.length : m[0].length);
    return true;
  }

  /** A run of * or _ or ~~ closes what it can, and else may open. */
  run(/** @type {string} */ c) {
    let n = 1;
    while (this.text[this.i + n] === c) n += 1;
    if ((c === '~' && n !== 2) || n > 3) {
      this.i += n;
      return true;
    }
    const before = this.text[this.i - 1] ?? ' ';
    const behind = this.text[this.i + n] ?? ' ';
    const word = /[\p{L}\p{N}]/u;
    const inside = c === '_' && word.test(before) && word.test(behind);
    const open = !/\s/.test(behind) && !inside;
    const close = !/\s/.test(before) && !inside;
    this.flush();
    this.i += n;
    this.plain = this.i;
    if (close && this.wrap(c, n)) return true;
    if (this.runs.length === maxOpen) this.runs.shift();
    this.runs.push({ at: this.out.length, char: c, count: n, open, close });
    this.out.push({ type: 'text', text: c.repeat(n), pos: this.from + this.i - n });
    return true;
  }

  /** @param {string} c @param {number} n */
  wrap(c, n) {
    for (let r = this.runs.length - 1; r >= 0; r -= 1) {
      const opener = this.runs[r];
      if (opener.char !== c || !opener.open || opener.count !== n || opener.at + 1 >= this.out.length) continue;
      const children = this.out.splice(opener.at + 1);
      this.out.pop();
      this.runs.length = r;
      this.out.push(wrapped(c, n, children));
      return true;
    }
    return false;
  }
}

/**
 * A piece as it may stand in a link: neither a link nor a button, however deep.
 * @param {Piece} piece
 * @returns {Piece[]}
 */
function plain(piece) {
  switch (piece.type) {
    case 'link':
      return piece.children;
    case 'cite':
      return [{ type: 'text', text: `[${piece.number}]`, pos: -1 }];
    case 'strong':
    case 'em':
    case 'del':
      return [{ ...piece, children: piece.children.flatMap(plain) }];
    default:
      return [piece];
  }
}

/** @param {string} c @param {number} n @param {Piece[]} children @returns {Piece} */
function wrapped(c, n, children) {
  if (c === '~') return { type: 'del', children };
  if (n === 1) return { type: 'em', children };
  if (n === 2) return { type: 'strong', children };
  return { type: 'strong', children: [{ type: 'em', children }] };
}

/**
 * An address in a sentence without what belongs to the sentence: the full stop
 * behind it, and a bracket that was opened before it.
 * @param {string} address
 */
function trimmed(address) {
  let out = address;
  for (;;) {
    const last = out.at(-1) ?? '';
    const closes = last === ')' && out.split(')').length > out.split('(').length;
    if (!closes && !'.,;:!?]*_~'.includes(last)) return out;
    if (last === '') return out;
    out = out.slice(0, -1);
  }
}

/**
 * An address that a link may lead to, or ''.
 * @param {string} address
 */
export function safe(address) {
  try {
    const url = new URL(address);
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : '';
  } catch {
    return '';
  }
}
