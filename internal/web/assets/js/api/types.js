// @ts-check
/**
 * The shapes of the server's answers, as far as this interface reads them. A
 * Go test compares each with the schema of the same name in the OpenAPI
 * document: a property that is not there, or is of another type, fails it.
 */

/**
 * @typedef {object} System
 * @property {string} version
 * @property {number} knowledge_bases
 * @property {number} documents
 * @property {number} sessions
 */

/**
 * @typedef {object} Assistant
 * @property {string} id
 * @property {string} assistant_name
 * @property {string} description
 * @property {string[] | null} example_questions
 */

/**
 * @typedef {object} ListAssistant
 * @property {Assistant[] | null} items
 * @property {number} total
 */

/**
 * @typedef {object} Example
 * @property {string} assistant_id
 */

/**
 * @typedef {object} LastRequest
 * @property {string[] | null} knowledge_base_ids
 * @property {string[] | null} knowledge_ids
 * @property {string[] | null} [folder_ids]
 */

/**
 * @typedef {object} Session
 * @property {string} id
 * @property {string} title
 * @property {string} assistant_id
 * @property {string[] | null} knowledge_base_ids
 * @property {number} message_count
 * @property {boolean} pinned
 * @property {string} created_at
 * @property {string} updated_at
 * @property {LastRequest} [last_request]
 */

/**
 * @typedef {object} ListSession
 * @property {Session[] | null} items
 * @property {number} total
 */

/**
 * @typedef {object} Deleted
 * @property {number} deleted
 */

/**
 * @typedef {object} Reference
 * @property {number} number 0 where the answer does not cite it
 * @property {string} chunk_id
 * @property {string} document_id
 * @property {string} knowledge_base_id
 * @property {string} document
 * @property {string} title
 * @property {string[] | null} [headings]
 * @property {number} [page]
 * @property {string} [sheet]
 * @property {number} [row]
 * @property {string} type
 * @property {string} quote
 * @property {number} score
 */

/**
 * Offsets are in bytes of UTF-8.
 * @typedef {object} Citation
 * @property {number} number
 * @property {string} document
 * @property {string} chunk_id
 * @property {string} quote
 * @property {number} answer_start
 * @property {number} answer_end
 * @property {number} source_start
 * @property {number} source_end
 * @property {boolean} supported
 */

/**
 * @typedef {object} Unsupported
 * @property {string} text
 * @property {number} answer_start
 * @property {number} answer_end
 * @property {string} reason
 * @property {string[] | null} [missing]
 */

/**
 * @typedef {object} Confidence
 * @property {number} score
 * @property {string} level
 * @property {number} probability
 * @property {number} evidence
 * @property {number} generation
 * @property {string} status
 * @property {string[] | null} reasons
 */

/**
 * @typedef {object} Message
 * @property {string} id
 * @property {string} session_id
 * @property {string} request_id
 * @property {string} role
 * @property {number} order
 * @property {string} content
 * @property {string} [thinking]
 * @property {string} state
 * @property {string} [error_code]
 * @property {string} [hit_type]
 * @property {Reference[] | null} [knowledge_references]
 * @property {Citation[] | null} [citations]
 * @property {Confidence} [confidence]
 * @property {Unsupported[] | null} [unsupported]
 * @property {LastRequest} [narrowed_to]
 * @property {Feedback} [feedback]
 * @property {string} created_at
 * @property {string} updated_at
 */

/**
 * @typedef {object} History
 * @property {Message[] | null} items
 * @property {boolean} has_more
 */

/**
 * @typedef {object} FoundMessage
 * @property {string} id
 * @property {string} session_id
 * @property {string} session_title
 * @property {string} content
 * @property {string} created_at
 */

/**
 * @typedef {object} FoundMessages
 * @property {FoundMessage[] | null} items
 */

/**
 * @typedef {object} StopResult
 * @property {string} message_id
 * @property {string} state
 */

/**
 * @typedef {object} Timing
 * @property {string} stage
 * @property {number} elapsed_ms
 * @property {string} [note]
 */

/**
 * @typedef {object} TraceNote
 * @property {string} stage
 * @property {string} key
 * @property {string} value
 */

/**
 * @typedef {object} Trace
 * @property {string} id
 * @property {string} message_id
 * @property {Timing[] | null} timings
 * @property {TraceNote[] | null} notes
 * @property {string} created_at
 */

/**
 * @typedef {object} KnowledgeBase
 * @property {string} id
 * @property {string} name
 * @property {string} description
 * @property {string} kind
 * @property {string} visibility
 * @property {Chunking} [chunking]
 * @property {number} active_version
 * @property {number} documents
 * @property {string} created_at
 * @property {string} updated_at
 */

/**
 * @typedef {object} Chunking
 * @property {number} [chunk_size]
 * @property {number} [chunk_overlap]
 * @property {number} [parent_size]
 * @property {string[] | null} [separators]
 * @property {number} [heading_level]
 * @property {string} [rows]
 */

/**
 * @typedef {object} Rechunked
 * @property {number} documents
 * @property {number} kept
 */

/**
 * @typedef {object} ListKnowledgeBase
 * @property {KnowledgeBase[] | null} items
 * @property {number} total
 */

/**
 * @typedef {object} Document
 * @property {string} id
 * @property {string} knowledge_base_id
 * @property {string} [folder_id]
 * @property {string} name
 * @property {string} title
 * @property {string} source
 * @property {string} format
 * @property {number} size
 * @property {string} state
 * @property {string} [error_code]
 * @property {string} [error]
 * @property {string[] | null} [warnings]
 * @property {number} chunks
 * @property {string} created_at
 * @property {string} updated_at
 */

