/** Checks a value against the part of JSON Schema that assets/lessons/lesson.schema.json uses. Pure. */

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
 * @typedef {{path: string, key: string, fields: Record<string, string | number>}} Fault `path`: "/steps/0/link" is a part
 */

/**
 * Yield what is wrong with a value.
 * @param {unknown} value @param {Schema} schema @param {Schema} root @param {string} path
 * @returns {Generator<Fault>}
 */
export function* faults(value, schema, root, path) {
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
  if (typeof value === "number" && !Number.isFinite(value)) return "infinite"; // 1e999
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

/** @param {string} value @param {Schema} schema @param {string} path @returns {Generator<Fault>} */
function* ofText(value, { minLength = 0, maxLength = Infinity, pattern }, path) {
  const { length } = [...value];
  if (length < minLength) {
    yield { path, key: "empty", fields: {} };
  } else if (length > maxLength) {
    yield { path, key: "long", fields: { most: maxLength } };
  } else if (pattern && !new RegExp(pattern, "u").test(value)) {
    // the part's own sentence: nobody reads a pattern
    yield { path, key: `form_${path.slice(path.lastIndexOf("/") + 1)}`, fields: { value: value.slice(0, 40) } };
  }
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
