/** The tabs of a browser tell each other what no server has to know. */

/** Return a channel between them; null where they cannot talk, as in some frames. @param {string} name @returns {BroadcastChannel | null} */
export function tabChannel(name) {
  try {
    return new BroadcastChannel(name);
  } catch {
    return null;
  }
}
