// @ts-check
/**
 * What stands around every page: the ways to them, the conversations, language
 * and colours. On a narrow screen it is a drawer.
 *
 * @typedef {import('./main.js').App} App
 */
import { createSessionList } from './chat/sessionlist.js';
import { h, icon, iconButton } from './ui/dom.js';
import { attachMenu } from './ui/menu.js';

/**
 * @param {App} app
 * @param {(lang: import('./prefs.js').Lang) => void} changeLang
 */
export function createShell(app, changeLang) {
  const { t } = app.words;
  const main = h('main', { class: 'main', id: 'main', tabindex: '-1' });
  const list = createSessionList(app);
  const narrow = matchMedia('(max-width: 799px)');

  /** @param {boolean} on @param {boolean} [back] */
  const open = (on, back) => {
    root.classList.toggle('drawer-open', on);
    toggle.setAttribute('aria-expanded', String(on));
    side.inert = narrow.matches && !on;
    main.inert = narrow.matches && on;
    if (on) first?.focus();
    else if (back) toggle.focus();
  };

  const links = [
    { page: ['chat', 'trace'], href: '/', icon: /** @type {const} */ ('chat'), label: t('nav.chat') },
    { page: ['bases', 'base', 'document'], href: '/knowledge', icon: /** @type {const} */ ('base'), label: t('nav.knowledge') },
    { page: ['reference'], href: '/reference', icon: /** @type {const} */ ('code'), label: t('nav.reference') },
  ].map((l) => ({ ...l, a: h('a', { href: l.href, class: 'nav-link' }, icon(l.icon), l.label) }));

  const fresh = h('a', { class: 'button primary new-chat', href: '/' }, icon('plus'), t('nav.new'));
  const first = fresh;
  const theme = h('button', { type: 'button', class: 'quiet', 'aria-label': t('theme') }, icon('auto'));
  attachMenu(theme, () => /** @type {const} */ ([['auto', 'auto'], ['light', 'sun'], ['dark', 'moon']]).map(([name, mark]) => ({
    label: t(`theme.${name}`), icon: mark, checked: app.prefs.theme() === name, run: () => app.prefs.setTheme(name),
  })));
  const other = app.words.lang === 'zh' ? 'en' : 'zh';
  const lang = h('button', { type: 'button', class: 'quiet', lang: other === 'zh' ? 'zh-CN' : 'en', onclick: () => changeLang(other) }, other === 'zh' ? '中文' : 'English');

  const side = h('div', { class: 'side', id: 'side', onkeydown: (/** @type {KeyboardEvent} */ e) => e.key === 'Escape' && narrow.matches && open(false, true) },
    h('nav', { class: 'ways', 'aria-label': t('nav.label') },
      h('div', { class: 'brand' }, h('a', { href: '/', class: 'wordmark' }, mark(), h('span', null, t('name')))),
      fresh, h('ul', { class: 'nav' }, links.map((l) => h('li', null, l.a)))),
    list.root,
    h('footer', { class: 'side-foot' }, lang, theme));
  const toggle = iconButton('menu', t('nav.open'), () => open(!root.classList.contains('drawer-open')), { class: 'icon-button drawer-toggle', 'aria-expanded': 'false', 'aria-controls': 'side' });
  const veil = h('div', { class: 'veil', onclick: () => open(false, true) });
  const skip = h('a', { class: 'skip', href: '#main', onclick: (/** @type {Event} */ e) => {
    e.preventDefault();
    main.focus();
  } }, t('skip'));
  const root = h('div', { class: 'shell' }, skip, h('header', { class: 'topbar' }, toggle), side, veil, main);
  const shut = () => open(false);
  narrow.addEventListener('change', shut);
  side.inert = narrow.matches;

  return {
    root, main,
    /** @param {import('./router.js').Place} place */
    at(place) {
      open(false);
      for (const l of links) {
        if (l.page.includes(place.page)) l.a.setAttribute('aria-current', 'page');
        else l.a.removeAttribute('aria-current');
      }
      list.at(place.page === 'chat' ? place.params.session ?? '' : '');
    },
    current: list.at,
    leave() {
      narrow.removeEventListener('change', shut);
      list.leave();
    },
  };
}

/** The sign of the house: a mark in the margin. */
function mark() {
  return h('span', { class: 'logo', 'aria-hidden': 'true' }, '考');
}
