// @ts-check
/**
 * The messages of a conversation. Older ones are loaded as the reader comes
 * near to the start, and those far below are let go, so that a conversation
 * of any length costs the same.
 *
 * @typedef {import('../main.js').App} App
 * @typedef {import('../api/types.js').Message} Message
 * @typedef {import('../api/types.js').History} History
 * @typedef {import('./message.js').AnswerView} AnswerView
 */
import { h, icon } from '../ui/dom.js';
import { createAnswer, questionElement } from './message.js';
import { storedAnswer } from './turn.js';

/** Messages that are in the document at once, at most. */
const most = 200;
/** Messages that are loaded at a time: few, so that no frame is long. */
const pageSize = 20;

/**
 * @param {App} app
 * @param {{ evidence: ReturnType<typeof import('./evidence.js').createEvidence>, ask: (q: import('./page.js').Question) => any, again: (query: string) => import('./page.js').Question, edit: (text: string) => void }} to
 */
export function createThread(app, to) {
  const { t } = app.words;
  const list = h('ol', { class: 'thread', 'aria-label': t('thread.label') });
  const top = h('div', { class: 'sentinel' });
  const bottom = h('div', { class: 'sentinel' });
  const latest = h('button', { type: 'button', class: 'button latest', hidden: true, onclick: () => jump() }, icon('download'), t('thread.latest'));
  const root = h('div', { class: 'thread-scroll', tabindex: '-1' }, top, list, bottom, latest);

  let sessionID = '';
  let before = 0; // order of the first message here
  let behind = 0; // order of the last message here that is stored
  let hasOlder = false;
  let hasNewer = false;
  let loading = false;
  let following = true; // whether the end is in sight, and stays so
  /** @type {Set<AnswerView>} what changed since the last frame */
  const stale = new Set();
  let frame = 0;

  /** @param {Message} m @returns {HTMLElement} */
  const element = (m) => {
    if (m.role === 'user') return wrap(questionElement(app, m.content, to.edit), m.order);
    const view = createAnswer(app, storedAnswer(m), { ...to, question: () => questionBefore(view.root) });
    view.draw();
    return wrap(view.root, m.order);
  };

  /** @param {HTMLElement} el @param {number} order 0 for one that is not stored */
  const wrap = (el, order) => h('li', { class: 'round', 'data-order': order || null }, el);

  /** @param {Element} el */
  const questionBefore = (el) => el.closest('li')?.previousElementSibling?.querySelector('.question-text')?.textContent ?? '';

  /** Keeps what is looked at where it is while `change` adds or takes above. */
  const anchored = (/** @type {() => void} */ change) => {
    const fixed = [...list.children].find((el) => el.getBoundingClientRect().bottom > root.getBoundingClientRect().top);
    const was = fixed?.getBoundingClientRect().top ?? 0;
    change();
    if (fixed?.isConnected) root.scrollTop += fixed.getBoundingClientRect().top - was;
  };

  const bounds = () => {
    const orders = [...list.querySelectorAll('li[data-order]')].map((li) => Number(li.getAttribute('data-order')));
    before = orders[0] ?? 0;
    behind = orders.at(-1) ?? 0;
  };

  const older = async () => {
    if (!hasOlder || loading) return;
    loading = true;
    try {
      const page = await app.client.call('messages', { id: sessionID, query: { before, limit: pageSize } });
      hasOlder = page.has_more;
      anchored(() => {
        list.prepend(...(page.items ?? []).map(element));
        while (list.childElementCount > most && !isLive(list.lastElementChild)) {
          list.lastElementChild?.remove();
          hasNewer = true;
        }
      });
      bounds();
    } catch (error) {
      app.fail(error);
    }
    loading = false;
    lookAgain();
  };

  const newer = async () => {
    if (!hasNewer || loading) return;
    loading = true;
    try {
      const page = await app.client.call('messages', { id: sessionID, query: { before: behind + pageSize + 1, limit: pageSize } });
      const items = (page.items ?? []).filter((m) => m.order > behind);
      hasNewer = items.length === pageSize;
      anchored(() => {
        list.append(...items.map(element));
        while (list.childElementCount > most) {
          list.firstElementChild?.remove();
          hasOlder = true;
        }
      });
      bounds();
    } catch (error) {
      app.fail(error);
    }
    loading = false;
    lookAgain();
  };

  /** Short messages may leave an end in sight, of which nothing tells then. */
  const lookAgain = () => {
    for (const end of [top, bottom]) {
      sight.unobserve(end);
      sight.observe(end);
    }
  };

  /** Whether a message is not stored yet, or still written. */
  const isLive = (/** @type {Element | null} */ li) => !li?.hasAttribute('data-order');

  const sight = new IntersectionObserver((entries) => {
    for (const e of entries) {
      if (!e.isIntersecting || !sessionID) continue;
      if (e.target === top) older();
      else newer();
    }
  }, { root, rootMargin: '2000px 0px' });
  sight.observe(top);
  sight.observe(bottom);

  const atEnd = () => root.scrollHeight - root.scrollTop - root.clientHeight < 48;
  let lastTop = 0;
  root.addEventListener('scroll', () => {
    if (root.scrollTop < lastTop && !atEnd()) following = false;
    else if (atEnd()) following = !hasNewer;
    lastTop = root.scrollTop;
    latest.hidden = following && !hasNewer;
  }, { passive: true });

  const toEnd = (/** @type {boolean} */ force) => {
    if (!force && !following) return;
    following = true;
    root.scrollTop = root.scrollHeight;
  };

  /** To the end of the conversation, which may have been let go. */
  const jump = async () => {
    if (hasNewer) {
      const page = await app.client.call('messages', { id: sessionID, query: { limit: pageSize } });
      load(sessionID, page);
    }
    toEnd(true);
    latest.hidden = true;
  };

  const drawStale = () => {
    frame = 0;
    for (const view of stale) view.draw();
    stale.clear();
    toEnd(false);
  };

  // What grows after it was drawn, a long answer for one, keeps the end in sight.
  const grown = new ResizeObserver(() => toEnd(false));
  grown.observe(list);

  /** @param {string} id @param {History} history */
  const load = (id, history) => {
    sessionID = id;
    hasOlder = history.has_more;
    hasNewer = false;
    list.replaceChildren(...(history.items ?? []).filter((m) => m.state !== 'pending' || m.role === 'user').map(element));
    bounds();
    toEnd(true);
  };

  return {
    root,
    load,
    toEnd,
    /** Shows a question that was just asked. */
    question(/** @type {string} */ text) {
      const el = questionElement(app, text, to.edit);
      list.append(wrap(el, 0));
      return el;
    },
    /**
     * Shows an answer that is being written.
     * @param {string} id
     * @param {import('./turn.js').Answer} answer
     * @returns {AnswerView}
     */
    answer(id, answer) {
      const view = createAnswer(app, answer, { ...to, question: () => questionBefore(view.root) });
      list.append(wrap(view.root, 0));
      view.draw();
      toEnd(true);
      return view;
    },
    /** Draws an answer in the next frame. */
    draw(/** @type {AnswerView} */ view) {
      stale.add(view);
      frame ||= requestAnimationFrame(drawStale);
    },
    leave() {
      cancelAnimationFrame(frame);
      sight.disconnect();
      grown.disconnect();
    },
  };
}
