// @ts-check
/**
 * Useful or not, with a comment for whoever looks after the knowledge. A
 * second press on another button changes the rating.
 */
import { fill, h, icon } from '../ui/dom.js';

/**
 * @param {import('../main.js').App} app
 * @param {import('./turn.js').Answer} answer
 * @returns {{ buttons: HTMLElement, comment: HTMLElement }} comment is empty until something was pressed
 */
export function feedback(app, answer) {
  const { t } = app.words;
  const comment = h('div', { class: 'feedback' });
  /** @param {string} rating @param {string} text */
  const send = (rating, text) => app.client.call('rate', { id: answer.messageID, body: { rating, ...(text && { comment: text }) } });

  /** @param {string} rating */
  const ask = (rating) => {
    const input = h('input', { type: 'text', maxlength: '2000', 'aria-label': t(`feedback.${rating}.comment`), placeholder: t(`feedback.${rating}.comment`), autocomplete: 'off' });
    fill(comment, h('form', { class: 'search-form', onsubmit: async (/** @type {SubmitEvent} */ e) => {
      e.preventDefault();
      try {
        if (input.value.trim()) await send(rating, input.value.trim());
        fill(comment, h('p', { class: 'hint', role: 'status' }, t('feedback.thanks')));
      } catch (error) {
        app.fail(error);
      }
    } }, input, h('button', { type: 'submit', class: 'button' }, t('feedback.send'))));
    input.focus({ preventScroll: true });
  };

  const buttons = /** @type {const} */ ([['useful', 'up'], ['not_useful', 'down']]).map(([rating, mark]) => {
    const button = h('button', { type: 'button', class: 'quiet small', 'aria-pressed': String(answer.rating === rating), 'aria-label': t(`feedback.${rating}`), title: t(`feedback.${rating}`), onclick: async () => {
      try {
        await send(rating, '');
        answer.rating = rating;
        for (const b of buttons) b.setAttribute('aria-pressed', String(b === button));
        ask(rating);
      } catch (error) {
        app.fail(error);
      }
    } }, icon(mark));
    return button;
  });
  return { buttons: h('span', { class: 'feedback-buttons' }, buttons), comment };
}
