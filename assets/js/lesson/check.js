/**
 * Checks a lesson against assets/lessons/lesson.schema.json, of which it knows the words that stand there, and names what
 * is wrong and the line. Pure.
 */

import { NotJson, readJson } from "./json_lines.js";

/**
 * @typedef {object} Schema the part of JSON Schema that we use
 * @property {string} [$ref]
 * @property {string | string[]} [type]
 * @property {Record<string, Schema>} [properties]
 * @property {string[]} [required]
 * @property {false} [additionalProperties]
 * @property {number} [minProperties]
 * @property {Schema} [items]
 * @property {number} [minItems] @property {number} [maxItems]
 * @property {number} [minLength] @property {number} [maxLength]
 * @property {string} [pattern]
 * @property {unknown[]} [enum]
 * @property {number} [minimum] @property {number} [maximum]
 * @property {{required: string[]}[]} [oneOf]
 * @property {Record<string, string[]>} [dependentRequired]
 * @property {Record<string, Schema>} [$defs]
 *
 * @typedef {{line: number, path: string, key: string, fields: Record<string, string | number>}} Problem
 */

/** Characters of a lesson's file. */
export const LONGEST = 200_000;

/**
 * Return a lesson from its text, and what is wrong with it. A lesson with problems is null.
 * @param {string} text @param {Schema} schema
 * @returns {{lesson: import("./lesson.js").Lesson | null, problems: Problem[]}}
 */
export function checked(text, schema) {
  if (text.length > LONGEST) return refused(1, "long", { most: LONGEST });
  try {
    const { value, lines } = readJson(text);
    const shape = [...faults(value, schema, schema, "")];
    const lesson = /** @type {import("./lesson.js").Lesson} */ (value);
    const problems = (shape.length ? shape : [...undrawable(lesson)]).map(({ path, key, fields }) => ({
      ...{ path: path.slice(1), key, fields },
      line: lines.get(path) ?? 1,
    }));
    if (problems.length) return { lesson: null, problems };
    return { lesson, problems };
  } catch (problem) {
    if (!(problem instanceof NotJson)) throw problem;
    return refused(problem.line, `json_${problem.fault}`, { found: problem.found });
  }
}

/** @param {number} line @param {string} key @param {Record<string, string | number>} fields */
const refused = (line, key, fields) => ({ lesson: null, problems: [{ line, path: "", key, fields }] });

/**
 * Yield what is wrong with a value.
 * @param {unknown} value @param {Schema} schema @param {Schema} root @param {string} path
 * @returns {Generator<Fault>}
 */
function* faults(value, schema, root, path) {
  if (schema.$ref) {
    const found = root.$defs?.[schema.$ref.replace("#/$defs/", "")];
    if (!found) throw new RangeError(schema.$ref);
    yield* faults(value, found, root, path);
    return;
  }
  const kinds = schema.type === undefined ? [] : [schema.type].flat();
  const kind = kindOf(value);
  if (kinds.length && !kinds.includes(kind) && !(kind === "integer" && kinds.includes("number"))) {
    yield { path, key: `type_${kinds[0]}`, fields: {} };
    return;
  }
  if (schema.enum && !schema.enum.includes(value)) {
    yield { path, key: "enum", fields: { choices: schema.enum.join(", ") } };
  }
  if (typeof value === "string") {
    yield* ofText(value, schema, path);
  } else if (typeof value === "number") {
    yield* ofNumber(value, schema, path);
  } else if (Array.isArray(value)) {
    if (value.length < (schema.minItems ?? 0)) yield { path, key: "few", fields: { least: schema.minItems ?? 0 } };
    if (value.length > (schema.maxItems ?? Infinity)) {
      yield { path, key: "many", fields: { most: schema.maxItems ?? 0 } };
    } else if (schema.items) {
      for (const [i, one] of value.entries()) yield* faults(one, schema.items, root, `${path}/${i}`);
    }
  } else if (typeof value === "object" && value !== null) {
    yield* ofObject(/** @type {Record<string, unknown>} */ (value), schema, root, path);
  }
}

/** @param {unknown} value */
function kindOf(value) {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

/** @typedef {{path: string, key: string, fields: Record<string, string | number>}} Fault */

/**
 * Return what keeps axes from holding a curve, and where; no schema can say so. Null if nothing does.
 * @param {import("./lesson.js").Curve} curve
 * @returns {[at: string, key: string] | null}
 */
export function faultOf({ points, low, high, log_x = false }) {
  if (low >= high) return ["high", "curve_ends"];
  if (points.some((point, i) => i > 0 && point <= points[i - 1])) return ["points", "curve_order"];
  return log_x && points[0] <= 0 ? ["points", "curve_log"] : null;
}

/** @param {import("./lesson.js").Lesson} lesson @returns {Generator<Fault>} */
function* undrawable({ steps }) {
  for (const [i, { question }] of steps.entries()) {
    const found = question?.curve && faultOf(question.curve);
    if (found) yield { path: `/steps/${i}/question/curve/${found[0]}`, key: found[1], fields: {} };
  }
}

/** @param {string} value @param {Schema} schema @param {string} path @returns {Generator<Fault>} */
function* ofText(value, { minLength = 0, maxLength = Infinity, pattern }, path) {
  const { length } = [...value];
  if (length < minLength) yield { path, key: "empty", fields: {} };
  else if (length > maxLength) yield { path, key: "long", fields: { most: maxLength } };
  else if (pattern && !new RegExp(pattern, "u").test(value)) yield { path, key: "pattern", fields: { pattern } };
}

/** @param {number} value @param {Schema} schema @param {string} path @returns {Generator<Fault>} */
function* ofNumber(value, { minimum = -Infinity, maximum = Infinity }, path) {
  if (value < minimum || value > maximum) yield { path, key: "range", fields: { least: minimum, most: maximum } };
}

/** @param {Record<string, unknown>} value @param {Schema} schema @param {Schema} root @param {string} path @returns {Generator<Fault>} */
function* ofObject(value, schema, root, path) {
  const { properties = {}, required = [], minProperties = 0, dependentRequired = {}, oneOf } = schema;
  const names = Object.keys(value);
  const has = (/** @type {string} */ name) => names.includes(name);
  for (const name of required) if (!has(name)) yield { path, key: "missing", fields: { name } };
  if (names.length < minProperties) yield { path, key: "empty", fields: {} };
  for (const [name, others] of Object.entries(dependentRequired)) {
    for (const other of others) if (has(name) && !has(other)) yield { path, key: "missing", fields: { name: other } };
  }
  if (oneOf && oneOf.filter((one) => one.required.every(has)).length !== 1) {
    yield { path, key: "one_of", fields: { choices: oneOf.map((one) => one.required.join(" + ")).join(", ") } };
  }
  for (const name of names) {
    const own = Object.hasOwn(properties, name) ? properties[name] : null;
    if (own) yield* faults(value[name], own, root, `${path}/${name}`);
    else if (schema.additionalProperties === false) yield { path: `${path}/${name}`, key: "unknown", fields: { name } };
  }
}
