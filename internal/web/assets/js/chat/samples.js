// @ts-check
/**
 * What can be asked before one's own documents are there: a sample base of
 * three, or the help desk that comes with the program.
 */
import { read } from '../api/sse.js';

/** @param {import('../prefs.js').Lang} lang */
export function sampleQuestions(lang) {
  return lang === 'zh'
    ? ['年假有几天？', '住宿超标的部分谁来承担？', 'QTR-7310 由哪个班组负责？']
    : ['How many days of annual leave are there?', 'Who pays for a hotel above the limit?', 'Which team looks after QTR-7310?'];
}

/**
 * Adds the samples and waits until they can be asked.
 * @param {import('../main.js').App} app
 * @returns {Promise<number>} how many documents can be asked
 */
export async function addSamples(app) {
  const { documents } = await import('../samples/documents.js');
  const base = await sampleBase(app);
  for (const { name, content } of documents[app.words.lang]) await app.client.call('addText', { id: base, body: { name, content } });
  return untilReady(app, base);
}

/**
 * Loads the help desk and chooses its assistant.
 * @param {import('../main.js').App} app
 * @param {import('./assistants.js').AssistantChoice} assistants
 * @returns {Promise<number>} how many documents can be asked
 */
export async function loadDemo(app, assistants) {
  const { assistant_id } = await app.client.call('loadDemo');
  const documents = await untilReady(app, '');
  await assistants.reload(assistant_id);
  return documents;
}

/** @param {import('../main.js').App} app */
async function sampleBase(app) {
  const name = app.words.t('sample.base');
  const { items } = await app.client.call('listBases');
  const known = items?.find((b) => b.name === name);
  if (known) return known.id;
  return (await app.client.call('createBase', { body: { name, description: app.words.t('sample.description') } })).id;
}

/**
 * @param {import('../main.js').App} app
 * @param {string} base '' means all
 */
async function untilReady(app, base) {
  const stop = new AbortController();
  try {
    const response = await app.client.send('followProgress', { query: { ...(base && { knowledge_base_id: base }) }, signal: stop.signal });
    for await (const events of read(response)) {
      const counts = JSON.parse(events[events.length - 1].data);
      if (counts.queued + counts.processing === 0) return counts.ready;
    }
    return 0;
  } finally {
    stop.abort();
  }
}
