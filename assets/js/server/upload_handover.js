/**
 * Carries an uploaded file over the reload at a change of language. In IndexedDB: it works on plain http and holds
 * megabytes. The file is removed on arrival.
 */

const NAME = "headlight-upload";
const STORE = "handover";
const KEY = "upload";

/** @template Result @param {IDBRequest<Result>} request @returns {Promise<Result>} */
const settled = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** @template Result @param {(store: IDBObjectStore) => IDBRequest<Result>} work */
async function within(work) {
  const opening = indexedDB.open(NAME, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  const database = await settled(opening);
  try {
    return await settled(work(database.transaction(STORE, "readwrite").objectStore(STORE)));
  } finally {
    database.close();
  }
}

/** @param {Uint8Array | null} file null: none */
export async function carry(file) {
  try {
    if (file) await within((store) => store.put(file, KEY));
    if (file) sessionStorage.setItem(`${NAME}-${STORE}`, "1"); // only this tab removes it
  } catch {
    // The browser stores nothing: a notice asks the visitor to choose the file again.
  }
}

/** @returns {Promise<Uint8Array | null>} */
export async function arrived() {
  try {
    if (!sessionStorage.getItem(`${NAME}-${STORE}`)) return null;
    sessionStorage.removeItem(`${NAME}-${STORE}`);
    const file = await within((store) => store.get(KEY));
    await within((store) => store.delete(KEY));
    return file ?? null;
  } catch {
    return null;
  }
}

const HELD = "\0held:";

/** Return what stands for a file that the server holds itself, if a link names one: a notebook's tensors. @param {string} query */
export function handed(query) {
  const name = new URLSearchParams(query).get("held");
  return name ? new TextEncoder().encode(`${HELD}${name}`) : null;
}

/** Return true for bytes that stand for a file of the server. @param {Uint8Array} bytes */
export const isHanded = (bytes) => new TextDecoder().decode(bytes.subarray(0, HELD.length)) === HELD;
