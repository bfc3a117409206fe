/** The size of classes and files under assets/js. What is larger stands here by name and number, and may only shrink. */

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import ts from "../../assets/node_modules/typescript/lib/typescript.js";

/** Most public members of a class: methods, accessors and fields, inherited ones too. */
const MEMBERS = 15;
/** Most lines of a file. */
const LINES = 320;
const ROOT = fileURLToPath(new URL("../../assets/js", import.meta.url).href);

/** Classes that have more members, by file. @type {Record<string, number>} */
const LARGER = {};

/** Files that have more lines. @type {Record<string, number>} */
const LONGER = {};

/** @typedef {{base: string, own: Set<string>}} Class its base as FILE CLASS, or "" */

/** Return the classes of a file by FILE CLASS. @param {string} file @param {string} text @returns {[string, Class][]} */
function classes(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  /** Where each imported name comes from. @type {Map<string, string>} */
  const from = new Map();
  /** @type {[string, Class][]} */
  const found = [];
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement) && ts.isStringLiteral(statement.moduleSpecifier)) {
      const path = new URL(statement.moduleSpecifier.text, `file:///${file}`).pathname.slice(1);
      const named = statement.importClause?.namedBindings;
      if (named && ts.isNamedImports(named)) for (const { name } of named.elements) from.set(name.text, path);
    }
    if (!ts.isClassDeclaration(statement) || !statement.name) continue;
    const base = statement.heritageClauses?.[0]?.types[0].expression.getText() ?? "";
    const own = new Set(
      statement.members.flatMap(({ name }) => (name && !ts.isPrivateIdentifier(name) ? [name.getText()] : [])),
    );
    for (const made of statement.members.filter(ts.isConstructorDeclaration)) {
      for (const [, field] of made.getText().matchAll(/^\s+this\.(\w+) = /gm)) own.add(field);
    }
    found.push([`${file} ${statement.name.text}`, { base: base && `${from.get(base) ?? file} ${base}`, own }]);
  }
  return found;
}

/** Return the public members of a class and of those that it extends. @param {Map<string, Class>} all @param {string} name @returns {Set<string>} */
function members(all, name) {
  const { base, own } = all.get(name) ?? { base: "", own: new Set() };
  return new Set([...own, ...(base ? members(all, base) : [])]);
}

const texts = globSync("**/*.js", { cwd: ROOT }).map(
  (file) => /** @type {const} */ ([file, readFileSync(`${ROOT}/${file}`, "utf8")]),
);

/** @param {[string, number][]} sizes @param {number} most */
const above = (sizes, most) => Object.fromEntries(sizes.filter(([, size]) => size > most).sort());

test("a class counts what it inherits and what its constructor sets, and nothing private", () => {
  const all = new Map([
    ...classes("a/b.js", "class Base {\n  x = 1;\n  #y = 2;\n  constructor() {\n    this.z = 3;\n  }\n}"),
    ...classes("a/c.js", 'import { Base } from "./b.js";\nclass Page extends Base {\n  get w() {}\n  x() {}\n}'),
  ]);
  assert.deepEqual([...members(all, "a/c.js Page")].sort(), ["w", "x", "z"]);
});

test(`a class has at most ${MEMBERS} public members`, () => {
  const all = new Map(texts.flatMap(([file, text]) => classes(file, text)));
  assert.deepEqual(
    above(
      [...all.keys()].map((name) => [name, members(all, name).size]),
      MEMBERS,
    ),
    LARGER,
  );
});

test(`a file has at most ${LINES} lines`, () => {
  assert.deepEqual(
    above(
      texts.map(([file, text]) => [file, text.split("\n").length - 1]),
      LINES,
    ),
    LONGER,
  );
});
