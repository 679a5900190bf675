// @ts-check
/**
 * Where the whole of a source stands, and what it is called: pages of a wiki
 * and FAQ entries are no files.
 *
 * @typedef {{ type: string, document_id: string, knowledge_base_id: string, chunk_id: string, document: string, title: string }} Source
 */

/** @param {Source} r */
export const isFile = (r) => r.type !== 'wiki_page' && r.type !== 'faq' && r.type !== 'faq_question';

/** @param {Source} r */
export const nameOf = (r) => (isFile(r) ? r.document : r.title || r.document);

/** @param {Source} r */
export function addressOf(r) {
  if (r.type === 'wiki_page') return `/knowledge/${r.knowledge_base_id}/pages/${r.document_id}`;
  return isFile(r) ? `/knowledge/${r.knowledge_base_id}/documents/${r.document_id}?chunk=${r.chunk_id}` : `/knowledge/${r.knowledge_base_id}`;
}
