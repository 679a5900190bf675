// @ts-check
/**
 * The list of conversations at the side: search by title and by what was
 * said, rename, pin, delete one or many.
 *
 * @typedef {import('../main.js').App} App
 * @typedef {import('../api/types.js').Session} Session
 */
import { confirmDialog, promptDialog } from '../ui/dialog.js';
import { fill, h, icon, iconButton, uniqueID } from '../ui/dom.js';
import { attachMenu } from '../ui/menu.js';

/** @param {App} app */
export function createSessionList(app) {
  const { t, tn } = app.words;
  let current = '';
  let query = '';
  let selecting = false;
  /** @type {Set<string>} */
  const selected = new Set();
  /** @type {import('../api/types.js').FoundMessage[]} */
  let found = [];

  const list = h('ul', { class: 'session-list', 'aria-label': t('sessions.title') });
  const hits = h('div');
  const more = h('div', { class: 'sentinel' });
  const search = h('input', { type: 'search', placeholder: t('sessions.search'), 'aria-label': t('sessions.search'), autocomplete: 'off', oninput: () => find(search.value.trim()) });
  const select = h('button', { type: 'button', class: 'quiet small', 'aria-pressed': 'false', onclick: () => setSelecting(!selecting) }, t('sessions.select'));
  const bar = h('div', { class: 'select-bar' });
  const headID = uniqueID('sessions');
  const root = h('section', { class: 'sessions', 'aria-labelledby': headID },
    h('div', { class: 'search-field' }, icon('search'), search),
    h('div', { class: 'sessions-head' }, h('h2', { id: headID }, t('sessions.title')), select),
    bar, h('div', { class: 'session-scroll' }, list, hits, more));

  /** @param {boolean} on */
  const setSelecting = (on) => {
    selecting = on;
    selected.clear();
    select.setAttribute('aria-pressed', String(on));
    select.textContent = on ? t('done') : t('sessions.select');
    draw();
  };

  /** @param {Session} s */
  const rename = async (s) => {
    const title = await promptDialog(app.words, { title: t('sessions.rename'), label: t('sessions.name'), value: s.title, action: t('save') });
    if (title) await app.sessions.rename(s.id, title).catch(app.fail);
  };

  /** @param {string[]} ids @param {string} title */
  const remove = async (ids, title) => {
    const text = ids.length === 1 ? t('sessions.delete.one', { title }) : tn('sessions.delete.many', ids.length);
    if (!(await confirmDialog(app.words, t('sessions.delete'), text, t('delete')))) return;
    try {
      await app.sessions.remove(ids);
      if (selecting) setSelecting(false);
      if (ids.includes(current)) app.router.go('/', { replace: true });
      app.toasts.info(tn('sessions.deleted', ids.length));
    } catch (error) {
      app.fail(error);
    }
  };

  /** @param {Session} s */
  const row = (s) => {
    const title = s.title || t('sessions.untitled');
    if (selecting) {
      const box = h('input', { type: 'checkbox', checked: selected.has(s.id), onchange: () => {
        if (box.checked) selected.add(s.id);
        else selected.delete(s.id);
        drawBar();
      } });
      return h('li', { class: 'session' }, h('label', { class: 'session-link' }, box, h('span', null, title)));
    }
    const menu = iconButton('more', t('sessions.actions', { title }), () => {}, { class: 'icon-button session-menu' });
    attachMenu(menu, () => [
      { label: s.pinned ? t('sessions.unpin') : t('sessions.pin'), icon: 'pin', run: () => app.sessions.pin(s.id, !s.pinned).catch(app.fail) },
      { label: t('sessions.rename'), icon: 'edit', run: () => rename(s) },
      { label: t('delete'), icon: 'trash', danger: true, run: () => remove([s.id], title) },
    ]);
    return h('li', { class: 'session', 'data-id': s.id },
      h('a', { class: 'session-link', href: `/chat/${s.id}`, 'aria-current': s.id === current ? 'page' : null, title },
        s.pinned && h('span', { class: 'pinned' }, icon('pin'), h('span', { class: 'visually-hidden' }, t('sessions.pinned'))), h('span', null, title)),
      menu);
  };

  const drawBar = () => {
    if (!selecting) return fill(bar);
    const all = visible();
    fill(bar,
      h('button', { type: 'button', class: 'quiet small', onclick: () => {
        const full = selected.size === all.length;
        selected.clear();
        if (!full) all.forEach((s) => selected.add(s.id));
        draw();
      } }, t('sessions.select.all')),
      h('button', { type: 'button', class: 'quiet small danger', disabled: selected.size === 0, onclick: () => remove([...selected], '') }, icon('trash'), tn('sessions.delete.count', selected.size)));
  };

  const visible = () => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    return app.sessions.items().filter((s) => words.every((w) => s.title.toLowerCase().includes(w)));
  };

  const draw = () => {
    const items = visible();
    fill(list, items.map(row));
    drawBar();
    select.hidden = app.sessions.items().length === 0;
    const empty = items.length === 0 && found.length === 0;
    fill(hits,
      found.length > 0 && [h('h3', null, t('sessions.found')), h('ul', { class: 'session-list' }, found.map((m) => h('li', { class: 'session' },
        h('a', { class: 'session-link hit', href: `/chat/${m.session_id}`, title: m.session_title }, h('span', null, m.session_title || t('sessions.untitled')), h('small', null, excerpt(m.content, query))))))],
      empty && app.sessions.total() >= 0 && h('p', { class: 'hint' }, query ? t('sessions.none.found') : t('sessions.none')));
  };

  let asked = 0;
  /** @param {string} text */
  const find = async (text) => {
    query = text;
    found = [];
    draw();
    const mine = (asked += 1);
    if (text.length < 2) return;
    try {
      const answer = await app.client.call('searchMessages', { query: { query: text, limit: 20 } });
      if (mine !== asked) return;
      const titles = new Set(visible().map((s) => s.id));
      const seen = new Set();
      found = (answer.items ?? []).filter((m) => !titles.has(m.session_id) && !seen.has(m.session_id) && seen.add(m.session_id));
      draw();
    } catch (error) {
      app.fail(error);
    }
  };

  const unwatch = app.sessions.watch(draw);
  const sight = new IntersectionObserver((entries) => {
    if (entries.some((e) => e.isIntersecting) && !app.sessions.complete()) app.sessions.more();
  }, { root: null, rootMargin: '200px' });
  sight.observe(more);
  draw();

  return {
    root,
    leave() {
      unwatch();
      sight.disconnect();
    },
    /** Marks the conversation that is shown. */
    at(/** @type {string} */ id) {
      if (id === current) return;
      current = id;
      for (const a of list.querySelectorAll('a')) {
        if (a.getAttribute('href') === `/chat/${id}`) a.setAttribute('aria-current', 'page');
        else a.removeAttribute('aria-current');
      }
    },
  };
}

/**
 * The words around the first hit.
 * @param {string} text
 * @param {string} query
 */
function excerpt(text, query) {
  text = text.replace(/ ?\[\d+\]/g, ''); // marks mean nothing without their sources
  const at = Math.max(0, text.toLowerCase().indexOf(query.toLowerCase().split(/\s+/)[0]));
  const start = Math.max(0, at - 24);
  return `${start > 0 ? '…' : ''}${text.slice(start, start + 90).replace(/\s+/g, ' ')}`;
}
