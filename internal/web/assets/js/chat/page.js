// @ts-check
/**
 * A conversation: its messages, the composer, and the evidence beside them.
 *
 * @typedef {import('../main.js').App} App
 * @typedef {import('../api/types.js').Message} Message
 * @typedef {{ query: string, bases: string[], folders: string[], documents: string[], assistant: string, names: string[] }} Question names are those of the bases, folders and documents
 */
import { problemOf } from '../api/client.js';
import { h } from '../ui/dom.js';
import { tell } from '../ui/errors.js';
import { createComposer } from './composer.js';
import { createEvidence } from './evidence.js';
import { createThread } from './thread.js';
import { createTurn, emptyAnswer, storedAnswer } from './turn.js';
import { welcome } from './welcome.js';

/**
 * @param {App} app
 * @param {import('../router.js').Place} place
 */
export function show(app, place) {
  const page = new ChatPage(app, place.params.session ?? '');
  page.open();
  return () => page.leave();
}

class ChatPage {
  /** @param {App} app @param {string} sessionID '' before the first question */
  constructor(app, sessionID) {
    this.app = app;
    this.sessionID = sessionID;
    this.left = false;
    /** @type {ReturnType<typeof createTurn> | null} the one that is being answered */
    this.turn = null;
    /** @type {Set<ReturnType<typeof createTurn>>} those that are listened to: a title may come after the answer */
    this.heard = new Set();
    this.evidence = createEvidence(app);
    this.thread = createThread(app, {
      evidence: this.evidence,
      ask: (question) => this.ask(question),
      again: (query) => this.composer.asking(query),
      edit: (text) => this.composer.edit(text),
    });
    this.composer = createComposer(app, { sessionID, ask: (question) => this.ask(question), stop: () => this.turn?.stop().catch(app.fail) });
    this.intro = h('div', { class: 'intro' });
    this.heading = h('h1', { class: 'visually-hidden', hidden: true });
    this.column = h('div', { class: 'chat-column' }, this.heading, this.thread.root, this.intro, this.composer.root);
    this.evidence.beside(this.column);
  }

  async open() {
    const { app } = this;
    app.main.append(h('div', { class: 'chat' }, this.column, this.evidence.root));
    app.title('');
    if (!this.sessionID) {
      this.column.classList.add('fresh');
      this.intro.append(welcome(app, this.composer.assistants, (query) => this.ask(this.composer.asking(query))));
      this.composer.focus();
      return;
    }
    try {
      const [session, history] = await Promise.all([
        app.client.call('session', { id: this.sessionID }),
        app.client.call('messages', { id: this.sessionID, query: { limit: 50 } }),
      ]);
      if (this.left) return;
      app.sessions.put(session);
      this.name(session.title);
      this.composer.restore(session);
      this.thread.load(this.sessionID, history);
      this.takeUp(history.items?.at(-1));
      if ((history.items ?? []).length === 0) this.composer.focus();
    } catch (error) {
      if (!this.left) this.lost(error);
    }
  }

  /** Tells the conversation's title to the window and to screen readers. */
  name(/** @type {string} */ title) {
    this.app.title(title);
    this.heading.hidden = false;
    this.heading.textContent = title || this.app.words.t('sessions.untitled');
  }

  /** Says that the conversation cannot be shown. */
  lost(/** @type {unknown} */ error) {
    const { t } = this.app.words;
    const problem = problemOf(error);
    this.composer.root.hidden = true;
    this.intro.append(h('div', { class: 'empty' },
      h('h1', null, problem.code === 'not_found' ? t('chat.gone') : t('chat.unreadable')),
      h('p', null, problem.code === 'not_found' ? t('chat.gone.text') : tell(this.app.words, problem)),
      h('p', null, problem.code === 'not_found'
        ? h('a', { class: 'button primary', href: '/' }, t('nav.new'))
        : h('button', { type: 'button', class: 'button primary', onclick: () => this.app.router.refresh() }, t('retry')))));
  }

  /** Goes on reading an answer that is still written. */
  takeUp(/** @type {Message | undefined} */ message) {
    if (message?.role !== 'assistant' || message.state !== 'pending') return;
    const answer = storedAnswer(message);
    const view = this.thread.answer(message.id, answer);
    this.follow(view, answer, (turn) => turn.resume());
  }

