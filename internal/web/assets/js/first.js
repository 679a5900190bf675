// @ts-check
/**
 * What cannot wait for the modules: the colours that this browser remembers,
 * so that nothing flashes in others. prefs.js has the last word on them.
 */
(() => {
  try {
    const theme = localStorage.getItem('kaoju.theme') ?? '';
    if (theme === 'light' || theme === 'dark') document.documentElement.setAttribute('data-theme', theme);
  } catch {
    // storage is switched off: the system's colours
  }
})();
