/**
 * Carries an uploaded file over the reload at a change of language. In IndexedDB: it works on plain http and holds
 * megabytes. The file is removed on arrival. Weights, which a link names, stay over every reload, in the tab's own storage:
 * it ends with the tab.
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

const STAYS = `${NAME}-weights`;
/** Bytes of a file that stays: the browser gives a tab five million signs, and other things of it are there, too. */
const MOST = 4_000_000;

/** Let weights stay in this tab, in the place of those before. @param {Uint8Array | null} file */
export function stay(file) {
  try {
    sessionStorage.removeItem(STAYS);
    if (!file || file.length > MOST) return;
    let signs = "";
    for (let at = 0; at < file.length; at += 0x8000) signs += String.fromCharCode(...file.subarray(at, at + 0x8000));
    sessionStorage.setItem(STAYS, signs);
  } catch {
    // The browser stores nothing: after a reload a notice asks the visitor to choose the file again.
  }
}

/** Return the weights that stayed in this tab if a link is of weights. @param {string} query */
export function stayed(query) {
  if (!namesWeights(query)) return null;
  try {
    const signs = sessionStorage.getItem(STAYS);
    return signs === null ? null : Uint8Array.from(signs, (sign) => sign.charCodeAt(0));
  } catch {
    return null;
  }
}

/** Return true if a link's model is a file of weights. @param {string} model */
export const isWeights = (model) => model.startsWith("weights-file@");

/** Return true for the link of a file of weights. @param {string} query */
export const namesWeights = (query) => isWeights(new URLSearchParams(query).get("model") ?? "");

const HELD = "\0held:";

/** Return what stands for a file that the server holds itself, if a link names one: a notebook's tensors. @param {string} query */
export function handed(query) {
  const name = new URLSearchParams(query).get("held");
  return name ? new TextEncoder().encode(`${HELD}${name}`) : null;
}

/** Return true for bytes that stand for a file of the server. @param {Uint8Array} bytes */
export const isHanded = (bytes) => new TextDecoder().decode(bytes.subarray(0, HELD.length)) === HELD;
