/** Where a visitor goes in one step: a preset, the state beside a pinned A, the next thing to try. */

import { element, inside } from "../../dom/dom.js";
import { typeset } from "../../words/symbols.js";

/** @typedef {import("../../page/live_page.js").LivePage<{presets: Record<string, Record<string, unknown>>}>} Page */

/**
 * Choose a preset beside a pinned A, unless it brings its own.
 * @param {Page} page @param {import("./sides.js").Sides} sides @param {string | null} name null restores the defaults, without a pin
 */
export function choosePreset(page, sides, name) {
  const { settings, state } = page;
  const chosen = name ? settings.presets[name] : {};
  // The example sentence is in the visitor's language.
  const text = chosen.source === "text" ? page.text("preset.text") : settings.defaults.text;
  const pin = name ? state.values.pin : "";
  if (chosen.pin) sides.chosen = "all"; // it promises a comparison
  page.move({ ...settings.defaults, lang: state.values.lang, text, pin, ...chosen }, true);
}

/** Pin the present state as A, or unpin A. @param {import("../../page/live_page.js").LivePage} page */
export function togglePin(page) {
  const { values, canonicalValues, canonical } = page.state;
  if (!canonicalValues) return;
  page.move({ ...values, pin: values.pin ? "" : canonical || "?" }, false);
}

/**
 * Offer the next thing to try, behind the sentences.
 * @param {import("../../page/live_page.js").LivePage} page @param {import("../../../types/wire.js").Offer | undefined} offer
 */
export function offerNext(page, offer) {
  const { state, answers } = page;
  const { root } = answers.telling;
  root.querySelector(".offer")?.remove();
  if (!offer) return;
  const { pin, ...change } = offer.change;
  const onclick = () =>
    page.move({ ...state.values, ...change, ...(pin ? { pin: state.canonical || "?" } : {}) }, true);
  const button = element("button", { type: "button", className: "offer", onclick }, ...typeset(offer.text), " →");
  inside(root, ".insight").append(button);
}
