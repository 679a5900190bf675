// @ts-check
/**
 * What a question can be narrowed to, by name.
 *
 * @typedef {import('../main.js').App} App
 * @typedef {import('./composer.js').Choice} Choice
 */

/**
 * The folders of a base, named with the way to them; other kinds than document
 * bases have none.
 * @param {App} app
 * @param {import('../api/types.js').KnowledgeBase} base
 * @returns {Promise<Choice[]>}
 */
export async function foldersOf(app, base) {
  if (base.kind !== 'document') return [];
  const { items } = await app.client.call('listFolders', { id: base.id });
  const byID = new Map((items ?? []).map((f) => [f.id, f]));
  return (items ?? []).map((f) => {
    const way = [f.name];
    for (let up = byID.get(f.parent_id ?? ''); up && way.length < 20; up = byID.get(up.parent_id ?? '')) way.unshift(up.name);
    return { kind: /** @type {const} */ ('folder'), id: f.id, name: way.join('/') };
  }).sort((a, b) => a.name.localeCompare(b.name));
}

/**
 * What an earlier question was narrowed to, as far as it is still there.
 * @param {App} app
 * @param {import('../api/types.js').LastRequest | null | undefined} request
 * @returns {Promise<Choice[]>}
 */
export async function choicesOf(app, request) {
  const bases = request?.knowledge_base_ids ?? [];
  const documents = request?.knowledge_ids ?? [];
  const found = await Promise.allSettled([
    ...bases.map((id) => app.client.call('base', { id }).then((b) => ({ kind: /** @type {const} */ ('base'), id: b.id, name: app.words.baseName(b.name) }))),
    ...documents.slice(0, 20).map((id) => app.client.call('document', { id }).then((d) => ({ kind: /** @type {const} */ ('document'), id: d.id, name: d.name }))),
  ]);
  return [...found.flatMap((f) => (f.status === 'fulfilled' ? [f.value] : [])), ...await named(app, request?.folder_ids ?? [])];
}

/** The folders of these ids that are still there. @param {App} app @param {readonly string[]} ids @returns {Promise<Choice[]>} */
async function named(app, ids) {
  if (ids.length === 0) return [];
  const { items } = await app.client.call('listBases');
  const all = await Promise.all((items ?? []).map((b) => foldersOf(app, b)));
  return all.flat().filter((f) => ids.includes(f.id));
}
