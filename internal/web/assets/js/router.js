// @ts-check
/**
 * Addresses. A pattern is a path with :names; the first that fits is shown.
 *
 * @typedef {{ pattern: string, page: string }} Route
 * @typedef {{ page: string, params: Record<string, string>, query: URLSearchParams }} Place
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
  const tell = () => show(here());

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
    go(a.pathname + a.search);
  };

  /**
   * @param {string} path
   * @param {{ replace?: boolean, quiet?: boolean }} [how] quiet changes the address and shows nothing anew
   */
  const go = (path, how = {}) => {
    if (how.replace) history.replaceState(null, '', path);
    else if (path !== location.pathname + location.search) history.pushState(null, '', path);
    if (!how.quiet) tell();
  };

  document.addEventListener('click', follow);
  window.addEventListener('popstate', tell);
  return { go, here, refresh: tell };
}
