// @ts-check
/**
 * How a question and an answer look. An answer is drawn again and again while
 * it is written; only what changed is touched.
 *
 * @typedef {import('../main.js').App} App
 * @typedef {import('./turn.js').Answer} Answer
 * @typedef {ReturnType<typeof createAnswer>} AnswerView
 */
import { createProse } from '../markdown/render.js';
import { fill, h, icon } from '../ui/dom.js';
import { choicesOf } from './choices.js';
import { confidenceBadge } from './confidence.js';
import { claimList, reasonOf, shownClaims } from './claims.js';
import { feedback } from './feedback.js';
import { rangesOf } from './offsets.js';
import { sourceLists } from './sources.js';

/** A mark of which the end has not come yet. */
const halfMark = /\[\d{0,3}$/;

/**
 * @param {App} app
 * @param {string} text
 * @param {(text: string) => void} edit
 */
export function questionElement(app, text, edit) {
  const { t } = app.words;
  return h('article', { class: 'question' },
    h('h2', { class: 'visually-hidden' }, t('thread.question')),
    h('div', { class: 'question-text' }, text),
    h('p', { class: 'unsent-note' }, icon('warn'), t('thread.unsent')),
    h('div', { class: 'message-actions' },
      action('edit', t('edit.resend'), () => edit(text)),
      copyButton(app, () => text)));
}

/** @param {import('../ui/dom.js').IconName} name @param {string} label @param {() => void} onclick */
function action(name, label, onclick) {
  return h('button', { type: 'button', class: 'quiet small', onclick, title: label }, icon(name), h('span', { class: 'action-label' }, label));
}

/** @param {App} app @param {() => string} text */
function copyButton(app, text) {
  return action('copy', app.words.t('copy'), () => copy(app, text()));
}

/** @param {App} app @param {string} text */
async function copy(app, text) {
  try {
    await navigator.clipboard.writeText(text);
    app.toasts.info(app.words.t('copied'));
  } catch {
    app.toasts.error(app.words.t('copy.failed'));
  }
}

/**
 * @param {App} app
 * @param {Answer} answer
 * @param {{ evidence: ReturnType<typeof import('./evidence.js').createEvidence>, ask: (q: import('./page.js').Question) => any, again: (query: string) => import('./page.js').Question, question: () => string }} to
 */
export function createAnswer(app, answer, to) {
  const { t } = app.words;
  const status = h('p', { class: 'status' });
  const thought = h('div', { class: 'thought' });
  const thinking = h('details', { class: 'thinking', hidden: true }, h('summary', null, icon('chevron'), t('thinking')), thought);
  const body = h('div', { class: 'prose', onclick: (/** @type {MouseEvent} */ e) => clicked(e) });
  const notice = h('div', { class: 'notice', hidden: true });
  const foot = h('footer', { class: 'answer-foot' });
  const root = h('article', { class: 'answer' }, h('h2', { class: 'visually-hidden' }, t('thread.answer')), status, thinking, notice, body, foot);
  /** @type {import('./page.js').Question | null} */
  let question = null;
  let drawnStage = '';
  let drawnState = '';

  const cite = (/** @type {number} */ n) => {
    const r = answer.references.find((r) => r.number === n) ?? (answer.state === 'pending' && n <= answer.references.length ? answer.references[0] : null);
    return r ? { label: t('cite.label', { n, document: r.number === n ? r.document : '' }) } : null;
  };
  const prose = createProse(body, { cite, copyLabel: t('copy'), taskLabel: t('task') });

  /** @param {MouseEvent} e */
  const clicked = (e) => {
    const el = e.target instanceof Element ? e.target.closest('button') : null;
    if (!el) return;
    const n = Number(el.getAttribute('data-cite'));
    if (n) {
      const reference = answer.references.find((r) => r.number === n);
      if (reference) to.evidence.open(reference, answer, el, claimAt(el));
    } else if (el.hasAttribute('data-copy')) copy(app, el.closest('.code')?.querySelector('pre, .long')?.textContent ?? '');
  };

  /** How many marks of the same number stand before this one. */
  const claimAt = (/** @type {Element} */ el) => [...body.querySelectorAll(`[data-cite="${el.getAttribute('data-cite')}"]`)].indexOf(el);

  const drawStatus = () => {
    if (answer.stage === drawnStage) return;
    drawnStage = answer.stage;
    const ended = answer.stage === 'ended';
    status.hidden = ended;
    root.classList.toggle('running', !ended);
    fill(status, ended ? null : [h('span', { class: 'pulse', 'aria-hidden': 'true' }), t(`stage.${answer.stage}`, { n: answer.references.length })]);
  };

  const drawNotice = () => {
    const key = { unsent: 'notice.unsent', failed: 'notice.failed', stopped: 'notice.stopped', interrupted: 'notice.interrupted' }[answer.state];
    const insufficient = answer.hitType === 'insufficient_context';
    notice.hidden = !key && !insufficient;
    notice.className = `notice ${insufficient ? 'insufficient' : answer.state}`;
    if (insufficient) fill(notice, icon('info'), h('div', null, h('strong', null, t('insufficient.title')), h('p', null, searched()), asked()));
    else if (key) fill(notice, icon(answer.state === 'stopped' ? 'stop' : 'warn'), h('div', null, t(key), why() && h('p', null, why())));
  };

  /** Why an answer failed: of a stored one the code is known. */
  const why = () => answer.error || (answer.state === 'failed' && app.words.has(`error.${answer.errorCode}`) ? t(`error.${answer.errorCode}`) : '');

  /** What was looked through before it was said that nothing answers. */
  const searched = () => {
    const documents = new Set(answer.references.map((r) => r.document));
    if (documents.size === 0) return t('insufficient.nothing');
    const names = app.words.list([...documents].slice(0, 4));
    return t('insufficient.searched', { passages: answer.references.length, documents: documents.size, names });
  };

  /** What the question was narrowed to, which may be why nothing answers it. */
  const asked = () => {
    const line = h('p', { hidden: true });
    const say = (/** @type {string[]} */ names) => {
      line.hidden = names.length === 0;
      line.textContent = t('insufficient.only', { names: app.words.list(names) });
    };
    if (question) say(question.names);
    else if (answer.narrowed) choicesOf(app, answer.narrowed).then((choices) => say(choices.map((c) => c.name))).catch(app.fail);
    return line;
  };

  const drawFoot = () => {
    const running = answer.state === 'pending';
    const rating = answer.messageID && answer.state === 'complete' ? feedback(app, answer) : null;
    fill(foot, running ? null : [
      h('div', { class: 'answer-line' },
        answer.confidence && answer.state === 'complete' && confidenceBadge(app, answer),
        h('div', { class: 'message-actions' },
          answer.text && copyButton(app, () => answer.text),
          action('retry', t('retry'), () => to.ask(question ?? to.again(to.question()))),
          answer.messageID && h('a', { class: 'quiet small', href: `/answers/${answer.messageID}`, title: t('why') }, icon('trace'), h('span', { class: 'action-label' }, t('why'))),
          rating?.buttons)),
      rating?.comment,
      claimList(app, answer),
      sourceLists(app, answer, to.evidence),
    ]);
  };

  const draw = () => {
    drawStatus();
    thinking.hidden = answer.thinking === '';
    if (thought.textContent !== answer.thinking) thought.textContent = answer.thinking;
    const ended = answer.state !== 'pending';
    // Of a stored answer the marks are known before it is drawn; of one that
    // was watched they come last.
    if (ended && drawnState === '') prose.mark(rangesOf(answer.text, shownClaims(answer), (c) => reasonOf(app.words, c)));
    prose.update(answer.stage === 'ended' ? answer.text : answer.text.replace(halfMark, ''));
    if (answer.state === drawnState) return;
    if (ended && drawnState !== '') prose.mark(rangesOf(answer.text, shownClaims(answer), (c) => reasonOf(app.words, c)));
    drawnState = answer.state;
    body.setAttribute('aria-busy', String(!ended));
    drawNotice();
    drawFoot();
  };

  return {
    root, answer, draw,
    set question(/** @type {import('./page.js').Question | null} */ q) {
      question = q;
    },
  };
}
