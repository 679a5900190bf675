// @ts-check
/**
 * Who answers, where there is more than one to choose from.
 *
 * @typedef {import('../api/types.js').Assistant} Assistant
 */
import { append, h } from '../ui/dom.js';

/** @param {import('../main.js').App} app */
export function createAssistantChoice(app) {
  const { t } = app.words;
  const select = h('select', { 'aria-label': t('assistant.label') });
  const root = h('div', { class: 'assistant-choice', hidden: true }, select);
  let wanted = '';

  app.client.call('listAssistants').then(({ items }) => {
    const all = items ?? [];
    append(select, all.map((a) => h('option', { value: a.id, title: a.description }, a.assistant_name || a.id)));
    if (wanted) select.value = wanted;
    if (select.selectedIndex < 0) select.selectedIndex = 0;
    root.hidden = all.length < 2;
  }).catch(() => {
    root.hidden = true; // a question without a choice goes to the default
  });

  return {
    root,
    /** '' means whoever the conversation has. */
    chosen: () => (root.hidden ? '' : select.value),
    choose(/** @type {string} */ id) {
      wanted = id;
      if (select.options.length > 0) select.value = id;
    },
  };
}
