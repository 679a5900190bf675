// @ts-check
/** How sure an answer is: a small badge that explains itself when it is opened. */
import { h, icon, uniqueID } from '../ui/dom.js';

/**
 * @param {import('../main.js').App} app
 * @param {import('./turn.js').Answer} answer
 */
export function confidenceBadge(app, answer) {
  const { t, has, percent } = app.words;
  const c = /** @type {import('../api/types.js').Confidence} */ (answer.confidence);
  const id = uniqueID('confidence');
  const reasons = (c.reasons ?? []).map((r) => (has(`reason.${r}`) ? t(`reason.${r}`) : r));
  const rows = [
    [t('confidence.score'), percent(c.score)],
    [t('confidence.probability'), percent(c.probability)],
    [t('confidence.evidence'), percent(c.evidence)],
    c.status !== 'not_applicable' && [t('confidence.generation'), percent(c.generation)],
  ].filter((r) => r !== false);
  const panel = h('div', { class: 'popover', id, popover: 'auto', role: 'group', 'aria-label': t('confidence.title') },
    h('h3', null, t(`confidence.${c.level}.title`)),
    h('p', null, t(`confidence.${c.level}.text`)),
    h('dl', { class: 'figures' }, rows.map(([name, value]) => [h('dt', null, name), h('dd', null, value)])),
    reasons.length > 0 && h('ul', null, reasons.map((r) => h('li', null, r))),
    answer.hitType && has(`hit.${answer.hitType}`) && h('p', { class: 'hint' }, t(`hit.${answer.hitType}`)));
  const button = h('button', { type: 'button', class: `badge level-${c.level}`, popovertarget: id, title: t('confidence.explain') },
    h('span', { class: 'dot', 'aria-hidden': 'true' }), t(`confidence.${c.level}`), icon('info'));
  panel.addEventListener('toggle', (e) => {
    if (/** @type {ToggleEvent} */ (e).newState !== 'open') return;
    const at = button.getBoundingClientRect();
    panel.style.left = `${Math.max(8, Math.min(at.left, innerWidth - panel.offsetWidth - 8))}px`;
    const above = at.top - panel.offsetHeight - 6;
    // Where it fits neither above nor below it covers the badge.
    panel.style.top = `${above > 8 ? above : Math.max(8, Math.min(at.bottom + 6, innerHeight - panel.offsetHeight - 8))}px`;
  });
  return h('span', { class: 'confidence' }, button, panel);
}
