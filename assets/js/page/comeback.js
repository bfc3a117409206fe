/** Waits for a lost server: probes it, ever less often. */

import { backOff } from "../server/backoff.js";

/**
 * @param {import("../server/server.js").Server} server @param {() => void} back called once, when it answers
 * @returns {() => void} ends the waiting
 */
export function whenBack(server, back) {
  let [over, tries, timer] = [false, 0, 0];
  const ask = async () => {
    const there = await server.alive();
    if (over) return;
    if (there) {
      over = true;
      back();
      return;
    }
    tries += 1;
    timer = setTimeout(() => void ask(), backOff(tries));
  };
  void ask();
  return () => {
    over = true;
    clearTimeout(timer);
  };
}
