/** The page's own question while a class is asked it: held, kept from who follows, and revealed for all. */

/** Return an answer that a question takes, whatever it is. @param {import("../../types/wire.js").Question} question */
export const anyAnswer = (question) =>
  question.choices ? question.choices[0][0] : question.curve.x.map(() => question.curve.low);

/**
 * The question on the page.
 * @typedef {object} Asked
 * @property {HTMLElement} root
 * @property {import("../../types/wire.js").Question | null} shown
 * @property {string | number[] | null} answer
 * @property {() => void} renew asks as if nobody had seen the result
 * @property {import("./predict_form.js").PredictForm} form
 */

export class PredictInClass {
  /** True if the visitor gave no answer: the result is shown without a verdict. */
  without = false;
  /** True while a teacher's class is to be asked first. */
  withheld = false;
  /** Takes the result that a class is told; the visitor's own verdict is none of it. @type {PromiseWithResolvers<string[] | number[]> | null} */
  #result = null;
  #predict;
  #reveal;
  #fit;

  /** @param {Asked} predict @param {() => void} reveal asks for the answer @param {() => void} fit called when more or less is withheld */
  constructor(predict, reveal, fit) {
    this.#predict = predict;
    this.#reveal = reveal;
    this.#fit = fit;
  }

  /**
   * Take no answer here while a class is asked; what would answer it stays covered.
   * @param {boolean} on
   */
  hold(on) {
    if (on) this.#predict.renew();
    this.#predict.form.hold(on);
  }

  /** Let nobody reveal alone what a teacher asks, or let them again. @param {boolean} on */
  withhold(on) {
    if (on === this.withheld) return;
    this.withheld = on;
    this.#fit();
  }

  /**
   * Reveal as a visitor who gave this answer does; null: without one. Resolves to the result; rejects if none came.
   * @param {string | number[] | null} answer
   * @returns {Promise<string[] | number[]>}
   */
  conclude(answer) {
    const predict = this.#predict;
    const { shown } = predict;
    if (!shown) return Promise.reject(new Error(predict.root.id));
    this.without = answer === null;
    predict.answer = answer ?? anyAnswer(shown);
    const result = (this.#result = Promise.withResolvers());
    this.#reveal();
    return result.promise;
  }

  /** The reveal is over. @param {string[] | number[]} [real] nothing if no result came */
  end(real) {
    if (real) this.#result?.resolve(real);
    else this.#result?.reject(new Error(this.#predict.root.id));
    this.#result = null;
  }
}
