// @ts-check
/**
 * Addresses. A pattern is a path with :names; the first that fits is shown.
 *
 * @typedef {{ pattern: string, page: string }} Route
 * @typedef {{ page: string, params: Record<string, string>, query: URLSearchParams }} Place
 * @typedef {{ dirty: () => boolean, ask: () => Promise<unknown> }} Hold what keeps a page that holds something unsaved; ask says yes where it may be lost
 * @typedef {ReturnType<typeof createRouter>} Router
 */

/** @type {Route[]} */
export const routes = [
  { pattern: '/', page: 'chat' },
  { pattern: '/chat', page: 'chat' },
  { pattern: '/chat/:session', page: 'chat' },
  { pattern: '/knowledge', page: 'bases' },
  { pattern: '/knowledge/:base', page: 'base' },
  { pattern: '/knowledge/:base/:tab', page: 'base' },
  { pattern: '/knowledge/:base/pages/:page', page: 'base' },
  { pattern: '/knowledge/:base/documents/:document', page: 'document' },
  { pattern: '/answers/:message', page: 'trace' },
  { pattern: '/reference', page: 'reference' },
];

/**
 * @param {string} path
 * @returns {{ page: string, params: Record<string, string> }}
 */
export function match(path) {
  const parts = path.split('/').filter(Boolean);
  for (const { pattern, page } of routes) {
    const wanted = pattern.split('/').filter(Boolean);
    if (wanted.length !== parts.length) continue;
    /** @type {Record<string, string>} */
    const params = {};
    const fits = wanted.every((w, i) => {
      if (!w.startsWith(':')) return w === parts[i];
      try {
        params[w.slice(1)] = decodeURIComponent(parts[i]);
        return true;
      } catch {
        return false;
      }
    });
    if (fits) return { page, params };
  }
  return { page: 'missing', params: {} };
}

/**
 * Follows the address and calls show whenever it changes.
 * @param {(place: Place) => void} show
 */
export function createRouter(show) {
  const here = () => ({ ...match(location.pathname), query: new URLSearchParams(location.search) });
  /** @type {Hold | null} */
  let hold = null;
  let shown = location.pathname + location.search;
  const tell = () => {
    hold = null;
    shown = location.pathname + location.search;
    show(here());
  };

  /** Whether what is shown may be left; asks where something would be lost. */
  const mayLeave = async () => !hold?.dirty() || !!(await hold.ask());

  /**
   * Links of our own change the page without loading it.
   * @param {MouseEvent} e
   */
  const follow = (e) => {
    if (e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
    const a = e.target instanceof Element ? e.target.closest('a') : null;
    if (!a || a.target || a.hasAttribute('download') || a.origin !== location.origin || a.getAttribute('href')?.startsWith('#')) return;
    if (match(a.pathname).page === 'missing') return;
    e.preventDefault();
    mayLeave().then((may) => may && go(a.pathname + a.search));
  };

  /** Back and forward have changed the address already; who stays has it back. */
  const moved = async () => {
    const to = location.pathname + location.search;
    if (to === shown) return; // a jump within the page
    if (!hold?.dirty()) return tell();
    history.pushState(null, '', shown);
    if (await mayLeave()) go(to);
  };

  /**
   * @param {string} path
   * @param {{ replace?: boolean, quiet?: boolean }} [how] quiet changes the address and shows nothing anew
   */
  const go = (path, how = {}) => {
    if (how.replace) history.replaceState(null, '', path);
    else if (path !== location.pathname + location.search) history.pushState(null, '', path);
    if (how.quiet) shown = location.pathname + location.search;
    else tell();
  };

  document.addEventListener('click', follow);
  window.addEventListener('popstate', moved);
  window.addEventListener('beforeunload', (e) => hold?.dirty() && e.preventDefault());
  return {
    go, here, mayLeave, refresh: tell,
    /** Keeps the page until something else is shown, or until it is let go with null. */
    hold(/** @type {Hold | null} */ what) {
      hold = what;
    },
  };
}
