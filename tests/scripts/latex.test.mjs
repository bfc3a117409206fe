/** The LaTeX of a teacher's question, in the notation that the page typesets. */

import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "./properties.mjs";
import { unlatex } from "../../assets/js/words/latex.js";

test("what teachers type becomes the page's own notation", () => {
  for (const [typed, said] of [
    [String.raw`Why divide by $\sqrt{d_k}$?`, "Why divide by √d_k?"],
    [String.raw`Why divide by \sqrt{d_k}?`, "Why divide by √d_k?"],
    [String.raw`$\frac{QK^T}{\sqrt{d_k}}$`, "QKᵀ/√d_k"],
    [String.raw`$\frac{1}{\sqrt{d_k}}$ or $\frac{1}{d_k}$`, "1/√d_k or 1/d_k"],
    [String.raw`$\text{softmax}(QK^{\top})V$`, "softmax(QKᵀ)V"],
    [String.raw`$d_{\text{model}} = 512$`, "d_model = 512"],
    [String.raw`$\sigma^2 \approx d_k$`, "σ^2 ≈ d_k"],
    [String.raw`\(q \cdot k\)`, "q · k"],
    [String.raw`$e^{H}$ and $e^{-x}$`, "e^H and e^(-x)"],
    [String.raw`$n$ is 8`, "n is 8"],
    [String.raw`$\sqrt{\frac{2}{d_k}}$`, "√(2/d_k)"],
    [String.raw`$W_{Q}$`, "W_Q"],
    [String.raw`$\alpha_{i,j} \le 1$`, "α_(i,j) ≤ 1"],
    [String.raw`50\,\%`, "50 %"],
    [String.raw`$n+1$, $a<b$, $d_k-1$ and $-1$`, "n+1, a<b, d_k-1 and -1"],
    [String.raw`$\frac12$ of $\{1,2\}$`, "1/2 of {1,2}"],
    [String.raw`$x \in \mathbb{R}$ or $\sqrt[3]{x_{i}}$`, String.raw`x ∈ \mathbb{R} or \sqrt[3]{x_i}`],
  ]) {
    assert.equal(unlatex(typed), said);
  }
});

test("what is no LaTeX stays as it is", () => {
  for (const text of [
    "It costs $5 and $6.",
    "It costs $5-$10, or $5, $6.",
    String.raw`\left`,
    String.raw`$\left$`,
    "√d_k and 1/√d_k, qᵢ·kⱼ",
    "{1, 2}",
    "a^T",
    String.raw`C:\unknown\path`,
    "가중치는 √d_k로 나눈다",
    "$",
    "$$",
  ]) {
    assert.equal(unlatex(text), text);
  }
});

test("a text without a backslash or two dollars is never changed, and none becomes longer", () => {
  const signs = fc.string({ unit: fc.constantFrom(..."$\\{}_^ abcdk√5sqrtfrac"), maxLength: 500 });
  fc.assert(
    fc.property(signs, (text) => {
      const plain = unlatex(text);
      assert.ok(plain.length <= text.length);
      if (!text.includes("\\") && (text.match(/\$/g) ?? []).length < 2) assert.equal(plain, text);
    }),
    { numRuns: 3000 },
  );
});
