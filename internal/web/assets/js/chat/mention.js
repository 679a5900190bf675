// @ts-check
/**
 * "@" in a question offers bases, folders and documents: type to narrow, arrows to
 * move, Enter or Tab to take one.
 *
 * @typedef {import('../main.js').App} App
 * @typedef {import('./composer.js').Choice} Choice
 */
import { fill, h, icon, uniqueID } from '../ui/dom.js';
import { foldersOf } from './choices.js';

/** The sign of each kind. */
export const marks = /** @type {const} */ ({ base: 'base', folder: 'folder', document: 'file' });

/** What is offered at once, at most. */
const most = 30;

/**
 * @param {App} app
 * @param {HTMLTextAreaElement} text
 * @param {HTMLElement} box what the list hangs on
 * @param {(choice: Choice) => void} choose
 */
export function attachMentions(app, text, box, choose) {
  const { t, tn } = app.words;
  const id = uniqueID('mentions');
  const list = h('ul', { class: 'mentions', role: 'listbox', id, 'aria-label': t('mention.label'), hidden: true });
  box.append(list);
  text.setAttribute('aria-autocomplete', 'list');
  /** @type {Choice[] | null} bases and folders */
  let places = null;
  /** @type {Choice[]} documents that the server found for what is typed */
  let documents = [];
  let found = ''; // for which words
  let asked = 0;
  /** @type {Choice[]} */
  let offered = [];
  let active = 0;
  let from = -1; // where the @ stands

  const load = async () => {
    places = [];
    try {
      const { items } = await app.client.call('listBases');
      const bases = items ?? [];
      places = bases.map((b) => ({ kind: 'base', id: b.id, name: app.words.baseName(b.name) }));
      draw();
      for (const b of bases.slice(0, 20)) {
        places.push(...await foldersOf(app, b));
        draw();
      }
    } catch (error) {
      places = null;
      app.fail(error);
    }
  };

  /** Asks the server for documents of the name that is typed; only the last answer counts. */
  const find = async () => {
    const words = query();
    const mine = (asked += 1);
    try {
      const { items } = await app.client.call('searchDocuments', { query: { query: words, limit: most } });
      if (mine !== asked) return;
      documents = (items ?? []).map((d) => ({ kind: /** @type {const} */ ('document'), id: d.id, name: d.name }));
      found = words;
      draw();
    } catch (error) {
      if (mine === asked) app.fail(error);
    }
  };

  const query = () => text.value.slice(from + 1, text.selectionStart).toLowerCase();

  const draw = () => {
    if (from < 0) return;
    const wanted = query();
    // Documents of other words stand in until the server has answered, as far as they fit.
    const fits = (/** @type {Choice} */ c) => c.name.toLowerCase().includes(wanted);
    offered = [...(places ?? []).filter(fits).slice(0, most), ...(found === wanted ? documents : documents.filter(fits))];
    active = Math.min(active, Math.max(0, offered.length - 1));
    list.hidden = false;
    text.setAttribute('aria-controls', id);
    fill(list, offered.map((c, i) => h('li', {
      role: 'option', id: `${id}-${i}`, 'aria-selected': String(i === active), class: i === active ? 'active' : null,
      onpointerdown: (/** @type {Event} */ e) => {
        e.preventDefault();
        take(c);
      },
    }, icon(marks[c.kind]), h('span', null, c.name), h('small', null, t(`mention.${c.kind}`)))),
    offered.length === 0 && found === wanted && h('li', { role: 'option', 'aria-disabled': 'true', 'aria-selected': 'false', class: 'none' }, t('mention.none')));
    if (offered.length > 0) text.setAttribute('aria-activedescendant', `${id}-${active}`);
    else text.removeAttribute('aria-activedescendant');
    list.querySelector('.active')?.scrollIntoView({ block: 'nearest' });
  };

  const close = () => {
    from = -1;
    list.hidden = true;
    text.removeAttribute('aria-activedescendant');
    text.removeAttribute('aria-controls');
  };

  /** @param {Choice} c */
  const take = (c) => {
    const end = text.selectionStart;
    text.setRangeText('', from, end, 'end');
    close();
    choose(c);
    app.toasts.say(t('mention.taken', { name: c.name }));
    text.dispatchEvent(new Event('input', { bubbles: true }));
    text.focus();
  };

  /** Looks whether the cursor stands behind an @ that begins a word. */
  const look = () => {
    const before = text.value.slice(0, text.selectionStart);
    const m = /(?:^|[\s，。；：、（(])@([^\s@]{0,60})$/.exec(before);
    if (!m) {
      if (from >= 0) close();
      return;
    }
    const began = from < 0;
    from = before.length - m[1].length - 1;
    if (began) active = 0;
    if (places === null) load();
    if (began || query() !== found) find();
    draw();
    if (began) app.toasts.say(tn('mention.count', offered.length));
  };

  text.addEventListener('input', look);
  text.addEventListener('blur', close);

  return {
    /** Types an @ for people who look for a button. */
    begin() {
      text.focus();
      const at = text.selectionStart;
      const gap = at > 0 && !/\s/.test(text.value[at - 1]) ? ' ' : '';
      text.setRangeText(`${gap}@`, at, text.selectionEnd, 'end');
      text.dispatchEvent(new Event('input', { bubbles: true }));
    },
    /** @param {KeyboardEvent} e @returns {boolean} whether the key was for the list */
    key(e) {
      if (from < 0) return false;
      if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
        const n = Math.max(1, offered.length);
        active = (active + (e.key === 'ArrowDown' ? 1 : n - 1)) % n;
        draw();
      } else if ((e.key === 'Enter' || e.key === 'Tab') && offered.length > 0) take(offered[active]);
      else if (e.key === 'Escape') close();
      else return false;
      e.preventDefault();
      e.stopPropagation();
      return true;
    },
    leave: close,
  };
}
