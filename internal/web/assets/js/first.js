// @ts-check
/**
 * What cannot wait for the modules: the colours that this browser remembers,
 * so that nothing flashes in others, and the words in its language, which are
 * asked for together with the modules. prefs.js has the last word on both.
 */
(() => {
  const root = document.documentElement;
  /** @param {string} name */
  const kept = (name) => {
    try {
      return localStorage.getItem(`kaoju.${name}`) ?? '';
    } catch {
      return '';
    }
  };
  const theme = kept('theme');
  if (theme === 'light' || theme === 'dark') root.setAttribute('data-theme', theme);
  const lang = [kept('lang'), ...navigator.languages].find((l) => /^(zh|en)/i.test(l)) ?? 'en';
  const own = /** @type {HTMLScriptElement} */ (document.currentScript).src;
  const words = document.createElement('link');
  words.rel = 'modulepreload';
  words.href = new URL(`words/${/^zh/i.test(lang) ? 'zh' : 'en'}.js`, own).href;
  document.head.append(words);
})();
