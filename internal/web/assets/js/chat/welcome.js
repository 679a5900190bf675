// @ts-check
/**
 * What stands where no question was asked yet: on a server without documents,
 * the way to the first answer; else a few words.
 *
 * @typedef {import('../main.js').App} App
 */
import { fill, h, icon } from '../ui/dom.js';
import { addSamples, sampleQuestions } from './samples.js';

/**
 * @param {App} app
 * @param {(query: string) => void} ask
 */
export function welcome(app, ask) {
  const { t, tn } = app.words;
  const root = h('div', { class: 'welcome' });

  /** @param {string[]} questions */
  const suggestions = (questions) => h('ul', { class: 'suggestions', 'aria-label': t('welcome.try') },
    questions.map((q) => h('li', null, h('button', { type: 'button', class: 'suggestion', onclick: () => ask(q) }, q, icon('chevron')))));

  const ready = (/** @type {number} */ documents, /** @type {boolean} */ samples) => fill(root,
    h('h1', null, t('welcome.title')),
    h('p', { class: 'lead' }, tn('welcome.documents', documents)),
    samples && suggestions(sampleQuestions(app.words.lang)));

  const first = () => {
    const status = h('p', { class: 'hint', role: 'status' });
    const sample = h('button', { type: 'button', class: 'button primary', onclick: async () => {
      sample.disabled = true;
      status.textContent = t('welcome.loading');
      try {
        const documents = await addSamples(app);
        ready(documents, true);
        app.toasts.say(t('welcome.loaded'));
        root.querySelector('button')?.focus();
      } catch (error) {
        sample.disabled = false;
        status.textContent = '';
        app.fail(error);
      }
    } }, icon('faq'), t('welcome.sample'));
    fill(root,
      h('h1', null, t('welcome.first')),
      h('p', { class: 'lead' }, t('welcome.first.text')),
      h('ol', { class: 'steps' },
        h('li', null, h('span', { class: 'step' }, '1'), h('div', null, h('strong', null, t('welcome.step1')), h('p', null, t('welcome.step1.text')))),
        h('li', null, h('span', { class: 'step' }, '2'), h('div', null, h('strong', null, t('welcome.step2')), h('p', null, t('welcome.step2.text')))),
        h('li', null, h('span', { class: 'step' }, '3'), h('div', null, h('strong', null, t('welcome.step3')), h('p', null, t('welcome.step3.text'))))),
      h('div', { class: 'actions' }, sample, h('a', { class: 'button', href: '/knowledge/default' }, icon('upload'), t('welcome.own'))), status);
  };

  app.client.call('system').then(({ documents }) => {
    if (documents === 0) first();
    else app.client.call('listBases').then(({ items }) => ready(documents, (items ?? []).some((b) => b.name === t('sample.base')))).catch(app.fail);
  }).catch(app.fail);
  return root;
}
