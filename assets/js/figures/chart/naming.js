/** Places the names of single marks: inside their panel, over no other name and no mark. Pure. */

import { width } from "./width.js";

/**
 * @typedef {import("./words.js").Word} Word
 * @typedef {{left: number, top: number, right: number, bottom: number}} Sides pixels
 *
 * A mark with a name.
 * @typedef {object} Mark
 * @property {string} text @property {number} x @property {number} y
 * @property {string} side wished: "top right", "bottom left", …
 * @property {string} [colour]
 */

/** Where a name may stand, after its wish; a curve that falls leaves the first two free. */
const SIDES = ["bottom left", "top right", "bottom right", "top left"];
/** How many lines away from its mark a name may go. */
const FAR = 4;
/** Height of a line with a lowered letter, the room around a name, and from a mark to its name, in heights of the text. */
const [LINE, AIR, AWAY] = [1.3, 0.3, 0.6];
/** By so many heights of the text another mark may be nearer than a name's own: marks that lie together share their surroundings. */
const NEARER = 1;

/** Return the place of a word, with the room around it. @param {Word} word @param {number} em @returns {Sides} */
export function sides({ text, x, y, align }, em) {
  const length = width(text) * em;
  const left = x - { start: 0, middle: length / 2, end: length }[align];
  const half = (LINE / 2) * em;
  return { left: left - AIR * em, right: left + length + AIR * em, top: y - half, bottom: y + half };
}

/** @param {Sides} one @param {Sides} other */
export const meet = (one, other) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

/** Return the distance of a point from a box. @param {{x: number, y: number}} point @param {Sides} box */
function distance({ x, y }, { left, top, right, bottom }) {
  return Math.hypot(Math.max(left - x, x - right, 0), Math.max(top - y, y - bottom, 0));
}

/**
 * Return the names of the marks of one panel. No name stands nearer to another mark than to its own by more
 * than a line: it would be read as the other's. One that finds no room within some lines of its mark is left out.
 * @param {Mark[]} marks @param {Sides} box inside the panel's axes @param {number} em @returns {Word[]}
 */
export function names(marks, box, em) {
  const half = (AWAY / 2) * em;
  const dots = marks.map(({ x, y }) => ({ left: x - half, right: x + half, top: y - half, bottom: y + half }));
  /** @type {Sides[]} */
  const taken = [];
  return marks.flatMap((mark) => {
    const found = wishes(mark, em).find((word) => {
      const room = sides(word, em);
      const inside =
        room.left >= box.left && room.right <= box.right && room.top >= box.top && room.bottom <= box.bottom;
      const own = distance(mark, room);
      const nearest = marks.every((other) => distance(other, room) > own - NEARER * em);
      return inside && nearest && ![...taken, ...dots].some((other) => meet(other, room));
    });
    if (!found) return [];
    taken.push(sides(found, em));
    return [found];
  });
}

/** Return the places of a mark's name, the most wished first. @param {Mark} mark @param {number} em @returns {Word[]} */
function wishes({ text, x, y, side, colour }, em) {
  const ordered = [side, ...SIDES.filter((other) => other !== side)];
  return Array.from({ length: FAR }, (_, far) =>
    ordered.map((one) => {
      const [upright, across] = one.split(" ");
      const lift = (0.75 + far * LINE) * em * (upright === "top" ? -1 : 1);
      /** @type {Word} */
      const word = {
        text: text.trim(),
        x: x + (AWAY + AIR) * em * (across === "left" ? -1 : 1),
        y: y + lift,
        align: across === "left" ? "end" : "start",
        kind: "note",
        colour,
      };
      return word;
    }),
  ).flat();
}
