// @ts-check
/**
 * Why this answer: what the turn did, stage by stage, as a waterfall with the
 * decisions that were taken.
 *
 * @typedef {import('./main.js').App} App
 * @typedef {import('./api/types.js').Trace} Trace
 * @typedef {import('./api/types.js').Message} Message
 */
import { problemOf } from './api/client.js';
import { h, icon } from './ui/dom.js';
import { tell } from './ui/errors.js';

/**
 * @param {App} app
 * @param {import('./router.js').Place} place
 */
export function show(app, place) {
  let left = false;
  const { t } = app.words;
  app.title(t('trace.title'));
  const id = place.params.message;
  Promise.all([app.client.call('message', { id }), app.client.call('trace', { id }), app.words.toldReady()])
    .then(([message, trace]) => left || draw(app, message, trace))
    .catch((error) => left || app.main.append(h('div', { class: 'empty' }, h('h1', null, t('trace.gone')), h('p', null, tell(app.words, problemOf(error))))));
  return () => {
    left = true;
  };
}

/** @param {App} app @param {Message} message @param {Trace} trace */
function draw(app, message, trace) {
  const { t, words } = { ...app.words, words: app.words };
  const timings = trace.timings ?? [];
  const notes = trace.notes ?? [];
  const total = timings.reduce((n, x) => n + x.elapsed_ms, 0);
  const known = new Set(timings.map((x) => x.stage));
  const others = [...new Set(notes.map((n) => n.stage))].filter((s) => !known.has(s));
  let start = 0;
  const rows = timings.map((x) => {
    const row = stage(app, { name: x.stage, start, length: x.elapsed_ms, total, note: x.note ?? '', notes: notes.filter((n) => n.stage === x.stage) });
    start += x.elapsed_ms;
    return row;
  });
  const figures = [
    [t('trace.total'), words.duration(total)],
    [t('trace.way'), words.has(`hit.${message.hit_type}`) ? t(`hit.${message.hit_type}`) : message.hit_type || '–'],
    [t('trace.confidence'), message.confidence ? `${t(`confidence.${message.confidence.level}`)} · ${words.percent(message.confidence.score)}` : '–'],
    [t('trace.found'), String((message.knowledge_references ?? []).length)],
    [t('trace.when'), words.date(message.created_at)],
  ];
  app.main.append(h('div', { class: 'page' },
    h('a', { class: 'quiet small back', href: `/chat/${message.session_id}` }, icon('back'), t('trace.back')),
    h('header', { class: 'page-head' }, h('h1', null, t('trace.title'))),
    h('blockquote', { class: 'trace-answer' }, message.content.slice(0, 400), message.content.length > 400 && '…'),
    h('dl', { class: 'trace-figures' }, figures.map(([name, value]) => h('div', null, h('dt', null, name), h('dd', null, value)))),
    h('ol', { class: 'waterfall', 'aria-label': t('trace.stages') }, rows),
    others.length > 0 && h('ol', { class: 'waterfall' }, others.map((name) => stage(app, { name, start: 0, length: -1, total, note: '', notes: notes.filter((n) => n.stage === name) })))));
}

/**
 * @param {App} app
 * @param {{ name: string, start: number, length: number, total: number, note: string, notes: import('./api/types.js').TraceNote[] }} s length -1: not timed
 */
function stage(app, s) {
  const { t, has, duration, told } = app.words;
  const title = has(`trace.stage.${s.name}`) ? t(`trace.stage.${s.name}`) : s.name;
  const bar = h('span', { class: 'span-bar' });
  bar.style.left = `${s.total > 0 ? (s.start / s.total) * 100 : 0}%`;
  bar.style.width = `${s.total > 0 ? Math.max(0.4, (Math.max(0, s.length) / s.total) * 100) : 0}%`;
  return h('li', { class: s.note ? 'stage noted' : 'stage' },
    h('div', { class: 'stage-line' }, h('span', { class: 'stage-name' }, title, h('code', null, s.name)),
      h('span', { class: 'stage-track', 'aria-hidden': 'true' }, s.length >= 0 && bar), h('span', { class: 'stage-time' }, s.length >= 0 ? duration(s.length) : '')),
    s.note && h('p', { class: 'stage-note' }, icon('warn'), told(s.note)),
    s.notes.length > 0 && h('dl', { class: 'stage-notes' }, s.notes.map((n) => [h('dt', null, has(`trace.note.${n.key}`) ? t(`trace.note.${n.key}`) : n.key), h('dd', null, valueOf(app, n))])));
}

/** A note's value in words; reasons of the confidence have words of their own. @param {App} app @param {import('./api/types.js').TraceNote} n */
function valueOf(app, n) {
  const { t, has, told } = app.words;
  const m = /^([\d.]+) (high|medium|low): (.+)$/.exec(n.value);
  if (n.key !== 'confidence' || !m) return told(n.value);
  const reasons = m[3].split('; ').map((r) => (has(`reason.${r}`) ? t(`reason.${r}`) : r));
  return `${m[1]} · ${t(`confidence.${m[2]}`)} · ${reasons.join(' ')}`;
}
