/**
 * Fulfil one wish at a time, the newest next. A drag cannot end on a stale picture, and a slow server is not flooded.
 * @template T
 * @param {(wish: T) => Promise<void>} fulfil never rejects
 * @returns {(wish: T) => Promise<void>} resolves when nothing waits
 */
export function latest(fulfil) {
  /** @type {{wish: T} | null} */
  let waiting = null;
  /** @type {Promise<void> | null} */
  let running = null;
  const run = async () => {
    while (waiting) {
      const { wish } = waiting;
      waiting = null;
      await fulfil(wish);
    }
    running = null;
  };
  return (wish) => {
    waiting = { wish };
    running ??= run();
    return running;
  };
}
