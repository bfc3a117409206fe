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
const SIDES = [
  ["bottom", "left"],
  ["top", "right"],
  ["bottom", "right"],
  ["top", "left"],
  ["middle", "left"],
  ["middle", "right"],
  ["bottom", "center"],
  ["top", "center"],
].map((words) => words.join(" "));
/** How many lines away from its mark a name may go. */
const FAR = 2;
/** Height of a line with a lowered letter, the room around a name, and from a mark to its name, in heights of the text. */
const [LINE, AIR, AWAY] = [1.3, 0.3, 0.6];
/** Marks nearer than so many heights of the text lie together: they share their surroundings. */
const TOGETHER = 1.5;
/** By so many heights of the text a name stands nearer to its own mark than to others; of marks that lie together, another may be nearer by as much. */
const NEARER = 0.25;

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
 * Return true if a name is read as its own mark's and not as another's.
 * @param {{x: number, y: number}} own @param {{x: number, y: number}} other @param {Sides} room of the name @param {number} em
 */
function belongs(own, other, room, em) {
  const together = Math.hypot(own.x - other.x, own.y - other.y) < TOGETHER * em;
  return distance(other, room) - distance(own, room) >= (together ? -NEARER : NEARER) * em;
}

/**
 * Return the names of the marks of one panel: as many as have a place, each as near to its wish as the others let it be.
 * No name stands nearer to another mark than to its own, or as near: it would be read as the other's.
 * @param {Mark[]} marks @param {Sides} box inside the panel's axes @param {number} em @returns {Word[]}
 */
export function names(marks, box, em) {
  const half = (AWAY / 2) * em;
  const dots = marks.map(({ x, y }) => ({ left: x - half, right: x + half, top: y - half, bottom: y + half }));
  const places = marks.map((mark) =>
    wishes(mark, em).flatMap((word, wish) => {
      const room = sides(word, em);
      const inside =
        room.left >= box.left && room.right <= box.right && room.top >= box.top && room.bottom <= box.bottom;
      const nearest = marks.every((other) => other === mark || belongs(mark, other, room, em));
      return inside && nearest && !dots.some((dot) => meet(dot, room)) ? [{ word, room, wish }] : [];
    }),
  );
  return settled(places).map(({ word }) => word);
}

/** @typedef {{word: Word, room: Sides, wish: number}} Place of a name; `wish` counts the places that are wished more */

/**
 * Choose one place for each mark, or none: the most names that do not meet, and of these the most wished.
 * @param {Place[][]} places of each mark @returns {Place[]}
 */
function settled(places) {
  /** @type {Place[]} */
  let best = [];
  let least = Infinity;
  const wished = (/** @type {Place[]} */ some) => some.reduce((sum, { wish }) => sum + wish, 0);
  /** @param {number} at @param {Place[]} taken */
  const go = (at, taken) => {
    if (taken.length + places.length - at < best.length) return;
    if (at === places.length) {
      const cost = wished(taken);
      if (taken.length > best.length || cost < least) [best, least] = [taken, cost];
      return;
    }
    for (const place of places[at]) {
      if (!taken.some(({ room }) => meet(room, place.room))) go(at + 1, [...taken, place]);
    }
    go(at + 1, taken);
  };
  go(0, []);
  return best;
}

/** Return the places of a mark's name, the most wished first. @param {Mark} mark @param {number} em @returns {Word[]} */
function wishes({ text, x, y, side, colour }, em) {
  const ordered = [side, ...SIDES.filter((other) => other !== side)];
  return Array.from({ length: FAR }, (_, far) =>
    ordered.flatMap((one) => {
      const [upright, across] = one.split(" ");
      if (far && upright === "middle") return [];
      const lift = (0.75 + far * LINE) * em * ({ top: -1, middle: 0 }[upright] ?? 1);
      const shift = (AWAY + AIR) * em * ({ left: -1, center: 0 }[across] ?? 1);
      const align = /** @type {const} */ ({ left: "end", center: "middle" })[across] ?? "start";
      /** @type {Word} */
      const word = { text: text.trim(), x: x + shift, y: y + lift, align, kind: "note", colour };
      return [word];
    }),
  ).flat();
}
