/** Pictures to fill in: on the handout without answers the numbers of a walk that the class computes are empty cells. */

import { element } from "../dom/dom.js";

/** @param {ParentNode} picture @returns {HTMLElement[]} */
const tensors = (picture) =>
  [...picture.querySelectorAll(".tensor[data-tensor]")].map((one) => /** @type {HTMLElement} */ (one));

/** Return the names of the tensors whose numbers a picture shows. @param {ParentNode} picture */
export const numbersIn = (picture) => tensors(picture).map(({ dataset }) => dataset.tensor ?? "");

/**
 * Empty the cells of the tensors that nothing has shown before.
 * @param {HTMLElement} picture @param {Set<string>} known names of tensors
 * @param {string} instead in the place of its sentences, which may tell their numbers
 * @returns {boolean} false if it has no numbers to leave out
 */
export function toFill(picture, known, instead) {
  const hidden = tensors(picture).filter(({ dataset }) => !known.has(dataset.tensor ?? ""));
  const cells = hidden.flatMap((one) => [...one.querySelectorAll("td.asked")]);
  for (const cell of cells) {
    cell.replaceChildren();
    cell.removeAttribute("style");
    cell.className = "to-fill";
  }
  // a map of colours has no cells to write in
  if (!cells.length || hidden.some((one) => one.querySelector("canvas"))) return false;
  const caption = picture.querySelector(":scope > figcaption");
  caption?.replaceChildren(element("p", {}, instead));
  return true;
}
