// @ts-check
/**
 * Every call that this interface makes. A Go test compares each of them, with
 * every parameter and field named here, to the server's OpenAPI document.
 * `answer` is the name of the answer's schema; '' means that there is none, or
 * that it is a stream.
 */
export const endpoints = /** @type {const} */ ({
  openapi: { method: 'GET', path: '/api/openapi.json', query: [], body: [], answer: '' },
  loadDemo: { method: 'POST', path: '/api/v1/demo', query: [], body: [], answer: 'Example' },
  system: { method: 'GET', path: '/api/v1/system', query: [], body: [], answer: 'System' },

  listAssistants: { method: 'GET', path: '/api/v1/assistants', query: [], body: [], answer: 'ListAssistant' },

  listSessions: { method: 'GET', path: '/api/v1/sessions', query: ['offset', 'limit'], body: [], answer: 'ListSession' },
  createSession: { method: 'POST', path: '/api/v1/sessions', query: [], body: ['title', 'knowledge_base_ids', 'assistant_id'], answer: 'Session' },
  session: { method: 'GET', path: '/api/v1/sessions/{id}', query: [], body: [], answer: 'Session' },
  changeSession: { method: 'PATCH', path: '/api/v1/sessions/{id}', query: [], body: ['title', 'pinned', 'knowledge_base_ids'], answer: 'Session' },
  deleteSession: { method: 'DELETE', path: '/api/v1/sessions/{id}', query: [], body: [], answer: '' },
  deleteSessions: { method: 'DELETE', path: '/api/v1/sessions/batch', query: [], body: ['ids', 'all'], answer: 'Deleted' },
  messages: { method: 'GET', path: '/api/v1/sessions/{id}/messages', query: ['before', 'limit'], body: [], answer: 'History' },
  message: { method: 'GET', path: '/api/v1/messages/{id}', query: [], body: [], answer: 'Message' },
  searchMessages: { method: 'GET', path: '/api/v1/messages/search', query: ['query', 'session_id', 'limit'], body: [], answer: 'FoundMessages' },
  trace: { method: 'GET', path: '/api/v1/messages/{id}/trace', query: [], body: [], answer: 'Trace' },

  rate: { method: 'PUT', path: '/api/v1/messages/{id}/feedback', query: [], body: ['rating', 'comment'], answer: 'Feedback' },
  ask: { method: 'POST', path: '/api/v1/sessions/{id}/knowledge-qa', query: [], body: ['query', 'knowledge_base_ids', 'knowledge_ids', 'folder_ids', 'assistant_id'], answer: '' },
  follow: { method: 'GET', path: '/api/v1/sessions/continue-stream/{id}', query: ['message_id'], body: [], answer: '' },
  stop: { method: 'POST', path: '/api/v1/sessions/{id}/stop', query: [], body: ['message_id'], answer: 'StopResult' },

  listBases: { method: 'GET', path: '/api/v1/knowledge-bases', query: [], body: [], answer: 'ListKnowledgeBase' },
  createBase: { method: 'POST', path: '/api/v1/knowledge-bases', query: [], body: ['name', 'description', 'kind', 'visibility'], answer: 'KnowledgeBase' },
  base: { method: 'GET', path: '/api/v1/knowledge-bases/{id}', query: [], body: [], answer: 'KnowledgeBase' },
  deleteBase: { method: 'DELETE', path: '/api/v1/knowledge-bases/{id}', query: [], body: [], answer: '' },
  listDocuments: { method: 'GET', path: '/api/v1/knowledge-bases/{id}/documents', query: ['offset', 'limit', 'folder_id'], body: [], answer: 'ListDocument' },
  upload: { method: 'POST', path: '/api/v1/knowledge-bases/{id}/documents', query: [], body: ['file', 'folder_id', 'source'], answer: 'UploadReport' },
  addText: { method: 'POST', path: '/api/v1/knowledge-bases/{id}/documents/text', query: [], body: ['name', 'content', 'folder_id'], answer: 'UploadResult' },
  document: { method: 'GET', path: '/api/v1/documents/{id}', query: [], body: [], answer: 'Document' },
  changeDocument: { method: 'PATCH', path: '/api/v1/documents/{id}', query: [], body: ['name', 'folder_id'], answer: 'Document' },
  reparseDocument: { method: 'POST', path: '/api/v1/documents/{id}/reparse', query: [], body: [], answer: 'Document' },
  batchDocuments: { method: 'POST', path: '/api/v1/knowledge-bases/{id}/documents/batch', query: [], body: ['action', 'ids'], answer: '' },
  listFolders: { method: 'GET', path: '/api/v1/knowledge-bases/{id}/folders', query: [], body: [], answer: 'ListFolder' },
  createFolder: { method: 'POST', path: '/api/v1/knowledge-bases/{id}/folders', query: [], body: ['name', 'parent_id'], answer: 'Folder' },
  changeFolder: { method: 'PATCH', path: '/api/v1/knowledge-bases/{id}/folders/{folder_id}', query: [], body: ['name'], answer: 'Folder' },
  deleteFolder: { method: 'DELETE', path: '/api/v1/knowledge-bases/{id}/folders/{folder_id}', query: [], body: [], answer: '' },
  deleteDocument: { method: 'DELETE', path: '/api/v1/documents/{id}', query: [], body: [], answer: '' },
  chunks: { method: 'GET', path: '/api/v1/documents/{id}/chunks', query: ['offset', 'limit'], body: [], answer: 'ListChunk' },
  addChunk: { method: 'POST', path: '/api/v1/documents/{id}/chunks', query: [], body: ['content'], answer: 'Chunk' },
  editChunk: { method: 'PUT', path: '/api/v1/chunks/{id}', query: [], body: ['content'], answer: 'Chunk' },
  removeChunk: { method: 'DELETE', path: '/api/v1/chunks/{id}', query: [], body: [], answer: '' },
  revisions: { method: 'GET', path: '/api/v1/chunks/{id}/revisions', query: [], body: [], answer: 'ListRevision' },
  revertChunk: { method: 'POST', path: '/api/v1/chunks/{id}/revert', query: [], body: [], answer: 'Chunk' },
  previewDocument: { method: 'POST', path: '/api/v1/documents/{id}/preview', query: [], body: ['chunking'], answer: 'Preview' },
  changeBase: { method: 'PATCH', path: '/api/v1/knowledge-bases/{id}', query: [], body: ['chunking'], answer: 'KnowledgeBase' },
  original: { method: 'GET', path: '/api/v1/documents/{id}/original', query: [], body: [], answer: '' },
  chunk: { method: 'GET', path: '/api/v1/chunks/{id}', query: [], body: [], answer: 'ChunkView' },
  listFAQs: { method: 'GET', path: '/api/v1/knowledge-bases/{id}/faq/entries', query: ['offset', 'limit', 'query'], body: [], answer: 'ListFAQ' },
  createFAQ: { method: 'POST', path: '/api/v1/knowledge-bases/{id}/faq/entries', query: [], body: ['standard_question', 'similar_questions', 'negative_questions', 'answers', 'answer_strategy', 'tags', 'enabled'], answer: 'FAQ' },
  changeFAQ: { method: 'PUT', path: '/api/v1/knowledge-bases/{id}/faq/entries/{entry_id}', query: [], body: ['standard_question', 'similar_questions', 'negative_questions', 'answers', 'answer_strategy', 'tags', 'enabled'], answer: 'FAQ' },
  deleteFAQ: { method: 'DELETE', path: '/api/v1/knowledge-bases/{id}/faq/entries/{entry_id}', query: [], body: [], answer: '' },
  findFAQs: { method: 'POST', path: '/api/v1/knowledge-bases/{id}/faq/search', query: [], body: ['question', 'limit'], answer: 'ListFAQCandidate' },
  importFAQ: { method: 'POST', path: '/api/v1/knowledge-bases/{id}/faq/import', query: ['mode', 'dry_run'], body: ['file'], answer: 'FAQReport' },
  exportFAQ: { method: 'GET', path: '/api/v1/knowledge-bases/{id}/faq/export', query: ['format'], body: [], answer: '' },
  templateFAQ: { method: 'GET', path: '/api/v1/faq/template', query: ['format'], body: [], answer: '' },
  debug: { method: 'POST', path: '/api/v1/retrieval/debug', query: [], body: ['query', 'knowledge_base_ids'], answer: 'Retrieval' },
  progress: { method: 'GET', path: '/api/v1/ingest/progress', query: ['knowledge_base_id'], body: [], answer: 'Counts' },
  followProgress: { method: 'GET', path: '/api/v1/ingest/progress/stream', query: ['knowledge_base_id'], body: [], answer: '' },
});

/** @typedef {keyof typeof endpoints} EndpointName */
