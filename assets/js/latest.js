/**
 * One request at a time, the latest wins: while one is under way only the newest wish is kept, so a drag can never end on a stale picture
 * and a slow server is never flooded.
 * @template T
 * @param {(wish: T) => Promise<void>} fulfil never rejects
 * @returns {(wish: T) => Promise<void>} resolves when nothing is waiting any more
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
