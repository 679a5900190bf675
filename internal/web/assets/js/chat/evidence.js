// @ts-check
/**
 * The passage behind a mark, beside the answer: where it stands, its text, and
 * in it the words that carry the claim.
 *
 * @typedef {import('../main.js').App} App
 * @typedef {import('../api/types.js').Reference} Reference
 * @typedef {import('../api/types.js').ChunkView} ChunkView
 * @typedef {import('./turn.js').Answer} Answer
 */
import { problemOf } from '../api/client.js';
import { fill, h, icon, iconButton } from '../ui/dom.js';
import { tell } from '../ui/errors.js';
import { downloadButton } from '../ui/download.js';
import { addressOf, isFile, nameOf } from './address.js';
import { characters } from './offsets.js';
import { placeOf } from './sources.js';

/** @param {App} app */
export function createEvidence(app) {
  const { words } = app;
  const { t } = words;
  const narrow = matchMedia('(max-width: 1099px)');
  const heading = h('h2', { tabindex: '-1' });
  const place = h('p', { class: 'evidence-place' });
  const content = h('div', { class: 'evidence-text' });
  const tools = h('div', { class: 'evidence-tools' });
  const root = h('aside', { class: 'evidence', 'aria-label': t('evidence.label'), hidden: true, onkeydown: (/** @type {KeyboardEvent} */ e) => e.key === 'Escape' && close() },
    h('header', null, h('div', null, heading, place), iconButton('close', t('close'), () => close())),
    tools, content);
  /** @type {HTMLElement | null} what opened it, and has the focus back */
  let opener = null;
  /** @type {HTMLElement | null} */
  let column = null;
  let opened = 0;

  const close = () => {
    opened += 1;
    root.hidden = true;
    root.parentElement?.classList.remove('with-evidence');
    if (column) column.inert = false;
    mark(null);
    opener?.focus();
    opener = null;
  };

  /** Shows which mark is open. @param {HTMLElement | null} el */
  const mark = (el) => {
    opener?.removeAttribute('aria-expanded');
    el?.setAttribute('aria-expanded', 'true');
  };

  /**
   * @param {Reference} r
   * @param {Answer} answer
   * @param {HTMLElement} from
   * @param {number} nth which of the answer's marks of this number
   */
  const open = async (r, answer, from, nth) => {
    const mine = (opened += 1);
    mark(from);
    opener = from;
    root.hidden = false;
    root.parentElement?.classList.add('with-evidence');
    if (column) column.inert = narrow.matches;
    fill(heading, r.number > 0 && h('span', { class: 'source-number' }, r.number), ' ', nameOf(r));
    place.textContent = placeOf(words, r);
    fill(tools, isFile(r) && downloadButton(app, r.document_id, r.document), h('a', { class: 'quiet small', href: addressOf(r) }, icon('file'), t(isFile(r) ? 'evidence.document' : 'evidence.whole')));
    fill(content, h('blockquote', { class: 'loading-text' }, r.quote));
    heading.focus({ preventScroll: true });
    try {
      const chunk = await app.client.call('chunk', { id: spoken(r, answer, nth) });
      if (mine !== opened) return;
      showPassage(chunk, r, answer, nth);
    } catch (error) {
      if (mine !== opened) return;
      const problem = problemOf(error);
      fill(content, h('p', { class: 'field-error' }, problem.code === 'not_found' ? t('evidence.gone') : tell(words, problem)), h('blockquote', null, r.quote));
    }
  };

  /**
   * @param {ChunkView} chunk
   * @param {Reference} r
   * @param {Answer} answer
   * @param {number} nth
   */
  const showPassage = (chunk, r, answer, nth) => {
    const marks = answer.citations.filter((c) => c.number === r.number);
    const spans = answer.citations.filter((c) => c.chunk_id === chunk.id && c.source_end > c.source_start);
    const parts = highlight(chunk.content, spans.map((c) => ({ start: c.source_start, end: c.source_end, supported: c.supported })), marks[nth] ? spans.indexOf(marks[nth]) : nth);
    const unsupported = spans.length > 0 && spans.every((c) => !c.supported);
    fill(content,
      unsupported && h('p', { class: 'notice' }, icon('warn'), h('span', null, t('evidence.unsupported'))),
      spans.length === 0 && h('p', { class: 'hint' }, t(r.number > 0 ? 'evidence.nospan' : 'evidence.also')),
      h('div', { class: 'passage', tabindex: '0', role: 'group', 'aria-label': t('evidence.passage') }, parts),
      h('p', { class: 'hint' }, t('evidence.score', { score: words.percent(r.score) })));
    content.querySelector('.span-now, .span')?.scrollIntoView({ block: 'center' });
  };

  return {
    root, open,
    /** The column that stands beside the evidence. */
    beside(/** @type {HTMLElement} */ el) {
      column = el;
    },
  };
}

/**
 * The chunk that carries the nth claim with a source: a source may have been
 * read over several chunks of its document.
 * @param {Reference} r
 * @param {Answer} answer
 * @param {number} nth
 */
function spoken(r, answer, nth) {
  return answer.citations.filter((c) => c.number === r.number)[nth]?.chunk_id || r.chunk_id;
}

/**
 * Text with ranges of it marked; ranges are bytes and may overlap.
 * @param {string} text
 * @param {{ start: number, end: number, supported: boolean }[]} spans
 * @param {number} now which span is meant first
 * @returns {Node[]}
 */
export function highlight(text, spans, now) {
  const at = characters(text, spans.flatMap((s) => [s.start, s.end]));
  const wanted = spans[now] ?? spans[0];
  const ranges = spans.map((s) => ({ from: at.get(s.start) ?? 0, to: at.get(s.end) ?? 0, now: s === wanted })).sort((a, b) => a.from - b.from || b.to - a.to);
  /** @type {Node[]} */
  const out = [];
  let done = 0;
  for (const r of ranges) {
    const from = Math.max(r.from, done);
    if (r.to <= from) continue;
    if (from > done) out.push(document.createTextNode(text.slice(done, from)));
    out.push(h('mark', { class: r.now ? 'span span-now' : 'span' }, text.slice(from, r.to)));
    done = r.to;
  }
  out.push(document.createTextNode(text.slice(done)));
  return out;
}
