// @ts-check
/** The sign-in: asks for the API key of a server that wants one. */
import { h } from './ui/dom.js';
import { openDialog } from './ui/dialog.js';

/** @type {WeakMap<object, Promise<boolean>>} one dialog at a time, for each store of preferences */
const asking = new WeakMap();

/**
 * @param {import('./i18n.js').I18n} words
 * @param {import('./prefs.js').Prefs} prefs
 * @returns {Promise<boolean>} whether there is a key now that was not refused yet
 */
export function askForKey(words, prefs) {
  const open = asking.get(prefs);
  if (open) return open;
  const answer = show(words, prefs).finally(() => asking.delete(prefs));
  asking.set(prefs, answer);
  return answer;
}

/**
 * @param {import('./i18n.js').I18n} words
 * @param {import('./prefs.js').Prefs} prefs
 * @returns {Promise<boolean>}
 */
async function show(words, prefs) {
  const { t } = words;
  const refused = prefs.key() !== '';
  prefs.setKey('', false);
  const done = await openDialog(words, t('signin.title'), (/** @type {(v?: boolean) => void} */ close) => {
    const key = h('input', { type: 'password', required: true, autocomplete: 'current-password', autofocus: true, 'aria-describedby': 'signin-help' });
    const keep = h('input', { type: 'checkbox' });
    const problem = h('p', { class: 'field-error', role: 'alert' }, refused && t('signin.refused'));
    const submit = async (/** @type {SubmitEvent} */ e) => {
      e.preventDefault();
      const value = key.value.trim();
      if (!value) return;
      try {
        const response = await fetch('/api/v1/system', { headers: { Authorization: `Bearer ${value}` } });
        if (response.status === 401) {
          problem.textContent = t('signin.refused');
          key.select();
          return;
        }
        prefs.setKey(value, keep.checked);
        close(true);
      } catch {
        problem.textContent = t('error.network');
      }
    };
    return h('form', { onsubmit: submit, class: 'signin' },
      h('p', { id: 'signin-help' }, t('signin.help')),
      h('label', { class: 'field' }, h('span', null, t('signin.key')), key),
      problem,
      h('label', { class: 'check' }, keep, t('signin.keep')),
      h('div', { class: 'actions' }, h('button', { type: 'submit', class: 'button primary' }, t('signin.action'))));
  }, { locked: true });
  return done === true;
}
