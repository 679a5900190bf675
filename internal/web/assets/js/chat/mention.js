// @ts-check
/**
 * "@" in a question offers bases, folders and documents: type to narrow, arrows to
 * move, Enter or Tab to take one.
 *
 * @typedef {import('../main.js').App} App
 * @typedef {import('./composer.js').Choice} Choice
 */
import { fill, h, icon, uniqueID } from '../ui/dom.js';

/** The sign of each kind. */
export const marks = /** @type {const} */ ({ base: 'base', folder: 'folder', document: 'file' });

/**
 * The folders of a base, named with the way to them; other kinds than document
 * bases have none.
 * @param {App} app
 * @param {import('../api/types.js').KnowledgeBase} base
 * @returns {Promise<Choice[]>}
 */
export async function foldersOf(app, base) {
  if (base.kind !== 'document') return [];
  const { items } = await app.client.call('listFolders', { id: base.id });
  const byID = new Map((items ?? []).map((f) => [f.id, f]));
  return (items ?? []).map((f) => {
    const way = [f.name];
    for (let up = byID.get(f.parent_id ?? ''); up && way.length < 20; up = byID.get(up.parent_id ?? '')) way.unshift(up.name);
    return { kind: /** @type {const} */ ('folder'), id: f.id, name: way.join('/') };
  }).sort((a, b) => a.name.localeCompare(b.name));
}

/** Documents that are offered, a base; what is not among them is found by its base. */
const perBase = 200;

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
  /** @type {Choice[] | null} */
  let all = null;
  /** @type {Choice[]} */
  let offered = [];
  let active = 0;
  let from = -1; // where the @ stands

  const load = async () => {
    all = [];
    try {
      const { items: bases } = await app.client.call('listBases');
      all = (bases ?? []).map((b) => ({ kind: 'base', id: b.id, name: app.words.baseName(b.name) }));
      draw();
      for (const b of (bases ?? []).slice(0, 20)) {
        const [folders, { items }] = await Promise.all([foldersOf(app, b), app.client.call('listDocuments', { id: b.id, query: { limit: perBase } })]);
        all.push(...folders, ...(items ?? []).map((d) => ({ kind: /** @type {const} */ ('document'), id: d.id, name: d.name })));
        draw();
      }
    } catch (error) {
      all = null;
      app.fail(error);
    }
  };

  const query = () => text.value.slice(from + 1, text.selectionStart).toLowerCase();

  const draw = () => {
    if (from < 0) return;
    const wanted = query();
    offered = (all ?? []).filter((c) => c.name.toLowerCase().includes(wanted)).slice(0, 30);
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
    offered.length === 0 && h('li', { role: 'option', 'aria-disabled': 'true', 'aria-selected': 'false', class: 'none' }, t('mention.none')));
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
    if (all === null) load();
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
