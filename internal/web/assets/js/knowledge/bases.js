// @ts-check
/**
 * All knowledge bases.
 *
 * @typedef {import('../main.js').App} App
 * @typedef {import('../api/types.js').KnowledgeBase} KnowledgeBase
 */
import { problemOf } from '../api/client.js';
import { openDialog } from '../ui/dialog.js';
import { fill, h, icon, uniqueID } from '../ui/dom.js';
import { tell } from '../ui/errors.js';

const kinds = /** @type {const} */ (['document', 'faq', 'wiki']);

/** @param {string} kind @returns {import('../ui/dom.js').IconName} */
export function kindIcon(kind) {
  return kind === 'faq' ? 'faq' : kind === 'wiki' ? 'wiki' : 'base';
}

/** @param {App} app */
export function show(app) {
  const { t, tn } = app.words;
  app.title(t('nav.knowledge'));
  const list = h('ul', { class: 'base-grid' });
  const make = h('button', { type: 'button', class: 'button primary', onclick: async () => {
    const made = await createBase(app);
    if (made) app.router.go(`/knowledge/${made.id}`);
  } }, icon('plus'), t('bases.new'));
  app.main.append(h('div', { class: 'page' }, h('header', { class: 'page-head' }, h('h1', null, t('nav.knowledge')), make), h('p', { class: 'lead' }, t('bases.text')), list));

  /** @param {KnowledgeBase} b */
  const card = (b) => h('li', null, h('a', { class: 'card', href: `/knowledge/${b.id}` },
    h('span', { class: 'card-icon' }, icon(kindIcon(b.kind))),
    h('span', { class: 'card-text' },
      h('strong', null, app.words.baseName(b.name)),
      b.description && h('span', { class: 'card-note' }, b.description),
      h('span', { class: 'hint' }, [t(`bases.kind.${b.kind}`), b.kind === 'faq' ? tn('bases.entries', b.documents) : b.kind === 'wiki' ? tn('wiki.count', b.documents) : tn('bases.documents', b.documents), b.visibility !== 'public' && t(`bases.visibility.${b.visibility}`)].filter(Boolean).join(' · ')))));

  app.client.call('listBases').then(({ items }) => fill(list, (items ?? []).map(card))).catch(app.fail);
}

/**
 * @param {App} app
 * @returns {Promise<KnowledgeBase | undefined>}
 */
function createBase(app) {
  const { t } = app.words;
  return openDialog(app.words, t('bases.new'), (/** @type {(b?: KnowledgeBase) => void} */ close) => {
    const name = h('input', { type: 'text', required: true, maxlength: '255', autocomplete: 'off', autofocus: true });
    const description = h('textarea', { rows: '2', maxlength: '2000' });
    const legend = uniqueID('kind');
    const problem = h('p', { class: 'field-error', role: 'alert' });
    const radios = kinds.map((kind, i) => h('label', { class: 'choice' },
      h('input', { type: 'radio', name: legend, value: kind, checked: i === 0 }), icon(kindIcon(kind)),
      h('span', null, h('strong', null, t(`bases.kind.${kind}`)), h('small', { class: 'hint' }, t(`bases.kind.${kind}.text`)))));
    const visibility = h('select', null, ['public', 'internal', 'private'].map((v) => h('option', { value: v }, t(`bases.visibility.${v}`))));
    const submit = async (/** @type {SubmitEvent} */ e) => {
      e.preventDefault();
      const kind = radios.map((r) => /** @type {HTMLInputElement} */ (r.querySelector('input'))).find((i) => i.checked)?.value;
      try {
        close(await app.client.call('createBase', { body: { name: name.value.trim(), description: description.value.trim(), kind, visibility: visibility.value } }));
      } catch (error) {
        problem.textContent = tell(app.words, problemOf(error));
        name.focus();
      }
    };
    return h('form', { onsubmit: submit },
      h('label', { class: 'field' }, h('span', null, t('bases.name')), name), problem,
      h('label', { class: 'field' }, h('span', null, t('bases.description')), description),
      h('fieldset', { class: 'choices' }, h('legend', null, t('bases.kind')), radios),
      h('label', { class: 'field' }, h('span', null, t('bases.visibility')), visibility),
      h('div', { class: 'actions' },
        h('button', { type: 'button', class: 'button', onclick: () => close() }, t('cancel')),
        h('button', { type: 'submit', class: 'button primary' }, t('bases.make'))));
  });
}
