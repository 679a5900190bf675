// @ts-check
/**
 * Where questions are written: the text, the bases, folders and documents that
 * it asks (named after an at sign), send and stop. Enter sends, Shift+Enter breaks the line; an
 * input method that is composing keeps its Enter.
 *
 * @typedef {import('../main.js').App} App
 * @typedef {import('./page.js').Question} Question
 * @typedef {{ kind: 'base' | 'folder' | 'document', id: string, name: string }} Choice
 */
import { fill, h, icon, iconButton } from '../ui/dom.js';
import { createAssistantChoice } from './assistants.js';
import { choicesOf } from './choices.js';
import { attachMentions, marks } from './mention.js';

const longest = 10_000;

/**
 * @param {App} app
 * @param {{ sessionID: string, ask: (q: Question) => Promise<boolean>, stop: () => void }} to
 */
export function createComposer(app, to) {
  const { t } = app.words;
  let { sessionID } = to;
  let running = false;
  /** @type {Choice[]} */
  let chosen = [];

  const chips = h('ul', { class: 'chips', 'aria-label': t('composer.scope') });
  const text = h('textarea', {
    rows: '1', placeholder: t('composer.placeholder'), 'aria-label': t('composer.label'), maxlength: longest, enterkeyhint: 'send',
    oninput: () => changed(), onkeydown: (/** @type {KeyboardEvent} */ e) => key(e),
  });
  const send = iconButton('send', t('composer.send'), () => submit(), { class: 'icon-button send', disabled: true });
  const stop = iconButton('stop', t('composer.stop'), () => to.stop(), { class: 'icon-button send stop', hidden: true });
  const at = iconButton('at', t('composer.mention'), () => mentions.begin());
  const hint = h('p', { class: 'composer-hint' }, t('composer.hint'));
  const assistants = createAssistantChoice(app);
  const tools = h('div', { class: 'composer-tools' }, at, assistants.root);
  const box = h('div', { class: 'composer-box' }, chips, text, h('div', { class: 'composer-row' }, tools, h('span', { class: 'spacer' }), stop, send));
  const root = h('form', { class: 'composer', 'aria-label': t('composer.form'), onsubmit: (/** @type {Event} */ e) => e.preventDefault() }, box, hint);

  const mentions = attachMentions(app, text, box, (choice) => {
    // Whoever names a folder or a document wants no whole base around it, and the other way round.
    chosen = [...chosen.filter((c) => c.id !== choice.id && (c.kind === 'base') === (choice.kind === 'base')), choice];
    drawChips();
  });

  const drawChips = () => {
    chips.hidden = chosen.length === 0;
    fill(chips, chosen.map((c) => h('li', { class: 'chip' }, icon(marks[c.kind]), h('span', null, c.name),
      iconButton('close', t('composer.remove', { name: c.name }), () => {
        chosen = chosen.filter((other) => other !== c);
        drawChips();
        text.focus();
      }))));
  };

  const changed = () => {
    send.disabled = running || text.value.trim() === '';
    app.prefs.setDraft(sessionID, text.value);
  };

  /** @param {KeyboardEvent} e */
  const key = (e) => {
    if (e.isComposing || e.keyCode === 229 || mentions.key(e)) return;
    if (e.key === 'Enter' && !e.shiftKey) {
      e.preventDefault();
      submit();
    } else if (e.key === 'Escape' && running) to.stop();
  };

  /** A question with what is chosen. @param {string} query @returns {Question} */
  const asking = (query) => {
    const of = (/** @type {Choice['kind']} */ kind) => chosen.filter((c) => c.kind === kind).map((c) => c.id);
    return { query, bases: of('base'), folders: of('folder'), documents: of('document'), assistant: assistants.chosen(), names: chosen.map((c) => c.name) };
  };

  const submit = async () => {
    const query = text.value.trim();
    if (!query || running) return;
    const question = asking(query);
    app.prefs.setDraft(sessionID, '');
    mentions.leave();
    text.value = '';
    changed();
    if (!(await to.ask(question)) && text.value === '') set(query);
  };

  const set = (/** @type {string} */ value) => {
    text.value = value;
    changed();
  };

  set(app.prefs.draft(sessionID));
  drawChips();

  return {
    root,
    assistants,
    asking,
    focus: () => text.focus({ preventScroll: true }),
    busy(/** @type {boolean} */ on) {
      running = on;
      stop.hidden = !on;
      send.hidden = on;
      changed();
    },
    /** The conversation has an id now. */
    moved(/** @type {string} */ id) {
      app.prefs.setDraft(sessionID, '');
      sessionID = id;
    },
    /** Puts a question back to be changed. */
    edit(/** @type {string} */ value) {
      set(value);
      text.focus();
      text.setSelectionRange(value.length, value.length);
    },
    /** A question that was not taken is there again, unless another was begun. */
    giveBack(/** @type {Question} */ question) {
      if (text.value === '') set(question.query);
    },
    /** Offers what the last question chose. */
    async restore(/** @type {import('../api/types.js').Session} */ session) {
      assistants.choose(session.assistant_id);
      chosen = await choicesOf(app, session.last_request);
      drawChips();
    },
    leave: () => mentions.leave(),
  };
}
