/** A lesson in one go, alone or with a class: what was done with the question of each step, kept in this tab. */

import { ofTab } from "../link/address.js";
import { keep, recall } from "../link/kept.js";
import { untouched } from "./question.js";

/** @typedef {import("./question.js").Done} Done */

export class Sitting {
  /** @param {string} name of the lesson */
  constructor(name) {
    this.name = name;
    const { room = "" } = ofTab(location.search);
    /** The class that answers, by the code of its room; empty for one's own answers. Each begins with fresh questions. */
    this.room = room;
  }

  /** Return what was done with the question of a step. @param {number} step from 1 @returns {Done} */
  at(step) {
    try {
      return { ...untouched(), ...JSON.parse(recall(this.#key(step), "sessionStorage") ?? "{}") };
    } catch {
      return untouched();
    }
  }

  /** @param {number} step @param {Done} done */
  keep(step, done) {
    keep(this.#key(step), JSON.stringify(done), "sessionStorage");
  }

  /** Forget what was answered: the lesson begins anew. @param {number} steps how many there are */
  forget(steps) {
    for (let step = 1; step <= steps; step += 1) keep(this.#key(step), null, "sessionStorage");
  }

  /** @param {number} step */
  #key(step) {
    return `done-${this.room && `${this.room}-`}${this.name}-${step}`;
  }
}
