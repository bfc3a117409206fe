/** The language a page begins with. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { spoken } from "../../assets/js/words/language.js";

test("a browser's language is taken by its first two letters, and the first of all where there is none of it", () => {
  assert.equal(spoken(["en", "ko"], "ko-KR"), "ko");
  assert.equal(spoken(["en", "ko"], "KO"), "ko");
  assert.equal(spoken(["en", "ko"], "fr-FR"), "en");
  assert.equal(spoken(["en", "fr", "ko"], "fr-FR"), "fr");
});
