// @ts-check
/**
 * Where everything is put together. `app` is what pages work with; each page
 * is a module with show(app, place), which fills app.main and may give back
 * what to do when it is left.
 *
 * @typedef {import('./api/client.js').Client} Client
 * @typedef {{ client: Client, words: import('./i18n.js').I18n, prefs: import('./prefs.js').Prefs, router: import('./router.js').Router,
 *   toasts: import('./ui/toast.js').Toasts, sessions: import('./chat/sessions.js').Sessions, main: HTMLElement,
 *   current: (session: string) => void, title: (text: string) => void, fail: (error: unknown) => void }} App
 * @typedef {{ show: (app: App, place: import('./router.js').Place) => (void | (() => void)) }} Page
 */
import { createClient, problemOf } from './api/client.js';
import * as chat from './chat/page.js';
import { createSessions } from './chat/sessions.js';
import { createWords, loadWords } from './i18n.js';
import { createPrefs } from './prefs.js';
import { createRouter } from './router.js';
import { createShell } from './shell.js';
import { askForKey } from './signin.js';
import { tell } from './ui/errors.js';
import { createToasts } from './ui/toast.js';

/** @type {Record<string, () => Promise<Page> | Page>} */
const pages = {
  chat: () => chat,
  bases: () => import('./knowledge/bases.js'),
  base: () => import('./knowledge/base.js'),
  document: () => import('./knowledge/document.js'),
  trace: () => import('./trace.js'),
  reference: () => import('./reference.js'),
  missing: () => import('./missing.js'),
};

const prefs = createPrefs();
prefs.applyTheme();

/** Starts the interface in the language of the reader. */
async function start() {
  const lang = prefs.lang();
  document.documentElement.lang = lang === 'zh' ? 'zh-CN' : 'en';
  let words = createWords(lang, await loadWords(lang));
  const toasts = createToasts(() => words);
  const client = createClient({ key: prefs.key, unauthorized: () => askForKey(words, prefs) });
  const router = createRouter((place) => show(place));
  /** @type {(void | (() => void))} */
  let leave;
  let turn = 0;

  /** @param {unknown} error */
  const fail = (error) => {
    const problem = problemOf(error);
    if (problem.code !== 'canceled') toasts.error(tell(words, problem));
  };

  const app = /** @type {App} */ (/** @type {unknown} */ ({
    client, prefs, router, toasts, fail, words,
    title: (/** @type {string} */ text) => (document.title = text ? `${text} · ${words.t('name')}` : words.t('name')),
    current: (/** @type {string} */ id) => shell.current(id),
  }));
  app.sessions = createSessions(app);

  const build = () => {
    app.words = words;
    const shell = createShell(app, changeLang);
    app.main = shell.main;
    document.getElementById('app')?.replaceChildren(shell.root);
    return shell;
  };

  /** @param {import('./prefs.js').Lang} to */
  const changeLang = async (to) => {
    if (!(await router.mayLeave())) return;
    prefs.setLang(to);
    words = createWords(to, await loadWords(to));
    document.documentElement.lang = to === 'zh' ? 'zh-CN' : 'en';
    leave?.();
    leave = undefined;
    shell.leave();
    shell = build();
    router.refresh();
  };

  let shell = build();

  /** @param {import('./router.js').Place} place */
  const show = async (place) => {
    const mine = (turn += 1);
    leave?.();
    leave = undefined;
    try {
      const page = await pages[place.page]();
      if (mine !== turn) return;
      app.main.replaceChildren();
      app.main.className = `main page-${place.page}`;
      shell.at(place);
      leave = page.show(app, place);
    } catch (error) {
      fail(error);
    }
  };
  router.refresh();
}

start();
