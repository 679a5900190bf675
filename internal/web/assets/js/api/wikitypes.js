// @ts-check
/**
 * The shapes of the server's answers about the pages of a wiki; see types.js.
 */

/**
 * @typedef {object} WikiSource
 * @property {number} number
 * @property {string} title
 * @property {string} [text]
 */

/**
 * @typedef {object} WikiPage
 * @property {string} id
 * @property {string} slug
 * @property {string} title
 * @property {string} type
 * @property {string} status
 * @property {string} summary
 * @property {string[] | null} aliases
 * @property {string} [content]
 * @property {WikiSource[] | null} [sources]
 * @property {number} revision
 * @property {string} author
 * @property {number} proposals
 * @property {string} updated_at
 */

/**
 * @typedef {object} ListWikiPage
 * @property {WikiPage[] | null} items
 * @property {number} total
 */

/**
 * @typedef {object} WikiLink
 * @property {string} slug
 * @property {string} text
 * @property {string} [page_id]
 * @property {string} [title]
 */

/**
 * @typedef {object} Links
 * @property {WikiLink[] | null} out
 * @property {WikiLink[] | null} in
 */

/**
 * @typedef {object} WikiRevision
 * @property {number} number
 * @property {string} [content]
 * @property {string} author
 * @property {string} note
 * @property {boolean} proposed
 * @property {boolean} current
 * @property {string} created_at
 */

/**
 * @typedef {object} ListWikiRevision
 * @property {WikiRevision[] | null} items
 * @property {number} total
 */

/**
 * @typedef {object} WikiProblem
 * @property {string} name
 * @property {string} error
 */

/**
 * @typedef {object} WikiJob
 * @property {string} id
 * @property {string} state
 * @property {string} step
 * @property {number} done
 * @property {number} total
 * @property {number} failed
 * @property {number} added
 * @property {number} changed
 * @property {number} proposed
 * @property {WikiProblem[] | null} problems
 * @property {string} [error_code]
 * @property {string} [error]
 */

/**
 * @typedef {object} ListWikiJob
 * @property {WikiJob[] | null} items
 * @property {number} total
 */

export {};
