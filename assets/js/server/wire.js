/**
 * Decodes what the server sends (visualiser/server/live/wire.py): parts of
 * `u32 header length | JSON header | binary blocks`, several in one response.
 */

/** @type {Record<string, new (blocks: ArrayBuffer, at: number, length: number) => object>} */
const ARRAYS = {
  f4: Float32Array,
  f8: Float64Array,
  u1: Uint8Array,
  i1: Int8Array,
  b1: Uint8Array,
  u2: Uint16Array,
  i2: Int16Array,
  u4: Uint32Array,
  i4: Int32Array,
};

/** Message of the error for a truncated answer; a page translates it. */
export const BROKEN = "the answer broke off";

/**
 * Yield parts as they arrive. Who stops early ends the answer: nobody reads the rest, and its connection is free.
 * @param {ReadableStream<Uint8Array> | null} stream
 * @returns {AsyncGenerator<import("../../types/wire.js").Part>}
 */
export async function* parts(stream) {
  if (!stream) throw new Error(BROKEN);
  const reader = stream.getReader();
  /** @type {Uint8Array[]} */
  const chunks = [];
  let held = 0;
  /** @param {number} length @returns {Promise<Uint8Array | null>} exactly `length` bytes, or null at the stream's end */
  const take = async (length) => {
    while (held < length) {
      const { value, done } = await reader.read();
      if (done) {
        if (held) throw new Error(BROKEN);
        return null;
      }
      chunks.push(value);
      held += value.length;
    }
    const out = new Uint8Array(length);
    let at = 0;
    while (at < length) {
      const chunk = chunks[0];
      const used = Math.min(chunk.length, length - at);
      out.set(chunk.subarray(0, used), at);
      at += used;
      if (used === chunk.length) chunks.shift();
      else chunks[0] = chunk.subarray(used);
    }
    held -= length;
    return out;
  };
  try {
    for (;;) {
      const start = await take(4);
      if (!start) return;
      const text = await take(new DataView(start.buffer).getUint32(0, true));
      if (!text) throw new Error(BROKEN);
      const header = JSON.parse(new TextDecoder().decode(text));
      const blocks = header.bytes ? await take(header.bytes) : new Uint8Array(0);
      if (!blocks) throw new Error(BROKEN);
      if (header.part === "beat") continue; // only a sign that the server is working
      yield { header, blocks: /** @type {ArrayBuffer} */ (blocks.buffer) };
    }
  } finally {
    reader.cancel().catch(() => {}); // it may be broken
  }
}

/**
 * Return a part that has to be of this kind.
 * @template {import("../../types/wire.js").Header["part"]} Kind
 * @param {import("../../types/wire.js").Part} part @param {Kind} kind
 */
export function only(part, kind) {
  if (part.header.part !== kind) throw new Error(part.header.part);
  return /** @type {import("../../types/wire.js").Part<Extract<import("../../types/wire.js").Header, {part: Kind}>>} */ (
    part
  );
}

/**
 * Decode one value of a header: a number, text, or a typed array over the part's blocks with its `shape`.
 * @param {unknown} value
 * @param {ArrayBuffer} blocks
 */
export function decode(value, blocks) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value; // sent as JSON
  const { t, s, at } = /** @type {{t: string, s: number[], at: number}} */ (value);
  const length = s.reduce((product, size) => product * size, 1);
  return Object.assign(new ARRAYS[t](blocks, at, length), { shape: s });
}

/**
 * Put the values of an entry back into its structure. Structures are kept by hash: the server sends each only once.
 * @template Tree
 * @param {import("../../types/wire.js").Entry<Tree>} entry
 * @param {ArrayBuffer} blocks
 * @param {Map<string, unknown>} known
 * @returns {Tree}
 */
export function revive(entry, blocks, known) {
  if (entry.structure !== undefined) known.set(entry.hash, entry.structure);
  const values = entry.values.map((value) => decode(value, blocks));
  /** @param {unknown} node @returns {unknown} */
  const fill = (node) => {
    if (node === null || typeof node !== "object") return node;
    if (Array.isArray(node)) return node.map(fill);
    if ("$" in node) return values[Number(node.$)];
    return Object.fromEntries(Object.entries(node).map(([key, child]) => [key, fill(child)]));
  };
  return /** @type {Tree} */ (fill(known.get(entry.hash)));
}
