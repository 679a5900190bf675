// @ts-check
/** What to tell people about a Problem, in their language. */

/**
 * @param {import('../i18n.js').I18n} words
 * @param {{ code: string, detail?: string, message?: string }} problem
 */
export function tell(words, problem) {
  const key = `error.${problem.code}`;
  const detail = problem.detail ?? problem.message ?? '';
  if (!words.has(key)) return words.told(detail) || words.t('error.internal');
  const text = words.t(key);
  // The server's own sentence is more precise.
  return detail && problem.code !== 'network' && problem.code !== 'unauthorized' ? words.t('error.detail', { text, detail: words.told(detail) }) : text;
}
