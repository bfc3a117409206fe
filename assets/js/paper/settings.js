/** The settings of a page as one line of text. Pure. */

import { SHAPING } from "../link/look.js";

/** Letters of a value, such as a visitor's text. */
const LONGEST = 60;

/** Controls that change no number, and those that follow from others. */
const LEFT_OUT = ["lang", "page", "predict", "pin", "tie", "columns", "left", "top", "across", "step", ...SHAPING];

/** @typedef {(key: string) => string} Text */

/**
 * Return the settings that count in this state, each with its name.
 * @param {string[]} names of the page's controls
 * @param {import("../link/values.js").Values} values
 * @param {string[]} meaningless names of controls without an effect
 * @param {(name: string) => string} label of a control
 * @param {Text} text
 */
export function settingsLine(names, values, meaningless, label, text) {
  return names
    .filter((name) => !LEFT_OUT.includes(name) && !meaningless.includes(name))
    .flatMap((name) => {
      const value = worded(name, values[name], text);
      const named = label(name);
      // a label like "Steps (0: the task's own)" tells that 0 is no number
      return value === null || (value === "0" && named.includes("(0:")) ? [] : [joined(named, value)];
    })
    .join(" · ");
}

/** Return a name with its value: "n = 32" or "Mask: causal". @param {string} label @param {string} value */
function joined(label, value) {
  const symbol = /^([^\s,:]{1,8})(,|$)/.exec(label)?.[1];
  if (symbol && /^[a-z](_|$)/.test(symbol)) return `${symbol} = ${value}`;
  // what stands in brackets tells how to use the control
  return `${label.replace(/ \([^)]*\)$/, "").replace(/ =$/, "")}: ${value}`;
}

/** Return a value in words; null if it is none. @param {string} name @param {import("../link/values.js").Value} value @param {Text} text */
function worded(name, value, text) {
  if (value === null || value === undefined || value === "") return null;
  if (typeof value === "boolean") return text(value ? "print.yes" : "print.no");
  const words = String(value)
    .split(name === "text" ? /$^/ : ",")
    .map((one) => {
      const key = `choice.${name}.${one}`;
      const label = text(key);
      return label === key ? one : label;
    })
    .join(", ");
  return words.length > LONGEST ? `${words.slice(0, LONGEST)}…` : words;
}
