// @ts-check
/**
 * Import of FAQ entries from a file: first a dry run that says, line by line,
 * what is wrong or there already; then the import.
 *
 * @typedef {import('../main.js').App} App
 */
import { problemOf } from '../api/client.js';
import { openDialog } from '../ui/dialog.js';
import { fill, h, icon } from '../ui/dom.js';
import { save } from '../ui/download.js';
import { fileField } from '../ui/filefield.js';
import { tell } from '../ui/errors.js';

/**
 * @param {App} app
 * @param {string} base
 * @returns {Promise<boolean | undefined>} whether anything was imported
 */
export function importFAQ(app, base) {
  const { t } = app.words;
  return openDialog(app.words, t('faq.import'), (/** @type {(done?: boolean) => void} */ close) => {
    const field = fileField(app.words, { label: t('faq.import.file'), accept: '.csv,.xlsx,.json', changed: () => check() });
    const mode = h('select', { onchange: () => check() }, ['append', 'replace'].map((m) => h('option', { value: m }, t(`faq.mode.${m}`))));
    const report = h('div', { class: 'import-report', 'aria-live': 'polite' });
    const run = h('button', { type: 'button', class: 'button primary', disabled: true, onclick: () => send(false) }, t('faq.import.run'));
    let asked = 0;

    const check = () => field.file() && send(true);

    /** @param {boolean} dry */
    const send = async (dry) => {
      const chosen = field.file();
      if (!chosen) return;
      const mine = (asked += 1);
      run.disabled = true;
      const form = new FormData();
      form.append('file', chosen, chosen.name);
      try {
        const answer = await app.client.call('importFAQ', { id: base, query: { mode: mode.value, dry_run: dry }, body: form });
        if (mine !== asked) return;
        if (!dry) {
          app.toasts.info(app.words.tn('faq.imported', answer.added + answer.changed));
          close(true);
          return;
        }
        fill(report, told(app, answer));
        run.disabled = answer.added + answer.changed + answer.removed === 0 || (mode.value === 'replace' && answer.failed > 0);
      } catch (error) {
        if (mine === asked) fill(report, h('div', { class: 'notice failed' }, icon('warn'), h('p', null, tell(app.words, problemOf(error)))));
      }
    };
    return [
      h('p', { class: 'hint' }, t('faq.import.text'), ' ', h('button', { type: 'button', class: 'quiet small', onclick: () => app.client.blob('templateFAQ', { query: { format: 'xlsx' } }).then((b) => save(b, 'faq.xlsx')).catch(app.fail) }, icon('download'), t('faq.template'))),
      h('div', { class: 'field-row' }, field.root, h('label', { class: 'field' }, h('span', null, t('faq.mode')), mode)),
      report,
      h('div', { class: 'actions' }, h('button', { type: 'button', class: 'button', onclick: () => close() }, t('cancel')), run),
    ];
  }, { wide: true });
}

/** @param {App} app @param {import('../api/types.js').FAQReport} r */
function told(app, r) {
  const { t, tn } = app.words;
  const figures = /** @type {const} */ (['added', 'changed', 'unchanged', 'removed', 'skipped', 'failed']).filter((k) => r[k] > 0 || k === 'added');
  const problems = r.problems ?? [];
  return [
    h('p', null, h('strong', null, t('faq.import.dry')), ' ', tn('faq.rows', r.rows)),
    h('dl', { class: 'trace-figures' }, figures.map((k) => h('div', { class: k === 'failed' ? 'bad' : null }, h('dt', null, t(`faq.report.${k}`)), h('dd', null, app.words.number(r[k]))))),
    problems.length > 0 && h('div', { class: 'import-problems', tabindex: '0', role: 'group', 'aria-label': t('faq.problems') },
      h('table', { class: 'plain-table' },
        h('thead', null, h('tr', null, h('th', { scope: 'col' }, t('faq.row')), h('th', { scope: 'col' }, t('faq.question')), h('th', { scope: 'col' }, t('faq.problem')))),
        h('tbody', null, problems.map((p) => h('tr', { class: p.duplicate ? null : 'bad' }, h('td', null, app.words.number(p.row)), h('td', null, p.question || '–'), h('td', null, p.duplicate ? `${t('faq.duplicate')}: ${app.words.told(p.message)}` : app.words.told(p.message))))))),
    r.truncated && h('p', { class: 'hint' }, t('faq.truncated')),
  ];
}
