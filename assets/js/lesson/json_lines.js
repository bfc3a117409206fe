/** Reads JSON and remembers the line of every value, so that a message can name it. Pure. */

/**
 * What a JSON text holds that cannot be read.
 * @typedef {"nothing" | "unexpected" | "unended" | "twice" | "deep" | "number" | "more"} Fault
 */

/** A text that is no JSON; its line and its fault. */
export class NotJson extends Error {
  /** @param {Fault} fault @param {number} line @param {string} found */
  constructor(fault, line, found = "") {
    super(`${fault} ${line}`);
    this.fault = fault;
    this.line = line;
    this.found = found;
  }
}

/** Brackets inside one another. */
const DEEP = 24;
const SPACE = /[ \t\n\r]*/y;
const TEXT = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const OTHER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/**
 * Return the value of a JSON text with the line of each part, by its path: "" is the whole, "/steps/0/link" a part.
 * @param {string} source
 * @returns {{value: unknown, lines: Map<string, number>}}
 */
export function readJson(source) {
  const text = source.replace(/^\ufeff/, "");
  /** @type {Map<string, number>} */
  const lines = new Map();
  let at = 0;
  let [count, end] = [1, text.indexOf("\n")];
  const line = () => {
    // `at` never goes back, so the whole text is counted once
    while (end >= 0 && end < at) {
      count += 1;
      end = text.indexOf("\n", end + 1);
    }
    return count;
  };
  /** @param {Fault} fault @returns {never} */
  const refuse = (fault) => {
    throw new NotJson(at >= text.length ? "unended" : fault, line(), text.slice(at, at + 12).split("\n")[0]);
  };
  /** @param {RegExp} pattern */
  const take = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at += found[0].length;
    return found?.[0];
  };
  /** @returns {string | undefined} */
  const next = () => {
    take(SPACE);
    return text[at];
  };
  /** @param {string} sign */
  const expect = (sign) => {
    if (next() !== sign) refuse("unexpected");
    at += 1;
  };
  /** Read what stands between brackets, one member after the other. @param {string} end @param {() => void} member */
  const members = (end, member) => {
    at += 1;
    if (next() === end) {
      at += 1;
      return;
    }
    for (;;) {
      member();
      const sign = next();
      if (sign !== "," && sign !== end) refuse("unexpected");
      at += 1;
      if (sign === end) return;
    }
  };
  /** @param {string} path @param {number} depth @returns {unknown} */
  const value = (path, depth) => {
    const sign = next();
    if (depth > DEEP) refuse("deep");
    lines.set(path, line());
    if (sign === "{") {
      /** @type {Map<string, unknown>} */
      const found = new Map();
      members("}", () => {
        next();
        const name = take(TEXT);
        if (name === undefined) return refuse("unexpected");
        const key = /** @type {string} */ (JSON.parse(name));
        if (found.has(key)) refuse("twice");
        expect(":");
        found.set(key, value(`${path}/${key}`, depth + 1));
      });
      return Object.fromEntries(found); // own properties alone, __proto__ among them
    }
    if (sign === "[") {
      /** @type {unknown[]} */
      const found = [];
      members("]", () => found.push(value(`${path}/${found.length}`, depth + 1)));
      return found;
    }
    const simple = take(sign === '"' ? TEXT : OTHER);
    if (simple === undefined) return refuse("unexpected");
    return JSON.parse(simple);
  };
  if (next() === undefined) throw new NotJson("nothing", 1);
  const whole = value("", 0);
  if (next() !== undefined) refuse("more");
  return { value: whole, lines };
}
