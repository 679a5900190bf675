// @ts-check
/**
 * Words in the language of the reader. Keys are the same in every file of
 * words/; a test compares them, and finds keys that nobody uses.
 *
 * @typedef {import('./prefs.js').Lang} Lang
 * @typedef {Record<string, string>} Words
 * @typedef {ReturnType<typeof createWords>} I18n
 */

/**
 * @param {Lang} lang
 * @returns {Promise<Words>}
 */
export async function loadWords(lang) {
  return (lang === 'zh' ? await import('./words/zh.js') : await import('./words/en.js')).default;
}

/** The server's own sentences are English. @param {Lang} lang @returns {Promise<(text: string) => string>} */
async function loadTold(lang) {
  if (lang === 'en') return (text) => text;
  const [{ createTold }, sentences] = await Promise.all([import('./told.js'), import('./words/server.zh.js')]);
  return createTold(sentences.default);
}

/**
 * @param {Lang} lang
 * @param {Words} words
 */
export function createWords(lang, words) {
  const locale = lang === 'zh' ? 'zh-CN' : 'en-GB';
  const plural = new Intl.PluralRules(locale);
  const number = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
  const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });

  /**
   * @param {string} key
   * @param {Record<string, string | number>} [values] put in the place of {name}
   */
  const t = (key, values) => {
    const text = words[key] ?? key;
    return values ? text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? '')) : text;
  };
  // Nothing on the first screen needs it, and nothing waits for it.
  let told = (/** @type {string} */ text) => text;
  const ready = loadTold(lang).then((f) => {
    told = f;
  }, () => {});
  return {
    lang,
    t,
    /** A sentence of the server in this language, as far as it is known; see toldReady. */
    told: (/** @type {string} */ text) => told(text),
    /** Resolves when told() knows what it can. */
    toldReady: () => ready,
    /** Whether there are words for a key. */
    has: (/** @type {string} */ key) => key in words,
    /**
     * A sentence with a number: `key.one` or `key.other`, {n} in it.
     * @param {string} key
     * @param {number} n
     * @param {Record<string, string | number>} [values]
     */
    tn(key, n, values) {
      const form = `${key}.${plural.select(n)}`;
      return t(form in words ? form : `${key}.other`, { n: number.format(n), ...values });
    },
    number: (/** @type {number} */ n) => number.format(n),
    /** The base that always exists has a name in each language. */
    baseName: (/** @type {string} */ name) => (name === 'default' ? t('bases.default') : name),
    list: (/** @type {string[]} */ items) => items.join(lang === 'zh' ? '、' : ', '),
    percent: (/** @type {number} */ n) => percent.format(n),
    date: (/** @type {string} */ iso) => moment.format(new Date(iso)),
    /** "3 minutes ago", or the day of what is older than a week. */
    ago(/** @type {string} */ iso) {
      const seconds = (Date.parse(iso) - Date.now()) / 1000;
      if (seconds > -60) return relative.format(0, 'minute');
      if (seconds > -3600) return relative.format(Math.round(seconds / 60), 'minute');
      if (seconds > -86400) return relative.format(Math.round(seconds / 3600), 'hour');
      if (seconds > -7 * 86400) return relative.format(Math.round(seconds / 86400), 'day');
      return day.format(new Date(iso));
    },
    bytes(/** @type {number} */ n) {
      if (n < 1024) return `${number.format(n)} B`;
      const units = ['KB', 'MB', 'GB', 'TB'];
      let unit = -1;
      let value = n;
      do {
        value /= 1024;
        unit += 1;
      } while (value >= 1000 && unit < units.length - 1);
      return `${value.toLocaleString(locale, { maximumFractionDigits: value < 10 ? 1 : 0 })} ${units[unit]}`;
    },
    duration(/** @type {number} */ ms) {
      if (ms < 1) return `${ms.toLocaleString(locale, { maximumFractionDigits: 2 })} ms`;
      return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toLocaleString(locale, { maximumFractionDigits: 1 })} s`;
    },
  };
}
