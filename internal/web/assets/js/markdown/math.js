// @ts-check
/**
 * TeX → MathML, for what people and models write in answers: letters,
 * fractions, roots, scripts, sums, accents, matrices and aligned lines. A word
 * that is not known is shown as it was written. Depth and length are bounded;
 * nothing that is put in can do more than look odd.
 */
import { accents, alphabets, doubled, functions, grids, large, letters, operators, spaces } from './mathwords.js';

const NS = 'http://www.w3.org/1998/Math/MathML';
const maxDepth = 60;
const maxLength = 5000;

/**
 * @param {string} source
 * @param {boolean} display
 * @returns {Element} a math element; code where the source is too long
 */
export function renderMath(source, display) {
  if (source.length > maxLength) {
    const code = document.createElement('code');
    code.textContent = source;
    return code;
  }
  const math = make('math');
  if (display) math.setAttribute('display', 'block');
  const annotation = make('annotation');
  annotation.setAttribute('encoding', 'application/x-tex');
  annotation.textContent = source;
  math.append(make('semantics', [new Parser(source, display).row(''), annotation]));
  return math;
}

/** @param {string} name @param {Element[]} [children] */
function make(name, children = []) {
  const el = document.createElementNS(NS, name);
  el.append(...children);
  return el;
}

/** @param {string} name @param {string} text */
function leaf(name, text) {
  const el = make(name);
  el.textContent = text;
  return el;
}

/** @param {string} text */
function bracket(text) {
  const el = leaf('mo', text);
  el.setAttribute('stretchy', 'true');
  return el;
}

class Parser {
  /** @param {string} source @param {boolean} display */
  constructor(source, display) {
    this.tokens = source.match(/\\(?:[a-zA-Z]+\*?|.|$)|[ \t\r\n]+|\d+(?:[.,]\d+)*|./gsu) ?? [];
    this.display = display;
    this.i = 0;
    this.depth = 0;
  }

  peek() {
    while (/^\s/.test(this.tokens[this.i] ?? '')) this.i += 1;
    return this.tokens[this.i];
  }

  next() {
    const token = this.peek();
    if (token !== undefined) this.i += 1;
    return token;
  }

  /**
   * Reads up to a token that ends the row, which is taken too.
   * @param {string} end '' means the end of the source
   * @returns {Element}
   */
  row(end) {
    /** @type {Element[]} */
    const items = [];
    for (let token = this.peek(); token !== undefined; token = this.peek()) {
      if (token === end) {
        this.i += 1;
        break;
      }
      if (this.stops(token)) break;
      items.push(this.scripted());
    }
    return items.length === 1 ? items[0] : make('mrow', items);
  }

  /** Whether a token belongs to what stands around this row. */
  stops(/** @type {string} */ token) {
    return this.grid > 0 && (token === '&' || token === '\\\\' || token === '\\end' || token === '\\right');
  }

  grid = 0;

  /** An atom with what hangs on it. */
  scripted() {
    const base = this.atom();
    /** @type {Element | null} */
    let sub = null;
    /** @type {Element | null} */
    let sup = null;
    for (let token = this.peek(); ; token = this.peek()) {
      if (token === '_' && !sub) {
        this.i += 1;
        sub = this.argument();
      } else if (token === '^' && !sup) {
        this.i += 1;
        sup = this.argument();
      } else if (token === "'") {
        this.i += 1;
        sup = sup ? make('mrow', [sup, leaf('mo', '′')]) : leaf('mo', '′');
      } else break;
    }
    const limits = this.display && base.hasAttribute('data-limits');
    if (sub && sup) return make(limits ? 'munderover' : 'msubsup', [base, sub, sup]);
    if (sub) return make(limits ? 'munder' : 'msub', [base, sub]);
    if (sup) return make(limits ? 'mover' : 'msup', [base, sup]);
    return base;
  }

  /** What a command takes: a group, or the next atom. */
  argument() {
    const token = this.peek();
    if (token === undefined || token === '}' || this.stops(token)) return make('mrow');
    return this.atom();
  }

  /** @returns {Element} */
  atom() {
    const token = this.next() ?? '';
    if (this.depth > maxDepth) return leaf('mtext', token);
    this.depth += 1;
    const el = this.element(token);
    this.depth -= 1;
    return el;
  }

  /** @param {string} token @returns {Element} */
  element(token) {
    if (token === '{') return this.row('}');
    if (token.startsWith('\\')) return this.command(token.slice(1));
    if (/^\d/.test(token)) return leaf('mn', token);
    if (/^\p{L}/u.test(token)) return leaf(/^[\p{sc=Han}]/u.test(token) ? 'mtext' : 'mi', token);
    return leaf('mo', token === '-' ? '−' : token === '*' ? '∗' : token);
  }

  /** @param {string} name @returns {Element} */
  command(name) {
    if (Object.hasOwn(letters, name)) return leaf('mi', letters[name]);
    if (Object.hasOwn(operators, name)) return leaf('mo', operators[name]);
    if (Object.hasOwn(spaces, name)) return this.space(spaces[name]);
    if (Object.hasOwn(large, name)) return this.limits(leaf('mo', large[name]), !name.endsWith('int'));
    if (Object.hasOwn(functions, name)) return this.limits(leaf('mi', name), functions[name]);
    if (Object.hasOwn(accents, name)) return this.accent(accents[name]);
    if (Object.hasOwn(alphabets, name)) return this.styled(name);
    return this.structure(name);
  }

