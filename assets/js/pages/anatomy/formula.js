/** The two formulas of section 3.2 as MathML. The present step's symbols are lit. */

import { number } from "../../figures/axes.js";
import { element } from "../../dom/dom.js";
import { entry } from "../../link/entry.js";
import { keepFitted } from "../../figures/fitted.js";
import { compared, ungrown } from "./arithmetic.js";

const NAMESPACE = "http://www.w3.org/1998/Math/MathML";
/** Smallest and largest type, as parts of the usual. */
const [LEAST, MOST] = [0.6, 1.25];

/** Symbols that each step lights. */
/** @type {Record<string, string[]>} */
const LIT = {
  input: ["X", "X_Q", "X_K", "X_V"],
  queries: ["X_Q", "W_Q", "Q"],
  keys: ["X_K", "W_K", "K"],
  values: ["X_V", "W_V", "V"],
  normed_q: ["norm_Q", "Q"],
  normed_k: ["norm_K", "K"],
  hidden_q: ["Q", "norm_Q", "W_q"],
  hidden_k: ["K", "norm_K", "W_k"],
  hidden: ["Q", "norm_Q", "W_q", "plus", "K", "norm_K", "W_k"],
  tanh: ["tanh"],
  scores: ["Q", "norm_Q", "K", "norm_K", "w", "dot"],
  scaled: ["scale"],
  capped: ["cap"],
  masked: ["M"],
  exponentials: ["weigh"],
  lowered: ["weigh", "less"],
  halved: ["weigh"],
  roots: ["weigh"],
  weights: ["weigh"],
  heads: ["weigh", "V", "head"],
  concatenation: ["Concat", "head"],
  output: ["Concat", "W_O"],
};

/** @param {string} tag @param {...(Node | string)} children */
function m(tag, ...children) {
  const made = document.createElementNS(NAMESPACE, tag);
  made.append(...children);
  return made;
}

/** Mark a part as one symbol that can be lit. @param {string} name @param {Element} part */
function symbol(name, part) {
  part.setAttribute("data-symbol", name);
  return part;
}

/** @typedef {Node | string} Child */
const i = (/** @type {string} */ text) => m("mi", text);
const o = (/** @type {string} */ text) => m("mo", text);
const row = (/** @type {Child[]} */ ...children) => m("mrow", ...children);
const named = (/** @type {string} */ text) => symbol(text, i(text));
const weight = (/** @type {string} */ big, /** @type {string} */ small, raised = false) =>
  symbol(`${big}_${small}`, raised ? m("msubsup", i(big), i(small), i("i")) : m("msub", i(big), i(small)));
/** A bracket that grows around a fraction, or one as high as a letter. @param {string} text @param {boolean} grows */
function bracket(text, grows) {
  const made = o(text);
  if (!grows) made.setAttribute("stretchy", "false");
  return made;
}
const around =
  (/** @type {boolean} */ grows) =>
  (/** @type {Child[]} */ ...children) =>
    row(bracket("(", grows), ...children, bracket(")", grows));
const brackets = around(false);

