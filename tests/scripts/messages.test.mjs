/** Texts filled in as a language's grammar asks: the cases of messages.json, which Python reads as well. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { filled } from "../../assets/js/words/message_format.js";

/** @type {[string, string, import("../../assets/js/words/message_format.js").Fields, string][]} */
const CASES = JSON.parse(readFileSync(fileURLToPath(new URL("messages.json", import.meta.url).href), "utf8"));

for (const [lang, template, fields, text] of CASES) {
  test(`${lang} “${template}” is ${text}`, () => assert.equal(filled(template, lang, fields), text));
}
