// @ts-check
/**
 * The API, browsed: every route of the document that the server publishes.
 *
 * @typedef {import('./main.js').App} App
 */
import { problemOf } from './api/client.js';
import { fill, h, icon } from './ui/dom.js';
import { tell } from './ui/errors.js';

/** Which heading a path stands under: the first that fits. @type {readonly (readonly [string, RegExp])[]} */
const groups = [
  ['asking', /^\/api\/v1\/(sessions|messages|feedback|open-questions)/],
  ['search', /^\/api\/v1\/knowledge-search/],
  ['faq', /\/faq\b/],
  ['wiki', /\/wiki\b/],
  ['documents', /\/(documents|chunks|folders|ingest|enrichment|rechunk|tags)\b/],
  ['bases', /^\/api\/v1\/knowledge-bases/],
  ['assistants', /^\/api\/v1\/assistants/],
  ['models', /^\/api\/v1\/models/],
  ['openai', /^\/(v1|api\/stream|api\/rag-chat)\b/],
  ['server', /^/],
];

/** @param {App} app */
export function show(app) {
  const { t, tn } = app.words;
  app.title(t('reference.title'));
  const search = h('input', { type: 'search', placeholder: t('reference.search'), 'aria-label': t('reference.search'), oninput: () => draw() });
  const list = h('div', { class: 'route-list' });
  const count = h('p', { class: 'hint', role: 'status' });
  const nav = h('nav', { class: 'route-groups', 'aria-label': t('reference.groups') });
  app.main.append(h('div', { class: 'page' },
    h('header', { class: 'page-head' }, h('h1', null, t('reference.title')), h('a', { class: 'button', href: '/api/openapi.json', target: '_blank' }, icon('code'), 'openapi.json')),
    h('p', { class: 'lead' }, t('reference.text')), app.words.lang === 'zh' && h('p', { class: 'hint' }, t('reference.language')), h('div', { class: 'search-field' }, icon('search'), search), count, nav, list));
  /** @type {any} */
  let document = null;

  const draw = () => {
    if (!document) return;
    const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const all = Object.entries(document.paths).flatMap(([path, methods]) => Object.entries(/** @type {any} */ (methods)).map(([method, op]) => ({ path, method: method.toUpperCase(), op })));
    const fits = all.filter(({ path, method, op }) => wanted.every((w) => `${method} ${path} ${op.summary}`.toLowerCase().includes(w)));
    count.textContent = tn('reference.count', fits.length);
    const sections = groups.map(([name]) => ({ name, routes: fits.filter((r) => groupOf(r.path) === name) })).filter((s) => s.routes.length > 0);
    fill(nav, sections.map((s) => h('a', { class: 'quiet small', href: `#group-${s.name}` }, t(`reference.group.${s.name}`))));
    fill(list, sections.map((s) => h('div', { class: 'routes' },
      h('h2', { id: `group-${s.name}`, tabindex: '-1' }, t(`reference.group.${s.name}`)), s.routes.map((r) => route(app, document, r)))));
  };
  app.client.send('openapi').then((r) => r.json()).then((d) => {
    document = d;
    draw();
  }).catch((error) => fill(list, h('p', { class: 'field-error' }, tell(app.words, problemOf(error)))));
}

/** @param {string} path */
function groupOf(path) {
  return groups.find(([, pattern]) => pattern.test(path))?.[0];
}

/** @param {App} app @param {any} document @param {{ path: string, method: string, op: any }} r */
function route(app, document, r) {
  const { t } = app.words;
  const body = h('div', { class: 'route-body' });
  const details = h('details', { class: 'route', ontoggle: () => details.open && !body.hasChildNodes() && fill(body, content(app, document, r.op)) },
    h('summary', null, h('span', { class: `method method-${r.method.toLowerCase()}` }, r.method), h('code', null, r.path), h('span', { class: 'hint' }, r.op.summary ?? t('reference.none'))), body);
  return details;
}

/** @param {App} app @param {any} document @param {any} op */
function content(app, document, op) {
  const { t } = app.words;
  const parameters = op.parameters ?? [];
  const request = Object.entries(op.requestBody?.content ?? {})[0];
  const answers = Object.entries(op.responses ?? {}).filter(([, r]) => /** @type {any} */ (r).content);
  return [
    op.description && h('p', null, op.description),
    parameters.length > 0 && [h('h3', null, t('reference.parameters')), fields(app, document, Object.fromEntries(parameters.map((/** @type {any} */ p) => [p.name, { ...p.schema, description: [t(`reference.in.${p.in}`), p.description].filter(Boolean).join('; ') }])), parameters.filter((/** @type {any} */ p) => p.required).map((/** @type {any} */ p) => p.name))],
    request && [h('h3', null, `${t('reference.body')} · ${request[0]}`), shape(app, document, /** @type {any} */ (request[1]).schema)],
    answers.map(([status, r]) => {
      const [kind, media] = Object.entries(/** @type {any} */ (r).content)[0];
      return [h('h3', null, `${status === 'default' ? t('reference.error') : status} · ${kind}`), shape(app, document, /** @type {any} */ (media).schema)];
    }),
  ];
}

/** @param {any} document @param {any} schema */
function resolve(document, schema) {
  const name = schema?.$ref?.split('/').pop();
  return name ? document.components.schemas[name] : schema;
}

/** @param {App} app @param {any} document @param {any} schema */
function shape(app, document, schema) {
  const s = resolve(document, schema);
  if (!s?.properties) return h('p', { class: 'hint' }, typeName(schema));
  return fields(app, document, s.properties, s.required ?? []);
}

/** @param {any} schema @returns {string} */
function typeName(schema) {
  if (!schema) return '';
  if (schema.$ref) return schema.$ref.split('/').pop();
  const type = [schema.type].flat().filter((x) => x !== 'null').join(' | ');
  return type === 'array' ? `${typeName(schema.items)}[]` : type || 'any';
}

/**
 * @param {App} app
 * @param {any} document
 * @param {Record<string, any>} properties
 * @param {string[]} required
 * @param {number} [depth]
 * @returns {HTMLElement}
 */
function fields(app, document, properties, required, depth = 0) {
  const { t } = app.words;
  return h('ul', { class: 'fields' }, Object.entries(properties).map(([name, schema]) => {
    const inner = resolve(document, schema.type?.includes?.('array') ? schema.items : schema);
    return h('li', null, h('code', null, name), ' ', h('span', { class: 'type' }, typeName(schema)), !required.includes(name) && h('span', { class: 'hint' }, ` ${t('reference.optional')}`),
      schema.enum && h('span', { class: 'hint' }, ` ${schema.enum.join(' | ')}`), schema.description && h('span', { class: 'hint' }, ` — ${schema.description}`),
      inner?.properties && depth < 3 && fields(app, document, inner.properties, inner.required ?? [], depth + 1));
  }));
}
