// @ts-check
/**
 * The conversations of this user: loaded a page at a time, kept in the order
 * of the server, shared by the list at the side and the page of a
 * conversation.
 *
 * @typedef {import('../api/types.js').Session} Session
 * @typedef {ReturnType<typeof createSessions>} Sessions
 */

const pageSize = 100;

/** @param {{ client: import('../api/client.js').Client, fail: (error: unknown) => void }} app */
export function createSessions(app) {
  /** @type {Session[]} */
  let items = [];
  let total = -1; // not known yet
  /** @type {Promise<void> | null} */
  let loading = null;
  /** @type {Set<() => void>} */
  const watchers = new Set();
  const changed = () => watchers.forEach((f) => f());

  const sort = () => {
    items.sort((a, b) => Number(b.pinned) - Number(a.pinned) || b.updated_at.localeCompare(a.updated_at));
    changed();
  };

  /** @param {Session} session */
  const put = (session) => {
    const at = items.findIndex((s) => s.id === session.id);
    if (at >= 0) items[at] = session;
    else {
      items.push(session);
      if (total >= 0) total += 1;
    }
    sort();
  };

  /** @param {string[]} ids */
  const drop = (ids) => {
    const before = items.length;
    items = items.filter((s) => !ids.includes(s.id));
    total -= before - items.length;
    changed();
  };

  const fetchMore = async () => {
    const page = await app.client.call('listSessions', { query: { offset: items.length, limit: pageSize } });
    const known = new Set(items.map((s) => s.id));
    items.push(...(page.items ?? []).filter((s) => !known.has(s.id)));
    total = page.total;
    changed();
  };

  return {
    items: () => items,
    total: () => total,
    complete: () => total >= 0 && items.length >= total,
    get: (/** @type {string} */ id) => items.find((s) => s.id === id),
    watch(/** @type {() => void} */ f) {
      watchers.add(f);
      return () => watchers.delete(f);
    },
    /** Loads the next page; one load at a time. */
    more() {
      loading ??= fetchMore()
        .catch(app.fail)
        .finally(() => (loading = null));
      return loading;
    },
    put,
    /** The server renamed it, after the first answer. */
    titled(/** @type {string} */ id, /** @type {string} */ title) {
      const session = items.find((s) => s.id === id);
      if (session) put({ ...session, title });
    },
    /** It was just used. */
    touch(/** @type {string} */ id) {
      const session = items.find((s) => s.id === id);
      if (session) put({ ...session, updated_at: new Date().toISOString() });
    },
    async rename(/** @type {string} */ id, /** @type {string} */ title) {
      put(await app.client.call('changeSession', { id, body: { title } }));
    },
    async pin(/** @type {string} */ id, /** @type {boolean} */ pinned) {
      put(await app.client.call('changeSession', { id, body: { pinned } }));
    },
    async remove(/** @type {string[]} */ ids) {
      if (ids.length === 1) await app.client.call('deleteSession', { id: ids[0] });
      else await app.client.call('deleteSessions', { body: { ids } });
      drop(ids);
    },
  };
}
