// @ts-check
/**
 * One answer as it comes: asks or takes up a turn, follows its events over any
 * number of connections, and tells what changed. What has been read is never
 * read twice: a broken connection resumes after the last event, and a replay
 * of a stored answer takes the place of what was there in one step.
 *
 * @typedef {import('../api/client.js').Client} Client
 * @typedef {import('../api/types.js').Reference} Reference
 * @typedef {import('../api/types.js').Citation} Citation
 * @typedef {import('../api/types.js').Unsupported} Unsupported
 * @typedef {import('../api/types.js').Confidence} Confidence
 * @typedef {'sending' | 'understanding' | 'searching' | 'reading' | 'thinking' | 'writing' | 'reconnecting' | 'ended'} Stage
 * @typedef {{ text: string, thinking: string, references: Reference[], citations: Citation[], unsupported: Unsupported[], rating: string, confidence: Confidence | null,
 *   hitType: string, state: string, error: string, errorCode: string, messageID: string, requestID: string, stage: Stage, narrowed: import('../api/types.js').LastRequest | null,
 *   duration: number }} Answer
 */
import { Problem, problemOf } from '../api/client.js';
import { pause } from '../api/pause.js';
import { read } from '../api/sse.js';

/** @returns {Answer} */
export function emptyAnswer() {
  return {
    text: '', thinking: '', references: [], citations: [], unsupported: [], rating: '', confidence: null, hitType: '', state: 'pending', error: '',
    errorCode: '', messageID: '', requestID: '', stage: 'sending', duration: 0, narrowed: null,
  };
}

/** @param {import('../api/types.js').Message} m @returns {Answer} */
export function storedAnswer(m) {
  return {
    ...emptyAnswer(), text: m.content, thinking: m.thinking ?? '', references: m.knowledge_references ?? [], citations: m.citations ?? [],
    unsupported: m.unsupported ?? [], rating: m.feedback?.rating ?? '',
    confidence: m.confidence ?? null, hitType: m.hit_type ?? '', state: m.state, errorCode: m.error_code ?? '',
    messageID: m.id, requestID: m.request_id, narrowed: m.narrowed_to ?? null, stage: m.state === 'pending' ? 'reconnecting' : 'ended',
  };
}

/** Waits between attempts to come back, in milliseconds; the last one stays. */
const waits = [0, 400, 1000, 2000, 4000, 8000];

/**
 * @param {{ client: Client, sessionID: string, answer: Answer, changed: () => void,
 *   titled: (title: string) => void }} options changed is called after each batch of events
 */
export function createTurn({ client, sessionID, answer, changed, titled }) {
  const abort = new AbortController();
  let seen = ''; // id of the last event
  /** @type {string | null} text of a replay that has not caught up with what is shown */
  let replayed = null;
  let ended = false;

  /** @param {Stage} stage */
  const stage = (stage) => {
    answer.stage = stage;
    changed();
  };

  /** @param {import('../api/sse.js').ServerEvent} event */
  const take = (event) => {
    if (event.id) seen = event.id;
    const e = JSON.parse(event.data);
    apply(e.response_type, e, e.data ?? {});
  };

  /**
   * @param {string} type
   * @param {any} e
   * @param {any} data
   */
  const apply = (type, e, data) => {
    switch (type) {
      case 'agent_query':
        answer.messageID = data.assistant_message_id;
        answer.requestID = e.id;
        answer.stage = 'understanding';
        replayed = answer.text ? '' : null; // from the first event on: what is shown stays until the text is longer
        answer.thinking = '';
        break;
      case 'tool_call':
        answer.stage = data.tool_name === 'knowledge_search' ? 'searching' : 'understanding';
        break;
      case 'references':
        answer.references = e.knowledge_references ?? [];
        answer.stage = 'reading';
        break;
      case 'thinking':
        answer.thinking += e.content;
        answer.stage = 'thinking';
        break;
      case 'answer':
        grow(e.content);
        answer.stage = 'writing';
        break;
      case 'complete':
        answer.confidence = data.confidence ?? null;
        answer.citations = data.citations ?? [];
        answer.unsupported = data.unsupported ?? [];
        answer.hitType = data.hit_type ?? '';
        answer.duration = data.total_duration_ms ?? 0;
        for (const r of answer.references) r.number = 0;
        for (const { number, chunk_id } of data.cited ?? []) {
          const r = answer.references.find((r) => r.chunk_id === chunk_id);
          if (r) r.number = number;
        }
        end('complete');
        break;
      case 'stop':
        end(data.reason === 'interrupted' ? 'interrupted' : 'stopped');
        break;
      case 'error':
        answer.error = e.content;
        answer.errorCode = data.code ?? '';
        end('failed');
        break;
      case 'session_title':
        titled(data.title ?? e.content);
        break;
    }
  };

  /** @param {string} piece */
  const grow = (piece) => {
    if (replayed === null) {
      answer.text += piece;
      return;
    }
    replayed += piece;
    if (replayed.length >= answer.text.length || !answer.text.startsWith(replayed)) {
      answer.text = replayed;
      replayed = null;
    }
  };

  /** @param {string} state */
  const end = (state) => {
    if (replayed !== null && replayed !== '') answer.text = replayed;
    replayed = null;
    answer.state = state;
    answer.stage = 'ended';
    ended = true;
  };

  /** @param {Response} response */
  const follow = async (response) => {
    for await (const events of read(response)) {
      for (const event of events) take(event);
      changed();
    }
  };

  /** Comes back until the turn has ended. */
  const resume = async () => {
    for (let attempt = 0; !ended; attempt += 1) {
      if (answer.state === 'pending' && attempt > 0) stage('reconnecting');
      await pause(waits[Math.min(attempt, waits.length - 1)], abort.signal);
      try {
        const response = await client.send('follow', {
          id: sessionID, query: { message_id: answer.messageID }, lastEventID: seen, signal: abort.signal,
        });
        const before = seen;
        await follow(response);
        if (seen !== before) attempt = 0;
      } catch (error) {
        const problem = problemOf(error);
        if (problem.code === 'canceled') return;
        if (problem.code === 'invalid' && seen) seen = ''; // the log is another one since: from its start
        else if (problem.status !== 0 && problem.status < 500) throw problem;
      }
    }
  };

  return {
    answer,
    /**
     * Asks; resolves when the turn has ended, throws when it never began.
     * @param {Record<string, any>} question
     */
    async ask(question) {
      try {
        await follow(await client.send('ask', { id: sessionID, body: question, signal: abort.signal }));
      } catch (error) {
        const problem = problemOf(error);
        if (problem.code === 'canceled') return;
        if (!answer.messageID) throw problem;
      }
      if (!answer.messageID) throw new Problem('network', 'the connection ended before the answer began');
      await resume();
    },
    /** Takes up a turn that runs, of which the message is known. */
    resume,
    /** Ends the turn on the server; its text so far stays. */
    async stop() {
      if (answer.messageID) await client.call('stop', { id: sessionID, body: { message_id: answer.messageID } });
    },
    /** Lets go of the turn; it runs on without a reader. */
    leave: () => abort.abort(),
  };
}