/**
 * @typedef {object} FoundDocuments
 * @property {Document[] | null} items
 */

/**
 * @typedef {object} ListDocument
 * @property {Document[] | null} items
 * @property {number} total
 */

/**
 * @typedef {object} UploadResult
 * @property {string} name
 * @property {boolean} added
 * @property {Document} [document]
 * @property {string} [code]
 * @property {string} [error]
 */

/**
 * @typedef {object} UploadReport
 * @property {UploadResult[] | null} results
 * @property {number} added
 * @property {number} unchanged
 * @property {number} failed
 */

/**
 * @typedef {object} FAQEntry
 * @property {string} standard_question
 * @property {string[] | null} [similar_questions]
 * @property {string[] | null} [negative_questions]
 * @property {string[] | null} answers
 * @property {string} [answer_strategy]
 */

/**
 * @typedef {object} ChunkView
 * @property {string} id
 * @property {string} knowledge_base_id
 * @property {string} document_id
 * @property {string} [parent_id]
 * @property {string} type
 * @property {number} index
 * @property {number} start
 * @property {number} end
 * @property {string} content
 * @property {string[] | null} [headings]
 * @property {number} [page]
 * @property {string} [sheet]
 * @property {number} [row]
 * @property {FAQEntry} [faq]
 * @property {Document} document
 */

/**
 * @typedef {object} Chunk
 * @property {string} id
 * @property {string} document_id
 * @property {string} [parent_id]
 * @property {string} type
 * @property {number} index
 * @property {number} start
 * @property {number} end
 * @property {string} content
 * @property {string[] | null} [headings]
 * @property {number} [page]
 * @property {string} [sheet]
 * @property {number} [row]
 */

/**
 * @typedef {object} ListChunk
 * @property {Chunk[] | null} items
 * @property {number} total
 */

/**
 * @typedef {object} ScoreStep
 * @property {string} step
 * @property {number} value
 */

/**
 * @typedef {object} Found
 * @property {string} chunk_id
 * @property {string} document_id
 * @property {string} knowledge_base_id
 * @property {string} document
 * @property {string} title
 * @property {string[] | null} [headings]
 * @property {number} [page]
 * @property {string} [sheet]
 * @property {number} [row]
 * @property {string} type
 * @property {string} content
 * @property {number} score
 * @property {ScoreStep[] | null} explain
 */

/**
 * @typedef {import('./knowledgetypes.js').Feedback} Feedback
 * @typedef {import('./knowledgetypes.js').Folder} Folder
 * @typedef {import('./knowledgetypes.js').ListFolder} ListFolder
 * @typedef {import('./knowledgetypes.js').ListRevision} ListRevision
 * @typedef {import('./knowledgetypes.js').Preview} Preview
 * @typedef {import('./knowledgetypes.js').FAQ} FAQ
 * @typedef {import('./knowledgetypes.js').ListFAQ} ListFAQ
 * @typedef {import('./knowledgetypes.js').ListFAQCandidate} ListFAQCandidate
 * @typedef {import('./knowledgetypes.js').FAQReport} FAQReport
 * @typedef {import('./knowledgetypes.js').Retrieval} Retrieval
 */

/**
 * @typedef {import('./wikitypes.js').WikiPage} WikiPage
 * @typedef {import('./wikitypes.js').ListWikiPage} ListWikiPage
 * @typedef {import('./wikitypes.js').WikiLink} WikiLink
 * @typedef {import('./wikitypes.js').Links} Links
 * @typedef {import('./wikitypes.js').WikiRevision} WikiRevision
 * @typedef {import('./wikitypes.js').ListWikiRevision} ListWikiRevision
 * @typedef {import('./wikitypes.js').WikiJob} WikiJob
 * @typedef {import('./wikitypes.js').ListWikiJob} ListWikiJob
 */

/**
 * @typedef {object} Counts
 * @property {number} queued
 * @property {number} processing
 * @property {number} ready
 * @property {number} failed
 */

/**
 * Answers by the names that endpoints.js uses.
 * @typedef {{ '': null, System: System, Example: Example, ListAssistant: ListAssistant, Session: Session, ListSession: ListSession, Deleted: Deleted, Message: Message,
 *   History: History, FoundMessages: FoundMessages, StopResult: StopResult, Trace: Trace, KnowledgeBase: KnowledgeBase, Chunking: Chunking, Rechunked: Rechunked,
 *   ListKnowledgeBase: ListKnowledgeBase, Document: Document, ListDocument: ListDocument, FoundDocuments: FoundDocuments, UploadReport: UploadReport,
 *   UploadResult: UploadResult, ChunkView: ChunkView, Chunk: Chunk, ListChunk: ListChunk, Retrieval: Retrieval, Feedback: Feedback, ListRevision: ListRevision, Preview: Preview, Folder: Folder, ListFolder: ListFolder, FAQ: FAQ, ListFAQ: ListFAQ,
 *   ListFAQCandidate: ListFAQCandidate, FAQReport: FAQReport, Counts: Counts, WikiPage: WikiPage, ListWikiPage: ListWikiPage, Links: Links,
 *   WikiRevision: WikiRevision, ListWikiRevision: ListWikiRevision, WikiJob: WikiJob, ListWikiJob: ListWikiJob }} Schemas
 */

export {};
