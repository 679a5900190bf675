// @ts-check
/**
 * The shapes of the server's answers about questions and answers, and about
 * retrieval; see types.js.
 *
 * @typedef {import('./types.js').Found} Found
 * @typedef {import('./types.js').Timing} Timing
 * @typedef {import('./types.js').Chunk} Chunk
 */

/**
 * @typedef {object} Feedback
 * @property {string} message_id
 * @property {string} rating
 * @property {string} comment
 */

/**
 * @typedef {object} Folder
 * @property {string} id
 * @property {string} [parent_id]
 * @property {string} name
 */

/**
 * @typedef {object} ListFolder
 * @property {Folder[] | null} items
 * @property {number} total
 */

/**
 * @typedef {object} Revision
 * @property {string} chunk_id
 * @property {string} content
 * @property {string} [created_at]
 * @property {boolean} current
 */

/**
 * @typedef {object} ListRevision
 * @property {Revision[] | null} items
 * @property {number} total
 */

/**
 * @typedef {object} Preview
 * @property {number} total
 * @property {Chunk[] | null} passages
 */

/**
 * @typedef {object} FAQ
 * @property {string} id
 * @property {string} standard_question
 * @property {string[] | null} similar_questions
 * @property {string[] | null} negative_questions
 * @property {string[] | null} answers
 * @property {string} answer_strategy
 * @property {string[] | null} tags
 * @property {boolean} enabled
 * @property {string} updated_at
 */

/**
 * @typedef {object} ListFAQ
 * @property {FAQ[] | null} items
 * @property {number} total
 */

/**
 * @typedef {object} FAQCandidate
 * @property {FAQ} entry
 * @property {number} score
 * @property {string} matched_question
 * @property {boolean} exact
 * @property {boolean} standard
 */

/**
 * @typedef {object} ListFAQCandidate
 * @property {FAQCandidate[] | null} items
 * @property {number} total
 */

/**
 * @typedef {object} FAQProblem
 * @property {number} row
 * @property {string} question
 * @property {boolean} duplicate
 * @property {string} code
 * @property {string} message
 */

/**
 * @typedef {object} FAQReport
 * @property {boolean} dry_run
 * @property {number} rows
 * @property {number} added
 * @property {number} changed
 * @property {number} unchanged
 * @property {number} removed
 * @property {number} failed
 * @property {number} skipped
 * @property {FAQProblem[] | null} problems
 * @property {boolean} truncated
 */

/**
 * @typedef {object} DebugPlan
 * @property {number} top_k
 * @property {number} keep
 * @property {number} evidence
 * @property {string} reason
 */

/**
 * @typedef {object} Variant
 * @property {string} text
 * @property {string} reason
 * @property {number} weight
 */

/**
 * @typedef {object} Retrieval
 * @property {string} query
 * @property {string} question
 * @property {DebugPlan} plan
 * @property {string[] | null} terms
 * @property {string} method
 * @property {string} [degraded]
 * @property {Variant[] | null} variants
 * @property {Found[] | null} keyword
 * @property {Found[] | null} vector
 * @property {Found[] | null} fused
 * @property {Found[] | null} candidates
 * @property {Found[] | null} reranked
 * @property {Found[] | null} merged
 * @property {Found[] | null} results
 * @property {Timing[] | null} timings
 */

export {};
