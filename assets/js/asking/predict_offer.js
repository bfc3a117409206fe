/**
 * A question is offered: a quiet button beside the sentences opens it, × closes it. The link says so (`predict`), and a link
 * or a lesson may begin with the question.
 */

import { element } from "../dom/dom.js";

export class PredictOffer {
  /**
   * @param {Pick<import("./asker.js").Asker, "text">} page
   * @param {() => void} open @param {() => void} shut called when a button is pressed
   */
  constructor(page, open, shut) {
    /** @param {string} id @param {string} key @param {() => void} onclick */
    const button = (id, key, onclick) =>
      element("button", { type: "button", className: "tool", id, onclick }, page.text(key));
    this.open = button("predict-open", "predict.after_all", open);
    this.shut = button("predict-shut", "predict.shut", shut);
    this.shut.title = this.shut.ariaLabel = page.text("predict.shut_label");
  }

  /** Put the button into a box of sentences that `show` shows; it keeps the focus. @param {HTMLElement} box @param {() => void} show */
  beside(box, show) {
    const here = document.activeElement === this.open;
    box.prepend(this.open);
    show();
    if (here) this.open.focus({ preventScroll: true });
  }
}

/** The offer of a page with one question, which `predict` asks. */
export class OwnOffer extends PredictOffer {
  /** True from the press of the button to the question. */
  opening = false;

  /**
   * @param {import("./asker.js").Asker & import("./asker.js").Opening} page @param {import("./predict.js").Predict} predict
   * @param {(values: import("../link/values.js").Values) => import("../link/values.js").Values} [opens] changes the page's own state, and the values
   *   that ask
   */
  constructor(page, predict, opens = (values) => values) {
    super(
      page,
      () => {
        if (!page.state.canonicalValues || !page.leader.allows("move")) return;
        this.opening = true;
        predict.renew();
        page.move({ ...opens(page.state.values), predict: true }, false);
      },
      () => this.close(),
    );
    this.page = page;
    this.predict = predict;
  }

  /** Close the question: everything is shown. */
  close() {
    const { page } = this;
    if (!page.leader.allows("reveal")) return;
    page.move({ ...page.state.values, predict: false }, false);
    this.open.focus({ preventScroll: true });
  }

  /** Show the question. @param {import("./predict.js").Question} header */
  ask(header) {
    const { predict } = this;
    predict.ask(header);
    /** @type {HTMLElement | null} */
    const first = this.opening ? predict.root.querySelector("input, [role=slider]") : null;
    this.opening = false;
    first?.focus();
  }

  /** Offer the question while the page does not ask. @param {boolean} [waits] true if it cannot be asked now */
  fit(waits = false) {
    this.open.hidden = Boolean(this.page.state.values.predict) || waits;
  }

  /**
   * Put the ways out beside the question's own buttons.
   * @param {HTMLElement} skip the way without a prediction @param {boolean} asks true while the question waits for an answer that
   *   covers the page; × is the way out of everything else
   */
  ways(skip, asks) {
    skip.hidden = !asks;
    this.shut.hidden = asks;
    this.predict.root.querySelector(".buttons")?.append(skip, this.shut);
  }
}
