/**
 * Property tests that repeat: fast-check with one seed for all, at night that of the night (`HEADLIGHT_NIGHT`), which it prints.
 */

import { configureGlobal } from "../../assets/fast_check.js";

export * from "../../assets/fast_check.js";

export const NIGHT = process.env.HEADLIGHT_NIGHT !== undefined;

const SEED = Number(process.env.HEADLIGHT_NIGHT ?? 20261128);
configureGlobal({ seed: SEED });
if (NIGHT) process.stdout.write(`seed ${SEED}\n`);

/** Return a function that draws whole numbers from 0, below another: the same ones for one seed. @returns {(below: number) => number} */
export function drawing() {
  let last = 1 + (Math.abs(SEED) % 2147483645);
  return (below) => (last = (last * 16807) % 2147483647) % below;
}
