/** Texts without their signs; the cases hold on the server too. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { plainly } from "../../assets/js/lesson/markdown.js";

/** @type {[string, string][]} */
const CASES = JSON.parse(readFileSync(fileURLToPath(new URL("./emphasis.json", import.meta.url).href), "utf8"));

for (const [written, plain] of CASES) {
  test(`without its signs: ${written}`, () => {
    assert.equal(plainly(written), plain);
  });
}
