// @ts-check
/**
 * The one way to the server. Every call is one of endpoints.js; errors are
 * Problems, whatever went wrong.
 *
 * @typedef {import('./endpoints.js').EndpointName} EndpointName
 * @typedef {import('./types.js').Schemas} Schemas
 * @typedef {{ id?: string, document?: string, params?: Record<string, string>, query?: Record<string, string | number | boolean | undefined>,
 *   body?: Record<string, any> | FormData, lastEventID?: string, signal?: AbortSignal }} Call
 * @typedef {ReturnType<typeof createClient>} Client
 */
import { endpoints } from './endpoints.js';

/** What went wrong: `code` is the server's, or "network" or "canceled". */
export class Problem extends Error {
  /**
   * @param {string} code
   * @param {string} detail
   * @param {number} [status] 0 where no answer came
   */
  constructor(code, detail, status = 0) {
    super(detail);
    this.name = 'Problem';
    this.code = code;
    this.status = status;
  }
}

/**
 * Turns whatever was thrown into a Problem.
 * @param {unknown} error
 */
export function problemOf(error) {
  if (error instanceof Problem) return error;
  if (error instanceof DOMException && error.name === 'AbortError') return new Problem('canceled', 'canceled');
  return new Problem('network', error instanceof Error ? error.message : String(error));
}

/**
 * @param {Response} response
 * @returns {Promise<Problem>}
 */
async function refusal(response) {
  try {
    const body = await response.json();
    return new Problem(body.code ?? 'internal', body.detail ?? response.statusText, response.status);
  } catch {
    return new Problem('internal', response.statusText || `HTTP ${response.status}`, response.status);
  }
}

/** @param {string} text @returns {any} null where it is no JSON */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * The address of a call. A parameter that the endpoint does not declare is a
 * mistake of ours and throws.
 *
 * @param {EndpointName} name
 * @param {Call} call
 */
export function addressOf(name, call) {
  const endpoint = endpoints[name];
  const params = { id: call.id ?? '', ...call.params };
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, key) => {
    const value = /** @type {Record<string, string>} */ (params)[key];
    if (!value) throw new TypeError(`${name} needs ${key}`);
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(call.query ?? {})) {
    if (!(/** @type {readonly string[]} */ (endpoint.query).includes(key))) throw new TypeError(`${name} has no parameter ${key}`);
    if (value !== undefined && value !== '') query.set(key, String(value));
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

/**
 * @param {EndpointName} name
 * @param {Record<string, any>} body
 */
function checkBody(name, body) {
  for (const key of Object.keys(body)) {
    if (!(/** @type {readonly string[]} */ (endpoints[name].body).includes(key))) throw new TypeError(`${name} has no field ${key}`);
  }
}

/**
 * @param {{ key: () => string, unauthorized: () => Promise<boolean> }} options
 *   unauthorized asks for another key; true when there is one
 */
export function createClient(options) {
  /**
   * @param {EndpointName} name
   * @param {Call} [call]
   * @returns {Promise<Response>}
   */
  async function send(name, call = {}) {
    /** @type {Record<string, string>} */
    const headers = {};
    const key = options.key();
    if (key) headers.Authorization = `Bearer ${key}`;
    if (call.lastEventID) headers['Last-Event-ID'] = call.lastEventID;
    /** @type {BodyInit | undefined} */
    let body;
    if (call.body instanceof FormData) body = call.body;
    else if (call.body) {
      checkBody(name, call.body);
      headers['Content-Type'] = 'application/json';
      body = JSON.stringify(call.body);
    }
    /** @type {Response} */
    let response;
    try {
      response = await fetch(addressOf(name, call), { method: endpoints[name].method, headers, body, signal: call.signal });
    } catch (error) {
      throw error instanceof TypeError && /needs|has no/.test(error.message) ? error : problemOf(error);
    }
    if (response.ok) return response;
    const problem = await refusal(response);
    if (problem.code === 'unauthorized' && (await options.unauthorized())) return send(name, call);
    throw problem;
  }

  /**
   * Makes a call and reads its JSON; null where there is none.
   *
   * @template {EndpointName} N
   * @param {N} name
   * @param {Call} [call]
   * @returns {Promise<Schemas[(typeof endpoints)[N]['answer']]>}
   */
  async function call(name, call) {
    const response = await send(name, call);
    if (response.status === 204) return /** @type {any} */ (null);
    try {
      return await response.json();
    } catch (error) {
      throw problemOf(error);
    }
  }

  /**
   * Loads a file of the server's and hands it to the browser to keep.
   * @param {EndpointName} name
   * @param {Call} [request]
   */
  async function blob(name, request) {
    return (await send(name, request)).blob();
  }

  /**
   * Sends files. Only XMLHttpRequest tells how much has been sent.
   * @param {string} base
   * @param {FormData} form
   * @param {(share: number) => void} progress
   * @returns {{ done: Promise<import('./types.js').UploadReport>, abort: () => void }}
   */
  function upload(base, form, progress) {
    const request = new XMLHttpRequest();
    const attempt = () => new Promise((resolve, reject) => {
      request.open(endpoints.upload.method, addressOf('upload', { id: base }));
      const key = options.key();
      if (key) request.setRequestHeader('Authorization', `Bearer ${key}`);
      request.upload.onprogress = (e) => e.lengthComputable && progress(e.loaded / e.total);
      request.onerror = () => reject(new Problem('network', 'the upload broke off'));
      request.onabort = () => reject(new Problem('canceled', 'canceled'));
      request.onload = () => {
        const body = parse(request.responseText);
        if (request.status < 300 && body) resolve(body);
        else reject(new Problem(body?.code ?? 'internal', body?.detail ?? request.statusText, request.status));
      };
      request.send(form);
    });
    const done = attempt().catch(async (problem) => {
      if (problem.code === 'unauthorized' && (await options.unauthorized())) return attempt();
      throw problem;
    });
    return { done, abort: () => request.abort() };
  }

  return { call, send, blob, upload };
}
