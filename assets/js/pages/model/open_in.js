/** Links from a head to the other pages, and from a text that goes on to the Map. */

import { element } from "../../dom/dom.js";
import { mapLink } from "./map_link.js";

/**
 * @typedef {import("../../../types/wire.js").Model} Model
 * @typedef {Pick<import("../../page/live_page.js").LivePage<never>, "state" | "text">} Page
 */

/** Return what a link to the head names on every page. @param {Page} page @param {Model} model */
const named = ({ state }, { layer, head, locked, row, pictures, heard, takes }) => ({
  model: String(state.agreed.model),
  layer: String(layer),
  head: String(head),
  ...(pictures.length ? { pictures: String(state.agreed.pictures) } : {}),
  ...(takes.includes("text") ? { text: String(state.agreed.text) } : {}),
  ...(heard ? { sound: heard.name } : {}),
  ...(state.agreed.target ? { target: String(state.agreed.target) } : {}),
  ...(locked ? { row: String(row) } : {}),
  ...(state.chosenLanguage ? { lang: state.chosenLanguage } : {}),
});

/** Offer the head on the other pages, if it has what they take. @param {Page} page @param {Model} model */
export function openIn(page, model) {
  if (!model.opens) return [];
  const query = new URLSearchParams({
    source: "model",
    ...named(page, model),
  });
  return [
    element("span", {}, page.text("model.open", { head: `${model.layer}.${model.head}` })),
    ...["explore", "anatomy"].map((name) => {
      const there = new URLSearchParams(query);
      if (name !== "explore") there.set("page", name);
      return element(
        "a",
        { href: `${location.pathname}?${there}`, data: { page: name } },
        page.text(`choice.page.${name}`),
      );
    }),
    ...(model.runs ? [mapLink(page.text("choice.page.map"), named(page, model))] : []),
  ];
}

/** Return what is said of a text that goes on. @param {Page} page @param {Model} model @returns {(HTMLElement | string)[]} */
export function goesOn(page, model) {
  const line = model.lines[model.between[0]];
  if (!line.cut || line.seconds) return [];
  if (!model.whole || line !== model.lines[0]) return ["…"];
  const shown = { shown: line.tokens.length, all: model.whole };
  const said = model.room
    ? page.text("model.shown_of_room", { ...shown, value: String(model.room) })
    : page.text("model.shown_of", shown);
  return [said, ...(model.longer ? [" ", mapLink(page.text("model.long_on_map"), named(page, model))] : [])];
}
