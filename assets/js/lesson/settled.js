/** Waits until the page shows a state with its numbers. */

import { ofState } from "../link/address.js";

/** @typedef {import("./shape.js").Page} Page */

/** Parameters that change no number and belong to whoever looks. */
const OURS = ["lang", "present", "hide", "focus"];
const [PATIENCE, PAUSE, REPAINTS] = [60_000, 30, 3000];

/** Return the numbers of a link alone: two links of one state are equal. Pure. @param {string} link */
export function state(link) {
  const query = new URLSearchParams(ofState(link));
  for (const name of OURS) query.delete(name);
  if (query.get("page") === "explore") query.delete("page");
  query.sort();
  return query.toString();
}

/** Return the page that a link names. Pure. @param {string} link */
export const pageIn = (link) => new URLSearchParams(link).get("page") ?? "explore";

/**
 * Wait until the page shows a link and, if they are named, these figures with their tables. Throws what a figure says if it
 * could not be drawn.
 * @param {Page} page @param {string} link @param {string[]} [figures]
 */
export async function settled(page, link, figures = []) {
  const wanted = state(link);
  for (const end = performance.now() + PATIENCE; performance.now() < end;) {
    if (page.state.canonical !== null && state(page.state.present) === wanted && there(page, figures)) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  throw new Error(page.text("lesson.slow"));
}

/** @param {Page} page @param {string[]} figures */
function there(page, figures) {
  for (const name of figures) {
    const { root, block } = page.figures.of(name);
    if (root.dataset.error) throw new Error(root.dataset.error);
    if (root.dataset.painted !== page.state.present || !block.shown) return false;
  }
  return !figures.length || described(page);
}

/** True if no sentence under a figure is of a state before: they come after the pictures. @param {Page} page */
export function described(page) {
  const painted = page.answers.telling.root.dataset.painted;
  return painted === undefined || painted === page.state.present;
}

/** Wait until no figure shows another state than the page's, or for as long as a figure may take. @param {Page} page */
export async function repainted(page) {
  const old = (/** @type {string | undefined} */ painted) => painted !== undefined && painted !== page.state.present;
  for (const end = performance.now() + REPAINTS; performance.now() < end;) {
    if (![...page.figures.all.values()].some(({ root }) => old(root.dataset.painted))) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

/** Wait until the page asks its own question, or for as long as it may take. @param {Page} page */
export async function asks(page) {
  const predict = page.presence.rules.predict();
  for (const end = performance.now() + PATIENCE; performance.now() < end;) {
    if (predict?.open && predict.root.dataset.verdict === undefined) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}
