/** The paper's symbols are typeset wherever a person reads them; their text stays plain. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { StandIn, standIn } from "./stand_in.mjs";

standIn();
const { typeset } = await import("../../assets/js/words/symbols.js");
const { symbolsIn } = await import("../../assets/js/words/svg_symbols.js");

/** @param {string} text the elements of a text */
const place = (text) => {
  const made = new StandIn("p");
  made.append(.../** @type {Loose[]} */ (typeset(text)));
  return made;
};

/** What an eye sees: tags with their classes and signs. @param {StandIn | string} node @returns {string} */
const seen = (node) => {
  if (typeof node === "string") return node;
  const { localName, className, childNodes } = node;
  const sign = /** @type {string | undefined} */ (node.dataset.sign);
  if (className === "silent") return "";
  const tag = [localName, ...(className ? [className] : [])].join(".");
  return `<${tag}${sign ? ` ${sign}` : ""}>${childNodes.map(seen).join("")}</${localName}>`;
};

const d_k = "<span.math><i>d</i><sub><i>k</i></sub></span>";
/** @param {string} inner */
const root = (inner) => `<span.root><span.radicand>${inner}</span></span>`;
/** @param {string} inner */
const math = (inner) => `<span.math>${inner}</span>`;

for (const [text, wanted] of [
  ["d_k", d_k],
  ["7 “H” reads 3 “d_k” of n", `7 “H” reads 3 “d_k” of ${math("<i>n</i>")}`],
  ["d_model", math("<i>d</i><sub>model</sub>")],
  ["W_Q는", `${math("<i>W</i><sub><i>Q</i></sub>")}는`],
  ["e^H", math(`<i>e</i><sup>${math("<i>H</i>")}</sup>`)],
  ["n^3.17", math("<i>n</i><sup>3.17</sup>")],
  ["d_k^(−1/4)", math("<i>d</i><sub><i>k</i></sub><sup>−1/4</sup>")],
  ["1/√d_k", `<span.unbroken>1/${root(d_k)}</span>`],
  ["is 1/√512, not", `is <span.unbroken>1/${root("512")}</span>, not`],
  [
    "q/2 and (w/h)/n, m",
    `<span.unbroken>${math("<i>q</i>")}/2</span> and (<span.unbroken>${math("<i>w</i>")}/${math("<i>h</i>")}</span>` +
      `<span.unbroken>)/${math("<i>n</i>")}</span>, ${math("<i>m</i>")}`,
  ],
  ["of q · k?", `of <span.unbroken>${math("<i>q</i>")} · ${math("<i>k</i>")}</span>?`],
  ["|dL/ds|로", `|<span.unbroken>${math("<i>dL</i>")}/${math("<i>ds</i>")}</span>|로`],
  ["√512", root("512")],
  ["q̂ⁱ", math("<i>q̂</i><sup.raised i></sup>")],
  ["Q̂K̂ᵀ와 K̂", `${math("<i>Q̂K̂</i><sup.raised T></sup>")}와 ${math("<i>K̂</i>")}`],
  ["QKᵀ", math("<i>QK</i><sup.raised T></sup>")],
  ["eᴴ", math("<i>e</i><sup.raised H></sup>")],
  ["bⁱ·ʰ", math("<i>b</i><sup.raised i·h></sup>")],
  ["α′", math("<i>α</i>′")],
  ["Σp²", `Σ${math("<i>p</i><sup.raised 2></sup>")}`],
  ["‖J‖_F", `${math("<span.bar>‖</span>")}${math("<i>J</i>")}${math("<span.bar>‖</span><sub><i>F</i></sub>")}`],
  ["‖J‖<sub>F</sub>", `${math("<span.bar>‖</span>")}${math("<i>J</i>")}${math("<span.bar>‖</span>")}<sub>F</sub>`],
  ["h, heads", `${math("<i>h</i>")}, heads`],
  ["h개", `${math("<i>h</i>")}개`],
]) {
  test(`typeset, its text kept: ${text}`, () => {
    assert.equal(place(text).childNodes.map(seen).join(""), wanted);
    assert.equal(place(text).textContent, text.replaceAll(/<\/?sub>/g, ""));
  });
}

test("words, units and links are no symbols", () => {
  const words = ["QK-norm, 계수 없음", "A head's", "25 s", "A and B", "snake_case", "max_file", "file.n", "I", "<b>"];
  for (const text of [...words, "?n=9&h=2&d_k=4", "d_k=4"]) assert.deepEqual(typeset(text), [text]);
});

test("markup stays text", () => {
  const text = "<img src=x onerror=alert(1)> <b>d_k</b>";
  const made = place(text);
  assert.equal(made.textContent, text);
  assert.deepEqual(
    made.all().map(({ localName }) => localName),
    ["span", "i", "span", "sub", "i"],
  );
});

test("a root in a picture keeps its sign", () => {
  const parts = /** @type {Loose[]} */ (symbolsIn("1/√d_k · ln n"));
  const shown = parts.filter((part) => part.getAttribute("class") !== "unseen");
  assert.equal(shown.map((part) => part.textContent).join(""), "1/√dk · ln n");
});
