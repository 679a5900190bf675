// @ts-check
/**
 * Who answers, where there is more than one to choose from.
 *
 * @typedef {import('../api/types.js').Assistant} Assistant
 * @typedef {ReturnType<typeof createAssistantChoice>} AssistantChoice
 */
import { fill, h } from '../ui/dom.js';

/** @param {import('../main.js').App} app */
export function createAssistantChoice(app) {
  const { t } = app.words;
  /** @type {Assistant[]} */
  let all = [];
  let wanted = '';
  let heard = () => {};
  const select = h('select', { 'aria-label': t('assistant.label'), onchange: () => {
    wanted = select.value;
    heard();
  } });
  const root = h('div', { class: 'assistant-choice', hidden: true }, select);

  const load = async () => {
    try {
      all = (await app.client.call('listAssistants')).items ?? [];
      fill(select, all.map((a) => h('option', { value: a.id, title: a.description }, a.assistant_name || a.id)));
      take();
      root.hidden = all.length < 2;
    } catch {
      root.hidden = true; // a question without a choice goes to the default
    }
  };
  const take = () => {
    if (wanted) select.value = wanted;
    if (select.selectedIndex < 0) select.selectedIndex = 0;
    heard();
  };
  load();

  return {
    root,
    /** '' means whoever the conversation has. */
    chosen: () => (root.hidden ? '' : select.value),
    choose(/** @type {string} */ id) {
      wanted = id;
      if (select.options.length > 0) take();
    },
    /** Looks for new ones, and chooses. */
    async reload(/** @type {string} */ id) {
      wanted = id;
      await load();
    },
    /** What the chosen one offers to be asked. */
    questions: () => all.find((a) => a.id === select.value)?.example_questions ?? [],
    /** Calls back when another is chosen. */
    changed(/** @type {() => void} */ f) {
      heard = f;
    },
  };
}
