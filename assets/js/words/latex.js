/**
 * Turns the LaTeX that a teacher types into the plain notation that symbols.js typesets: $\sqrt{d_k}$ becomes √d_k. It knows what a
 * sentence about attention needs, and leaves all else as it stands. Pure.
 */

const GREEK =
  "alpha α beta β gamma γ delta δ epsilon ε eta η theta θ lambda λ mu μ pi π rho ρ sigma σ tau τ phi φ omega ω";
const SIGNS =
  "cdot · times × le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ approx ≈ sim ~ infty ∞ to → rightarrow → sum Σ pm ± top ᵀ partial ∂ nabla ∇ " +
  "ldots … dots … cdots … in ∈ propto ∝ ell ℓ odot ⊙ Delta Δ Sigma Σ";
const NAMES = ["softmax", "exp", "log", "ln", "max", "min", "tanh", "sin", "cos", "Pr", "det"];

/** What a command without an argument says. @type {Map<string, string>} */
const SAID = new Map([
  ...pairs(`${GREEK} ${SIGNS}`),
  ...NAMES.map((name) => /** @type {[string, string]} */ ([name, name])),
  ...["left", "right", "displaystyle"].map((name) => /** @type {[string, string]} */ ([name, ""])),
]);

/** What stands for its argument, in another type. */
const TYPE = String.raw`\\(?:text|mathrm|mathbf|mathit|boldsymbol|operatorname)\s*\{([^{}]*)\}`;

/** @param {string} words @returns {[string, string][]} */
function pairs(words) {
  const all = words.split(" ");
  return all.flatMap((name, i) => (i % 2 === 0 ? [[name, all[i + 1]]] : []));
}

/** A number or one symbol with its index: it needs no parentheses. */
const ONE = /^(?:\d+(?:\.\d+)?|√?\p{L}+(?:_(?:model|ff|[A-Za-z0-9]))?ᵀ?)$/u;
const whole = (/** @type {string} */ part) => (ONE.test(part) ? part : `(${part})`);

/** Braces that stay: those that are typed as signs, and those of an unknown command's argument. */
const [OPEN, CLOSE] = ["\u0001", "\u0002"];
const UNKNOWN = /(\\[A-Za-z]+\s*(?:\[[^\]{}]*\])?)\{([^{}]*)\}/g;

/** Innermost first, so that an argument has no braces. @type {[RegExp, (...parts: string[]) => string][]} */
const RULES = [
  [new RegExp(TYPE, "g"), (_, one) => one],
  [/\\sqrt\s*\{([^{}]*)\}/g, (_, one) => `√${whole(one.trim())}`],
  [/\\[dt]?frac\s*(\d)\s*(\d)/g, (_, over, under) => `${over}/${under}`],
  [/\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}/g, (_, over, under) => `${whole(over.trim())}/${whole(under.trim())}`],
  [/_\{([^{}]*)\}/g, (_, low) => `_${/^\w+$/.test(low.trim()) ? low.trim() : `(${low.trim()})`}`],
  [/\^\{([^{}]*)\}/g, (_, high) => above(high.trim())],
];

/** @param {string} high */
const above = (high) =>
  high === "T" || high === "ᵀ" ? "ᵀ" : /^(?:\p{L}|\d+)$/u.test(high) ? `^${high}` : `^(${high})`;

/** A formula between dollars; prices are none: what has a space at its edge, or neither sign nor a single letter. */
const BETWEEN = /\$\$?(?![\s$])([^$]*?[^\s$\\])\$\$?|\\\(([^$]*?)\\\)|\\\[([^$]*?)\\\]/g;
const FORMULA = /[\\_^{}=]|^\p{L}\p{L}?$|^[-−]?\d+(?:\.\d+)?$|[\p{L}\d)]\s*[-−+<>]\s*[\p{L}(]|\p{L}\s*[-−+<>]\s*\d/u;

/** Return a text with its LaTeX in plain notation; a text without any comes back as it is. @param {string} text */
export function unlatex(text) {
  const bare = text.replace(BETWEEN, (all, dollars, round = "", square = "") => {
    const inner = dollars ?? (round || square);
    return dollars === undefined || FORMULA.test(inner) ? plain(inner, true) : all;
  });
  const plainly = plain(bare, false);
  return plainly.trim() ? plainly : text; // a question has a text
}

/** @param {string} text @param {boolean} formula true between dollars, where ^T is a transpose */
function plain(text, formula) {
  if (!formula && !text.includes("\\")) return text;
  let plainer = text
    .replace(/\\([A-Za-z]+)(?![A-Za-z])/g, (all, name) => SAID.get(name) ?? all)
    .replace(/\\\{/g, OPEN)
    .replace(/\\\}/g, CLOSE)
    .replace(/\\[,;:! ]/g, " ")
    .replace(/\\([%$&#_])/g, "$1");
  if (formula) plainer = plainer.replace(/\^(?:T(?!\w)|\{?ᵀ\}?)/g, "ᵀ");
  for (let former = ""; former !== plainer;) {
    former = plainer;
    for (const [pattern, made] of RULES) plainer = plainer.replace(pattern, made);
    if (former === plainer) plainer = plainer.replace(UNKNOWN, `$1${OPEN}$2${CLOSE}`);
  }
  if (formula) plainer = plainer.replace(/\{([^{}]*)\}/g, "$1");
  return plainer.replaceAll(OPEN, "{").replaceAll(CLOSE, "}").replace(/ {2,}/g, " ");
}
