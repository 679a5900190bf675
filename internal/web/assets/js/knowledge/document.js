// @ts-check
/** The page for an address that leads nowhere. */
import { h } from '../ui/dom.js';

/** @param {import('../main.js').App} app */
export function show(app) {
  const { t } = app.words;
  app.title(t('missing.title'));
  app.main.append(h('div', { class: 'empty' }, h('h1', null, t('missing.title')), h('p', null, t('missing.text')), h('p', null, h('a', { class: 'button primary', href: '/' }, t('nav.chat')))));
}