  /** @param {Question} question */
  async ask(question) {
    const { app } = this;
    if (this.turn) {
      app.toasts.info(app.words.t('announce.pending'));
      return false;
    }
    if (!this.sessionID && !(await this.openSession())) return false;
    this.intro.replaceChildren();
    this.name(this.app.sessions.get(this.sessionID)?.title ?? '');
    this.column.classList.remove('fresh');
    const asked = this.thread.question(question.query);
    const answer = emptyAnswer();
    const view = this.thread.answer('', answer);
    view.question = question;
    app.sessions.touch(this.sessionID);
    const body = {
      query: question.query,
      citation_style: 'numbers', // the page draws numbers, whatever the assistant's own style is
      ...(question.bases.length > 0 && { knowledge_base_ids: question.bases }),
      ...(question.assistant && { assistant_id: question.assistant }),
      ...(question.folders.length > 0 && { folder_ids: question.folders }),
      ...(question.documents.length > 0 && { knowledge_ids: question.documents }),
    };
    this.thread.toEnd(true);
    return this.follow(view, answer, async (turn) => {
      try {
        await turn.ask(body);
      } catch (error) {
        await this.unsent(asked, view, question, problemOf(error));
      }
    });
  }

  /** A conversation begins with its first question. */
  async openSession() {
    try {
      const session = await this.app.client.call('createSession', { body: {} });
      this.sessionID = session.id;
      this.composer.moved(session.id);
      this.thread.load(session.id, { items: [], has_more: false });
      this.app.sessions.put(session);
      this.app.router.go(`/chat/${session.id}`, { quiet: true });
      this.app.current(session.id);
      return true;
    } catch (error) {
      this.app.fail(error);
      return false;
    }
  }

  /**
   * @param {import('./message.js').AnswerView} view
   * @param {import('./turn.js').Answer} answer
   * @param {(turn: ReturnType<typeof createTurn>) => Promise<void>} run
   */
  async follow(view, answer, run) {
    const turn = createTurn({
      client: this.app.client, sessionID: this.sessionID, answer,
      changed: () => {
        this.thread.draw(view);
        if (answer.stage === 'ended') this.settled(turn, answer);
      },
      titled: (title) => {
        this.app.sessions.titled(this.sessionID, title);
        if (!this.left) this.name(title);
      },
    });
    this.turn = turn;
    this.heard.add(turn);
    this.composer.busy(true);
    try {
      await run(turn);
    } catch (error) {
      answer.state = 'failed';
      answer.stage = 'ended';
      answer.error = tell(this.app.words, problemOf(error));
    }
    this.heard.delete(turn);
    if (this.left) return true;
    this.thread.draw(view);
    this.settled(turn, answer);
    return true;
  }

  /**
   * Lets the next question be asked once an answer has ended, whatever its
   * connection is still open for.
   * @param {ReturnType<typeof createTurn>} turn
   * @param {import('./turn.js').Answer} answer
   */
  settled(turn, answer) {
    if (this.turn !== turn || this.left) return;
    this.turn = null;
    this.composer.busy(false);
    this.app.toasts.say(this.app.words.t(`announce.${answer.state}`));
  }

  /**
   * The question did not get an answer that can be followed. Where only the
   * connection broke, the server may have it all the same.
   * @param {HTMLElement} asked
   * @param {import('./message.js').AnswerView} view
   * @param {Question} question
   * @param {import('../api/client.js').Problem} problem
   */
  async unsent(asked, view, question, problem) {
    if (problem.code === 'network') {
      const arrived = await this.arrived(question.query).catch(() => null);
      if (arrived) {
        Object.assign(view.answer, storedAnswer(arrived));
        this.thread.draw(view);
        if (arrived.state === 'pending') await this.turn?.resume();
        return;
      }
    }
    asked.classList.add('unsent');
    this.composer.giveBack(question);
    view.answer.state = 'unsent';
    view.answer.stage = 'ended';
    view.answer.error = tell(this.app.words, problem);
    if (problem.code === 'not_found') this.app.toasts.error(this.app.words.t('chat.gone.text'));
  }

  /** The answer to a question, if the server has begun one. */
  async arrived(/** @type {string} */ query) {
    const { items } = await this.app.client.call('messages', { id: this.sessionID, query: { limit: 2 } });
    const [asked, answer] = items ?? [];
    return asked?.role === 'user' && asked.content === query && answer?.role === 'assistant' ? answer : null;
  }

  leave() {
    this.left = true;
    for (const turn of this.heard) turn.leave();
    this.composer.leave();
    this.thread.leave();
  }
}