  /** @param {string} name @returns {Element} */
  structure(name) {
    switch (name) {
      case 'frac':
      case 'dfrac':
      case 'tfrac':
      case 'cfrac':
        return make('mfrac', [this.argument(), this.argument()]);
      case 'binom':
        return this.binomial();
      case 'sqrt':
        return this.root();
      case 'text':
      case 'textbf':
      case 'textit':
      case 'mbox':
      case 'mathrm':
      case 'operatorname':
        return leaf(name === 'mathrm' || name === 'operatorname' ? 'mi' : 'mtext', this.verbatim());
      case 'underline':
        return make('munder', [this.argument(), leaf('mo', '_')]);
      case 'overset':
      case 'stackrel':
        return this.swapped('mover');
      case 'underset':
        return this.swapped('munder');
      case 'left':
        return this.fenced();
      case 'begin':
        return this.environment();
      case 'displaystyle':
      case 'textstyle':
      case 'limits':
      case 'nolimits':
      case 'big':
      case 'Big':
      case 'bigg':
      case 'Bigg':
      case '\\':
      case 'right':
      case 'end':
        return make('mrow');
      default:
        return leaf('mtext', `\\${name}`);
    }
  }

  /** @param {number} width */
  space(width) {
    const el = make('mspace');
    el.setAttribute('width', `${width}em`);
    return el;
  }

  /** @param {Element} el @param {boolean} has */
  limits(el, has) {
    if (has) el.setAttribute('data-limits', '');
    return el;
  }

  /** @param {string} mark */
  accent(mark) {
    const over = make('mover', [this.argument(), leaf('mo', mark)]);
    over.setAttribute('accent', 'true');
    return over;
  }

  /** @param {string} name */
  styled(name) {
    const [upper, lower, digit] = alphabets[name];
    const text = [...this.verbatim()].map((c) => {
      if (name === 'mathbb' && doubled[c]) return doubled[c];
      if (/[A-Z]/.test(c)) return String.fromCodePoint(upper + c.charCodeAt(0) - 65);
      if (/[a-z]/.test(c)) return String.fromCodePoint(lower + c.charCodeAt(0) - 97);
      return digit && /\d/.test(c) ? String.fromCodePoint(digit + Number(c)) : c;
    });
    return leaf('mi', text.join(''));
  }

  binomial() {
    const fraction = make('mfrac', [this.argument(), this.argument()]);
    fraction.setAttribute('linethickness', '0');
    return make('mrow', [bracket('('), fraction, bracket(')')]);
  }

  root() {
    if (this.peek() !== '[') return make('msqrt', [this.argument()]);
    this.i += 1;
    const index = this.row(']');
    return make('mroot', [this.argument(), index]);
  }

  /** @param {string} element */
  swapped(element) {
    const mark = this.argument();
    return make(element, [this.argument(), mark]);
  }

  /** The text of a group as it stands; of one token where there is no group. */
  verbatim() {
    if (this.peek() !== '{') return this.next() ?? '';
    this.i += 1;
    let text = '';
    for (let open = 1; this.i < this.tokens.length; this.i += 1) {
      const token = this.tokens[this.i];
      if (token === '{') open += 1;
      if (token === '}' && (open -= 1) === 0) {
        this.i += 1;
        break;
      }
      const word = token.slice(1);
      text += token.startsWith('\\') ? letters[word] ?? operators[word] ?? (word in spaces ? ' ' : word) : token;
    }
    return text;
  }

  /** \left( … \right) */
  fenced() {
    const open = this.delimiter();
    this.grid += 1;
    const items = [];
    for (let token = this.peek(); token !== undefined && token !== '\\right' && !(token === '\\end'); token = this.peek()) {
      if (token === '&' || token === '\\\\') this.i += 1;
      else items.push(this.scripted());
    }
    this.grid -= 1;
    let close = '';
    if (this.peek() === '\\right') {
      this.i += 1;
      close = this.delimiter();
    }
    return make('mrow', [...(open ? [bracket(open)] : []), ...items, ...(close ? [bracket(close)] : [])]);
  }

  delimiter() {
    const token = this.next() ?? '';
    if (token === '.') return '';
    return token.startsWith('\\') ? operators[token.slice(1)] ?? token.slice(1) : token;
  }

  /** \begin{name} rows \end{name} */
  environment() {
    const name = this.verbatim();
    const [open, close] = grids[name] ?? ['', ''];
    if (name === 'array' || name === 'alignedat') this.verbatim();
    this.grid += 1;
    /** @type {Element[]} */
    const rows = [];
    let cells = [this.cell()];
    for (let token = this.next(); token !== undefined && token !== '\\end'; token = this.next()) {
      if (token === '\\\\') {
        rows.push(make('mtr', cells));
        cells = [];
      }
      cells.push(this.cell());
    }
    this.grid -= 1;
    this.verbatim();
    if (cells.length > 1 || cells[0].hasChildNodes()) rows.push(make('mtr', cells));
    const table = make('mtable', rows);
    if (name.startsWith('align') || name === 'split' || name === 'cases') table.setAttribute('class', `math-${name === 'cases' ? 'cases' : 'align'}`);
    return make('mrow', [...(open ? [bracket(open)] : []), table, ...(close ? [bracket(close)] : [])]);
  }

  cell() {
    const content = this.row('');
    return make('mtd', content.localName === 'mrow' ? [...content.children] : [content]);
  }
}
