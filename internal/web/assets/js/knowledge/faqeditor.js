// @ts-check
/**
 * One entry of an FAQ base: its questions, those that it must not answer, and
 * its answers.
 *
 * @typedef {import('../main.js').App} App
 * @typedef {import('../api/types.js').FAQ} FAQ
 */
import { problemOf } from '../api/client.js';
import { openDialog } from '../ui/dialog.js';
import { h, icon, iconButton, uniqueID } from '../ui/dom.js';
import { tell } from '../ui/errors.js';

/** @param {string} text one value a line */
const linesOf = (text) => text.split('\n').map((l) => l.trim()).filter(Boolean);

/**
 * @param {App} app
 * @param {string} base
 * @param {FAQ | null} entry null for a new one
 * @returns {Promise<FAQ | undefined>} what was stored
 */
export function editFAQ(app, base, entry) {
  const { t } = app.words;
  return openDialog(app.words, entry ? t('faq.edit') : t('faq.new'), (/** @type {(f?: FAQ) => void} */ close) => {
    const question = h('input', { type: 'text', required: true, maxlength: '1000', value: entry?.standard_question ?? '', autofocus: true, autocomplete: 'off' });
    const similar = h('textarea', { rows: '3', value: (entry?.similar_questions ?? []).join('\n') });
    const negative = h('textarea', { rows: '2', value: (entry?.negative_questions ?? []).join('\n') });
    const tags = h('input', { type: 'text', value: (entry?.tags ?? []).join(', '), autocomplete: 'off' });
    const answers = answerFields(app, entry?.answers?.length ? entry.answers : ['']);
    const strategy = h('select', null, ['all', 'random'].map((s) => h('option', { value: s, selected: s === entry?.answer_strategy }, t(`faq.strategy.${s}`))));
    const enabled = h('input', { type: 'checkbox', checked: entry?.enabled ?? true });
    const problem = h('p', { class: 'field-error', role: 'alert' });
    const submit = async (/** @type {SubmitEvent} */ e) => {
      e.preventDefault();
      const body = {
        standard_question: question.value.trim(), similar_questions: linesOf(similar.value), negative_questions: linesOf(negative.value),
        answers: answers.values(), answer_strategy: strategy.value, tags: tags.value.split(/[,，、]/).map((s) => s.trim()).filter(Boolean), enabled: enabled.checked,
      };
      try {
        close(await (entry ? app.client.call('changeFAQ', { id: base, params: { entry_id: entry.id }, body }) : app.client.call('createFAQ', { id: base, body })));
      } catch (error) {
        problem.textContent = tell(app.words, problemOf(error));
        problem.scrollIntoView({ block: 'nearest' });
      }
    };
    return h('form', { onsubmit: submit },
      h('label', { class: 'field' }, h('span', null, t('faq.question')), question),
      h('label', { class: 'field' }, h('span', null, t('faq.similar')), similar, h('small', null, t('faq.lines'))),
      h('label', { class: 'field' }, h('span', null, t('faq.negative')), negative, h('small', null, t('faq.negative.text'))),
      answers.root,
      h('div', { class: 'field-row' },
        h('label', { class: 'field' }, h('span', null, t('faq.strategy')), strategy),
        h('label', { class: 'field' }, h('span', null, t('faq.tags')), tags)),
      h('label', { class: 'check' }, enabled, t('faq.enabled')), problem,
      h('div', { class: 'actions' },
        h('button', { type: 'button', class: 'button', onclick: () => close() }, t('cancel')),
        h('button', { type: 'submit', class: 'button primary' }, t('save'))));
  }, { wide: true });
}

/** Any number of answers. @param {App} app @param {string[]} values */
function answerFields(app, values) {
  const { t } = app.words;
  const list = h('div', { class: 'answer-fields' });
  const legend = uniqueID('answers');
  /** @param {string} value */
  const add = (value) => {
    const area = h('textarea', { rows: '3', value, required: true, 'aria-labelledby': legend });
    const line = h('div', { class: 'answer-field' }, area, iconButton('trash', t('faq.answer.remove'), () => {
      if (list.childElementCount > 1) line.remove();
      else area.value = '';
    }));
    list.append(line);
    return area;
  };
  values.forEach(add);
  const more = h('button', { type: 'button', class: 'quiet small', onclick: () => add('').focus() }, icon('plus'), t('faq.answer.add'));
  return {
    root: h('div', { class: 'field', role: 'group', 'aria-labelledby': legend }, h('span', { id: legend }, t('faq.answers')), list, h('div', null, more)),
    values: () => [...list.querySelectorAll('textarea')].map((a) => a.value.trim()).filter(Boolean),
  };
}
