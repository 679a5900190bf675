// @ts-check
/**
 * Many files at once: each in a request of its own, a few at a time, with its
 * progress, its error and another try.
 *
 * @typedef {import('../main.js').App} App
 * @typedef {{ file: File, state: 'waiting' | 'sending' | 'done' | 'there' | 'failed', sent: number, error: string, code: string, abort?: () => void }} Job
 */
import { fill, h, icon, iconButton, uniqueID } from '../ui/dom.js';
import { tell } from '../ui/errors.js';

const atOnce = 3;
/** Finished files that stay listed beside those that failed. */
const listed = 200;

/**
 * @param {App} app
 * @param {{ base: string, folder: () => string, added: () => void }} to
 */
export function createUpload(app, to) {
  const { t, tn } = app.words;
  /** @type {Job[]} */
  let jobs = [];
  let running = 0;
  let frame = 0;

  const input = h('input', { type: 'file', multiple: true, class: 'visually-hidden', 'aria-label': t('upload.choose'), tabindex: '-1', onchange: () => {
    add([...(input.files ?? [])]);
    input.value = '';
  } });
  const choose = h('button', { type: 'button', class: 'button', onclick: () => input.click() }, icon('upload'), t('upload.choose'));
  const titleID = uniqueID('upload');
  const summary = h('p', { id: titleID, class: 'upload-summary' });
  const bar = h('progress', { class: 'bar', max: '1', value: 0, 'aria-labelledby': titleID });
  const clear = h('button', { type: 'button', class: 'quiet small', onclick: () => {
    jobs = jobs.filter((j) => j.state === 'waiting' || j.state === 'sending');
    draw();
  } }, t('upload.clear'));
  const list = h('ul', { class: 'upload-list' });
  const panel = h('section', { class: 'upload-panel', hidden: true, 'aria-label': t('upload.title') }, h('div', { class: 'upload-head' }, summary, clear), bar, list);
  const zone = h('div', { class: 'drop' }, icon('upload'), h('p', null, h('strong', null, t('upload.drop')), h('span', { class: 'hint' }, t('upload.kinds'))), choose, input);

  /** @param {File[]} files */
  const add = (files) => {
    jobs = [...jobs.filter((j) => j.state !== 'done' && j.state !== 'there'), ...files.map((file) => ({ file, state: /** @type {const} */ ('waiting'), sent: 0, error: '', code: '' }))];
    work();
    draw();
  };

  const work = () => {
    while (running < atOnce) {
      const job = jobs.find((j) => j.state === 'waiting');
      if (!job) return;
      running += 1;
      send(job).finally(() => {
        running -= 1;
        work();
        schedule();
        to.added();
      });
    }
  };

  /** @param {Job} job */
  const send = async (job) => {
    job.state = 'sending';
    job.sent = 0;
    const form = new FormData();
    if (to.folder()) form.append('folder_id', to.folder());
    form.append('file', job.file, job.file.name);
    try {
      const { done, abort } = app.client.upload(to.base, form, (share) => {
        job.sent = share;
        schedule();
      });
      job.abort = abort;
      const result = (await done).results?.[0];
      job.code = result?.code ?? '';
      job.state = job.code ? 'failed' : result?.added ? 'done' : 'there';
      job.error = job.code ? tell(app.words, { code: job.code, detail: result?.error }) : '';
    } catch (error) {
      job.state = 'failed';
      job.error = tell(app.words, /** @type {any} */ (error));
    }
  };

  const schedule = () => {
    frame ||= requestAnimationFrame(draw);
  };

  const draw = () => {
    frame = 0;
    panel.hidden = jobs.length === 0;
    const finished = jobs.filter((j) => j.state !== 'waiting' && j.state !== 'sending').length;
    const failed = jobs.filter((j) => j.state === 'failed');
    const all = jobs.reduce((n, j) => n + j.file.size, 0) || 1;
    const sent = jobs.reduce((n, j) => n + j.file.size * (j.state === 'sending' ? j.sent : j.state === 'waiting' ? 0 : 1), 0);
    bar.value = sent / all;
    bar.hidden = finished === jobs.length;
    clear.hidden = finished === 0;
    summary.textContent = [tn('upload.count', jobs.length, { done: finished }), failed.length > 0 ? tn('upload.failed', failed.length) : ''].filter(Boolean).join(' · ');
    const shown = [...failed, ...jobs.filter((j) => j.state !== 'failed').slice(0, listed)].slice(0, Math.max(listed, failed.length));
    fill(list, shown.map(item));
  };

  /** @param {Job} job */
  const item = (job) => h('li', { class: `upload ${job.state}` },
    icon(job.state === 'failed' ? 'warn' : job.state === 'done' || job.state === 'there' ? 'check' : 'file'),
    h('span', { class: 'upload-name' }, job.file.name),
    h('span', { class: 'upload-state' }, job.state === 'sending' ? app.words.percent(job.sent) : job.state === 'failed' ? job.error : t(`upload.${job.state}`)),
    job.state === 'failed' && iconButton('retry', t('upload.again', { name: job.file.name }), () => {
      job.state = 'waiting';
      work();
      draw();
    }));

  /** The whole page takes files that are dropped. @param {HTMLElement} page */
  const catchDrops = (page) => {
    let depth = 0;
    const over = (/** @type {number} */ change) => {
      depth = Math.max(0, depth + change);
      page.classList.toggle('dropping', depth > 0);
    };
    const files = (/** @type {DragEvent} */ e) => e.dataTransfer?.types.includes('Files');
    page.addEventListener('dragenter', (e) => files(e) && (e.preventDefault(), over(1)));
    page.addEventListener('dragleave', (e) => files(e) && over(-1));
    page.addEventListener('dragover', (e) => files(e) && e.preventDefault());
    page.addEventListener('drop', async (e) => {
      if (!files(e)) return;
      e.preventDefault();
      depth = 0;
      page.classList.remove('dropping');
      add(await filesOf(/** @type {DataTransfer} */ (e.dataTransfer)));
    });
  };

  return {
    zone, panel, catchDrops,
    leave() {
      cancelAnimationFrame(frame);
      for (const j of jobs) if (j.state === 'sending') j.abort?.();
      jobs = [];
    },
  };
}

/**
 * The files that were dropped, those in folders too.
 * @param {DataTransfer} data
 * @returns {Promise<File[]>}
 */
async function filesOf(data) {
  const entries = [...data.items].map((i) => i.webkitGetAsEntry?.()).filter((e) => e !== null && e !== undefined);
  if (entries.every((e) => e.isFile) || entries.length === 0) return [...data.files];
  /** @type {File[]} */
  const files = [];
  /** @param {FileSystemEntry} entry */
  const walk = async (entry) => {
    if (entry.isFile) {
      files.push(await new Promise((ok, no) => /** @type {FileSystemFileEntry} */ (entry).file(ok, no)));
      return;
    }
    const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
    for (;;) {
      /** @type {FileSystemEntry[]} */
      const some = await new Promise((ok, no) => reader.readEntries(ok, no));
      if (some.length === 0) return;
      for (const inner of some) if (!inner.name.startsWith('.')) await walk(inner);
    }
  };
  for (const e of entries) await walk(e);
  return files;
}
