/**
 * Where the scripts can be mutated: prints one JSON array of {file, start, end, text, what}. Paths are arguments,
 * relative to assets/. TypeScript's parser finds the places.
 */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import ts from "../../assets/node_modules/typescript/lib/typescript.js";

const assets = join(fileURLToPath(import.meta.url), "../../../assets");
const { SyntaxKind: Kind } = ts;

const OPERATORS = new Map([
  ["<", "<="],
  ["<=", "<"],
  [">", ">="],
  [">=", ">"],
  ["===", "!=="],
  ["!==", "==="],
  ["+", "-"],
  ["-", "+"],
  ["*", "/"],
  ["/", "*"],
  ["&&", "||"],
  ["||", "&&"],
  ["??", "&&"],
  ["+=", "-="],
  ["-=", "+="],
]);
const CALLS = new Map([
  ["min", "max"],
  ["max", "min"],
  ["floor", "ceil"],
  ["ceil", "floor"],
  ["some", "every"],
  ["every", "some"],
  ["add", "delete"],
]);

/** @type {{file: string, start: number, end: number, text: string, what: string}[]} */
const found = [];
for (const file of process.argv.slice(2)) {
  const text = readFileSync(join(assets, file), "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  /** @param {ts.Node} node @param {string} replacement @param {string} what */
  const put = (node, replacement, what) =>
    found.push({ file, start: node.getStart(source), end: node.getEnd(), text: replacement, what });
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isBinaryExpression(node)) {
      const operator = node.operatorToken.getText(source);
      const other = OPERATORS.get(operator);
      if (other) put(node.operatorToken, other, `${operator} → ${other}`);
    } else if (ts.isNumericLiteral(node)) {
      put(node, node.text === "0" ? "1" : `(2 * ${node.getText(source)})`, "number");
    } else if (node.kind === Kind.TrueKeyword || node.kind === Kind.FalseKeyword) {
      put(node, node.kind === Kind.TrueKeyword ? "false" : "true", "boolean");
    } else if (ts.isIfStatement(node)) {
      put(node.expression, `!(${node.expression.getText(source)})`, "condition");
    } else if (ts.isConditionalExpression(node)) {
      put(node.condition, `!(${node.condition.getText(source)})`, "condition");
    } else if (ts.isPrefixUnaryExpression(node) && node.operator === Kind.ExclamationToken) {
      put(node, node.operand.getText(source), "not");
    } else if (ts.isStringLiteral(node) && node.text && !ts.isPropertyAssignment(node.parent)) {
      put(node, JSON.stringify(`${node.text}x`), "text");
    } else if (ts.isExpressionStatement(node) && !node.expression.getText(source).startsWith("super(")) {
      put(node, ";", "statement removed");
    } else if (ts.isReturnStatement(node) && node.expression && !ts.isArrowFunction(node.parent)) {
      put(node, "return undefined;", "nothing returned");
    }
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const other = CALLS.get(node.expression.name.text);
      if (other) put(node.expression.name, other, `${node.expression.name.text} → ${other}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}
process.stdout.write(JSON.stringify(found));
