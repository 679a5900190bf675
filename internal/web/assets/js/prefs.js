// @ts-check
/**
 * What this browser remembers: language, theme and, where the server asks for
 * one, the API key. Storage that is switched off is no error: things then
 * last as long as the page.
 *
 * @typedef {'light' | 'dark' | 'auto'} Theme
 * @typedef {'zh' | 'en'} Lang
 * @typedef {ReturnType<typeof createPrefs>} Prefs
 */

/**
 * @param {() => Storage} open
 */
function shelf(open) {
  /** @type {Map<string, string>} */
  const spare = new Map();
  /** @type {Storage | null} */
  let storage = null;
  try {
    storage = open();
  } catch {
    storage = null;
  }
  return {
    /** @param {string} name */
    get(name) {
      return spare.get(name) ?? storage?.getItem(`kaoju.${name}`) ?? '';
    },
    /**
     * @param {string} name
     * @param {string} value
     */
    set(name, value) {
      spare.delete(name);
      try {
        if (value) storage?.setItem(`kaoju.${name}`, value);
        else storage?.removeItem(`kaoju.${name}`);
        if (storage) return;
      } catch {
        // full or forbidden
      }
      spare.set(name, value);
    },
  };
}

/** The preferences of this browser. */
export function createPrefs() {
  const lasting = shelf(() => localStorage);
  const tab = shelf(() => sessionStorage);
  return {
    /** @returns {Lang} */
    lang() {
      const chosen = lasting.get('lang');
      if (chosen === 'zh' || chosen === 'en') return chosen;
      const wanted = navigator.languages.find((l) => /^(zh|en)/i.test(l)) ?? 'en';
      return /^zh/i.test(wanted) ? 'zh' : 'en';
    },
    setLang: (/** @type {Lang} */ lang) => lasting.set('lang', lang),
    /** @returns {Theme} */
    theme() {
      const chosen = lasting.get('theme');
      return chosen === 'light' || chosen === 'dark' ? chosen : 'auto';
    },
    /** @param {Theme} theme */
    setTheme(theme) {
      lasting.set('theme', theme === 'auto' ? '' : theme);
      this.applyTheme();
    },
    applyTheme() {
      const theme = this.theme();
      if (theme === 'auto') document.documentElement.removeAttribute('data-theme');
      else document.documentElement.setAttribute('data-theme', theme);
    },
    key: () => tab.get('key') || lasting.get('key'),
    /**
     * @param {string} key
     * @param {boolean} keep beyond this tab
     */
    setKey(key, keep) {
      tab.set('key', keep ? '' : key);
      lasting.set('key', keep ? key : '');
    },
    /** What was typed and not sent, for each session. */
    draft: (/** @type {string} */ session) => tab.get(`draft.${session}`),
    setDraft: (/** @type {string} */ session, /** @type {string} */ text) => tab.set(`draft.${session}`, text),
    /** Any other small thing that should last. */
    note: (/** @type {string} */ name) => lasting.get(name),
    setNote: (/** @type {string} */ name, /** @type {string} */ value) => lasting.set(name, value),
  };
}
