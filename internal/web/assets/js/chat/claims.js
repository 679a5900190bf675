// @ts-check
/**
 * The claims of an answer that no source carries, in words: what is underlined
 * in the text can also be read here, with the reason.
 *
 * @typedef {import('./turn.js').Unsupported} Unsupported
 */
import { h, icon } from '../ui/dom.js';

/** @param {import('../i18n.js').I18n} words @param {Unsupported} claim */
export function reasonOf({ t, list }, claim) {
  const missing = claim.missing ?? [];
  return missing.length > 0 ? t('claim.missing', { missing: list(missing) }) : t(`claim.${claim.reason}`);
}

/** Claims that are listed and underlined, at most: a long text of a model's own may hold a hundred thousand. */
const most = 200;

/** The claims that are shown. @param {import('./turn.js').Answer} answer */
export const shownClaims = (answer) => answer.unsupported.slice(0, most);

/**
 * @param {import('../main.js').App} app
 * @param {import('./turn.js').Answer} answer
 * @returns {HTMLElement | null} null where every claim is carried
 */
export function claimList(app, answer) {
  if (answer.unsupported.length === 0) return null;
  return h('details', { class: 'claims' },
    h('summary', null, icon('chevron'), app.words.tn('claims', answer.unsupported.length)),
    h('ul', null, shownClaims(answer).map((c) => h('li', null, h('q', null, c.text), ' ', h('span', null, reasonOf(app.words, c)))),
      answer.unsupported.length > most && h('li', null, app.words.t('claims.first', { n: most }))));
}
