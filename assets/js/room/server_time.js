/** The server's time, as its answers tell it: devices have clocks of their own, and many of them are wrong. */

/** Milliseconds from this page's beginning to the server's time; null before it was told. @type {number | null} */
let ahead = null;

/** Note what an answer says. @param {Response} answer */
export function heard({ headers }) {
  const now = Number(headers.get("X-Headlight-Now"));
  if (now) ahead = now - performance.now();
}

/** Return the server's time in milliseconds since 1970. */
export const serverNow = () => (ahead === null ? Date.now() : ahead + performance.now());
