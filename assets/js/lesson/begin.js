/** Begins a lesson, or goes on with it: from a menu, or by the address. */

import { ofTab } from "../link/address.js";
import { placeIn } from "../link/kept.js";
import { playable } from "./playable.js";
import { Player, present } from "./player.js";

/** @typedef {import("./shape.js").Page} Page */

/**
 * Begin or go on with a lesson.
 * @param {Page} page @param {string} name @param {number | null} [step] null: where it was left
 * @param {{anew?: boolean, aside?: boolean, loads?: boolean}} [how] `anew`: forget what was answered; the others: `Player.go`
 */
export async function begin(page, name, step = null, { anew = false, aside = false, loads = true } = {}) {
  const lesson = await playable(page, name);
  if (!lesson) return null;
  const wanted = Math.min(lesson.steps.length + 1, Math.max(1, step ?? placeIn(name) ?? 1));
  if (!page.leader.allows("lesson", { name, step: wanted })) return present();
  hearBack(page);
  const player = new Player(page, lesson, name, (other) => void begin(page, other, 1, { anew: true }));
  if (anew) player.sitting.forget(lesson.steps.length);
  await player.go(wanted, { aside, loads, allowed: true });
  return player;
}

let hearing = false;

/**
 * The browser may bring this page back as it was when a lesson led to another one: the address has what was read here. Heard once.
 * @param {Page} page
 */
function hearBack(page) {
  if (hearing) return;
  hearing = true;
  window.addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    if (ofTab(location.search).lesson) void fromAddress(page, true);
    else present()?.leave();
  });
}

/**
 * Play the lesson of the address: the link beside it counts if it is the step's, or was brought beside it.
 * @param {Page} page @param {boolean} loads true if the step may load its page
 */
export async function fromAddress(page, loads) {
  const { lesson: name = "", step, aside } = ofTab(location.search);
  await begin(page, name, Number(step) || null, { aside: aside === "1", loads });
}
