// @ts-check
/**
 * A model that writes pages of documents: begun from here, followed while it
 * goes on, stopped, and resumed.
 *
 * @typedef {import('../main.js').App} App
 * @typedef {import('../api/types.js').KnowledgeBase} KnowledgeBase
 * @typedef {import('../api/types.js').WikiJob} WikiJob
 */
import { problemOf } from '../api/client.js';
import { pause } from '../api/pause.js';
import { read } from '../api/sse.js';
import { openDialog } from '../ui/dialog.js';
import { fill, h, icon, uniqueID } from '../ui/dom.js';
import { tell } from '../ui/errors.js';

/**
 * @param {App} app
 * @param {KnowledgeBase} base the wiki
 * @param {() => void} changed pages were written
 */
export function createWriting(app, base, changed) {
  const { t } = app.words;
  const panel = h('div', { class: 'wiki-job', hidden: true });
  const begin = h('button', { type: 'button', class: 'quiet small', onclick: () => ask(app, base).then((job) => job && follow(job)).catch(app.fail) }, icon('edit'), t('wiki.write'));
  const ended = new AbortController();

  /** @param {WikiJob} job */
  const show = (job) => {
    const goes = job.state === 'queued' || job.state === 'running';
    begin.hidden = goes;
    panel.hidden = false;
    const id = uniqueID('job');
    fill(panel,
      h('p', { id, role: 'status' }, goes ? t(`wiki.step.${job.step}`) : outcome(app, job)),
      goes && h('progress', { class: 'bar', max: String(job.total || 1), value: job.done, 'aria-labelledby': id }),
      job.problems && job.problems.length > 0 && h('details', null, h('summary', null, t('wiki.write.problems', { n: job.failed })), h('ul', null, job.problems.map((p) => h('li', null, h('strong', null, p.name), ' ', app.words.told(p.error))))),
      goes && h('button', { type: 'button', class: 'quiet small', onclick: () => act('stopWikiJob', job) }, icon('stop'), t('wiki.write.stop')),
      !goes && (job.state === 'failed' || job.failed > 0) && h('button', { type: 'button', class: 'quiet small', onclick: () => act('resumeWikiJob', job) }, icon('retry'), t('wiki.write.resume')));
  };

  /** @param {'stopWikiJob' | 'resumeWikiJob'} what @param {WikiJob} job */
  const act = (what, job) => app.client.call(what, { id: base.id, params: { job: job.id } }).then((now) => (what === 'resumeWikiJob' ? follow(now) : show(now))).catch(app.fail);

  /** Shows how far the job is, until it has ended; a broken stream is taken up again. @param {WikiJob} job */
  const follow = async (job) => {
    let last = job;
    show(job);
    for (let wait = 500; !ended.signal.aborted && last.state !== 'done' && last.state !== 'failed'; wait = Math.min(wait * 2, 10_000)) {
      try {
        const response = await app.client.send('followWikiJob', { id: base.id, params: { job: job.id }, signal: ended.signal });
        for await (const events of read(response)) {
          last = JSON.parse(events[events.length - 1].data);
          show(last);
          wait = 500;
        }
      } catch (error) {
        const problem = problemOf(error);
        if (ended.signal.aborted || (problem.status >= 400 && problem.status < 500)) return;
        await pause(wait, ended.signal);
      }
    }
    if (!ended.signal.aborted) changed();
  };

  app.client.call('wikiJobs', { id: base.id }).then(({ items }) => {
    const job = (items ?? [])[0];
    if (!job || ended.signal.aborted) return;
    if (job.state === 'queued' || job.state === 'running') follow(job);
    else if (job.state === 'failed' || job.failed > 0) app.client.call('wikiJob', { id: base.id, params: { job: job.id } }).then(show).catch(app.fail);
  }).catch(app.fail);

  return { root: h('div', { class: 'wiki-writing' }, panel, begin), leave: () => ended.abort() };
}

/** What came of a job. @param {App} app @param {WikiJob} job */
function outcome(app, job) {
  const { t } = app.words;
  const pages = t('wiki.write.done', { added: job.added, changed: job.changed, proposed: job.proposed });
  if (job.state !== 'failed') return pages;
  return `${t('wiki.write.failed')} ${job.error_code === 'canceled' ? t('wiki.write.stopped') : app.words.told(job.error ?? '')} ${pages}`;
}

/**
 * Asks of which documents.
 * @param {App} app
 * @param {KnowledgeBase} wiki
 * @returns {Promise<WikiJob | undefined>}
 */
async function ask(app, wiki) {
  const { t } = app.words;
  const { items } = await app.client.call('listBases');
  const sources = (items ?? []).filter((b) => b.kind === 'document');
  return openDialog(app.words, t('wiki.write'), (/** @type {(job?: WikiJob) => void} */ close) => {
    const source = h('select', null, sources.map((b) => h('option', { value: b.id }, `${b.name === 'default' ? t('bases.default') : b.name} (${app.words.tn('bases.documents', b.documents)})`)));
    const problem = h('p', { class: 'field-error', role: 'alert' });
    const share = h('input', { type: 'checkbox' });
    const sharing = h('label', { class: 'check', hidden: true }, share, h('span', null, t('wiki.write.share')));
    const submit = async (/** @type {SubmitEvent} */ e) => {
      e.preventDefault();
      try {
        close(await app.client.call('beginWikiJob', { id: wiki.id, body: { source_knowledge_base_id: source.value, ...(share.checked && { share: true }) } }));
      } catch (error) {
        const p = problemOf(error);
        sharing.hidden = p.code !== 'forbidden';
        problem.textContent = p.code === 'unavailable' ? t('wiki.write.nomodel') : p.code === 'forbidden' ? t('wiki.write.exposed') : tell(app.words, p);
      }
    };
    return h('form', { onsubmit: submit }, h('p', { class: 'hint' }, t('wiki.write.text')),
      h('label', { class: 'field' }, h('span', null, t('wiki.write.source')), source), problem, sharing,
      h('div', { class: 'actions' },
        h('button', { type: 'button', class: 'button', onclick: () => close() }, t('cancel')),
        h('button', { type: 'submit', class: 'button primary' }, t('wiki.write.begin'))));
  });
}
