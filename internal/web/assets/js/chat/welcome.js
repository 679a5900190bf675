// @ts-check
/**
 * What stands where no question was asked yet: on a server without documents,
 * the way to the first answer; else a few words.
 *
 * @typedef {import('../main.js').App} App
 */
import { fill, h, icon } from '../ui/dom.js';
import { addSamples, loadDemo, sampleQuestions } from './samples.js';

/**
 * @param {App} app
 * @param {import('./assistants.js').AssistantChoice} assistants
 * @param {(query: string) => void} ask
 */
export function welcome(app, assistants, ask) {
  const { t, tn } = app.words;
  const root = h('div', { class: 'welcome' });

  /** @param {readonly string[]} questions */
  const suggestions = (questions) => h('ul', { class: 'suggestions', 'aria-label': t('welcome.try') },
    questions.map((q) => h('li', null, h('button', { type: 'button', class: 'suggestion', onclick: () => ask(q) }, q, icon('chevron')))));

  const ready = (/** @type {number} */ documents, /** @type {boolean} */ samples) => {
    const draw = () => {
      const own = assistants.questions();
      const questions = own.length > 0 ? own : samples ? sampleQuestions(app.words.lang) : [];
      fill(root,
        h('h1', null, t('welcome.title')),
        h('p', { class: 'lead' }, tn('welcome.documents', documents)),
        questions.length > 0 && suggestions(questions));
    };
    assistants.changed(draw);
    draw();
  };

  const first = () => {
    const status = h('p', { class: 'hint', role: 'status' });
    /** @param {() => Promise<number>} load what can be tried, and gives how many documents can be asked then */
    const attempt = (load) => async () => {
      sample.disabled = demo.disabled = true;
      status.textContent = t('welcome.loading');
      try {
        ready(await load(), true);
        app.toasts.say(t('welcome.loaded'));
        root.querySelector('button')?.focus();
      } catch (error) {
        sample.disabled = demo.disabled = false;
        status.textContent = '';
        app.fail(error);
      }
    };
    const sample = h('button', { type: 'button', class: 'button', onclick: attempt(() => addSamples(app)) }, icon('file'), t('welcome.sample'));
    const demo = h('button', { type: 'button', class: 'button primary', onclick: attempt(() => loadDemo(app, assistants)) }, icon('faq'), t('welcome.demo'));
    fill(root,
      h('h1', null, t('welcome.first')),
      h('p', { class: 'lead' }, t('welcome.first.text')),
      h('ol', { class: 'steps' },
        h('li', null, h('span', { class: 'step' }, '1'), h('div', null, h('strong', null, t('welcome.step1')), h('p', null, t('welcome.step1.text')))),
        h('li', null, h('span', { class: 'step' }, '2'), h('div', null, h('strong', null, t('welcome.step2')), h('p', null, t('welcome.step2.text')))),
        h('li', null, h('span', { class: 'step' }, '3'), h('div', null, h('strong', null, t('welcome.step3')), h('p', null, t('welcome.step3.text'))))),
      h('div', { class: 'actions' }, demo, sample, h('a', { class: 'button', href: '/knowledge/default' }, icon('upload'), t('welcome.own'))), status);
  };

  app.client.call('system').then(({ documents }) => {
    if (documents === 0) first();
    else app.client.call('listBases').then(({ items }) => ready(documents, (items ?? []).some((b) => b.name === t('sample.base')))).catch(app.fail);
  }).catch(app.fail);
  return root;
}