/** Return the line of attention; with a softcap that of the scores before it. @param {import("./arithmetic.js").Walked} walked */
function attention(walked) {
  const mask = walked.masked ? [symbol("M", row(o("+"), i("M")))] : [];
  const normed = compared(walked).q !== "Q";
  /** @param {"Q" | "K"} letter what is compared: the vectors themselves, or normalised */
  const vectors = (letter) =>
    normed ? row(symbol(`norm_${letter}`, i("RMSNorm")), brackets(named(letter))) : named(letter);
  const turned = () => (normed ? m("msup", vectors("K"), i("T")) : symbol("K", m("msup", i("K"), i("T"))));
  const product = () => row(vectors("Q"), turned());
  const d_k = m("msub", i("d"), i("k"));
  /** @type {Record<string, () => Element>} */
  const scaled = {
    sqrt_d_k: () => m("mfrac", product(), symbol("scale", m("msqrt", d_k))),
    d_k: () => m("mfrac", product(), symbol("scale", d_k)),
    none: product,
    custom: () => row(product(), symbol("scale", row(o("·"), m("mn", number(ungrown(walked)))))),
  };
  /** @param {Element} of */
  const ln = (of) => {
    const gap = m("mspace");
    gap.setAttribute("width", "0.2em");
    return row(i("ln"), gap, of);
  };
  const { log_n } = walked;
  const grown = () => symbol("scale", row(o("·"), m("mfrac", ln(i("n")), ln(m("mn", String(log_n))))));
  /** @type {Record<string, () => Element>} */
  const ways = {
    dot_product: () => row(entry(scaled, walked.scaling)(), ...(log_n ? [grown()] : [])),
    additive: () =>
      row(
        named("w"),
        o("·"),
        named("tanh"),
        brackets(vectors("Q"), weight("W", "q"), symbol("plus", o("+")), vectors("K"), weight("W", "k")),
      ),
  };
  const { softcap, sink } = walked;
  const score = entry(ways, walked.mechanism)();
  const c = () => m("mn", number(softcap ?? NaN));
  // within a softcap the score would be too long for a line
  const inside = softcap ? symbol("cap", row(c(), o("·"), i("tanh"), brackets(i("S"), o("/"), c()))) : score;
  /** What makes the weights, and what it takes from the scores itself. @type {Record<string, () => [Element, ...Element[]]>} */
  const weighing = {
    softmax: () => [i("softmax")],
    sink: () => [m("msub", i("softmax"), row(i("b"), o("="), m("mn", number(sink ?? NaN))))],
    sigmoid: () => [i("σ"), symbol("less", row(o("−"), ln(i("n"))))],
    entmax: () => [m("msub", i("entmax"), m("mn", "1.5"))],
  };
  const [made, ...less] = entry(weighing, walked.normalisation)();
  const whole = row(
    i("Attention"),
    brackets(i("Q"), o(","), i("K"), o(","), i("V")),
    o("="),
    symbol("weigh", made),
    around(!softcap)(inside, ...mask, ...less),
    named("V"),
  );
  return softcap ? [row(i("S"), o("="), score), whole] : [whole];
}

/** @param {boolean} trained a trained layer brings Q, K and V of each head, and no W_O */
function multiHead(trained) {
  const head = (/** @type {Node} */ index) => symbol("head", m("msub", i("head"), index));
  const projected = (/** @type {string} */ name) => [symbol(`X_${name}`, i("X")), weight("W", name, true)];
  const heads = [named("Concat"), brackets(head(m("mn", "1")), o(","), o("…"), o(","), head(i("h")))];
  if (trained) {
    const own = (/** @type {string} */ name) => symbol(name, m("msub", i(name), i("i")));
    return [
      row(...heads),
      row(head(i("i")), o("="), i("Attention"), brackets(own("Q"), o(","), own("K"), o(","), own("V"))),
    ];
  }
  return [
    row(i("MultiHead"), brackets(named("X")), o("="), ...heads, weight("W", "O")),
    row(
      head(i("i")),
      o("="),
      i("Attention"),
      brackets(...projected("Q"), o(","), ...projected("K"), o(","), ...projected("V")),
    ),
  ];
}

export class Formula {
  /** @param {HTMLElement} stage @param {import("./host.js").Page} page */
  constructor(stage, page) {
    this.root = element("div", {
      className: "formulas",
      role: "group",
      aria: { label: page.text("anatomy.formula") },
    });
    stage.append(this.root);
    this.fit = keepFitted(this.root, LEAST, MOST);
    this.shown = "";
  }

  /** @param {import("./arithmetic.js").Walked} walked */
  draw(walked) {
    const lines = [...attention(walked), ...multiHead(walked.trained)].map((content) => {
      const line = m("math", content);
      line.setAttribute("display", "block");
      return line;
    });
    const written = lines.map((line) => line.outerHTML).join("");
    if (written !== this.shown) {
      this.shown = written;
      this.root.replaceChildren(...lines);
      this.fit();
    }
    const lit = LIT[walked.step];
    for (const part of this.root.querySelectorAll("[data-symbol]")) {
      part.toggleAttribute("data-lit", lit.includes(part.getAttribute("data-symbol") ?? ""));
    }
  }
}
