/** Talks to the app's routes. A request's body is `u32 length | JSON | the upload's bytes`; the server keeps nothing between two of them. */

/** Milliseconds after which a server that has not answered counts as lost; the heaviest update takes a few seconds. */
const PATIENCE = 45_000;

/** What this tab is called, made once as it loads: behind one address the server shares its places between tabs. It names nobody. */
const TAB = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16)))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** A refusal that the visitor should read: its message is a sentence in their language. */
export class Refusal extends Error {}

/**
 * A request's body in one buffer, laid out as the server reads it.
 * @param {any} said @param {Uint8Array | null} upload
 */
export function packed(said, upload = null) {
  const text = new TextEncoder().encode(JSON.stringify(said));
  const length = new Uint8Array(new Uint32Array([text.length]).buffer);
  const body = new Uint8Array(4 + text.length + (upload?.length ?? 0));
  body.set(length);
  body.set(text, 4);
  if (upload) body.set(upload, 4 + text.length);
  return body;
}

export class Server {
  /** @param {string} prefix address of the routes, relative to the page */
  constructor(prefix) {
    this.prefix = prefix;
  }

  /** @param {string} path */
  address(path) {
    return new URL(`${this.prefix}/${path}`, document.baseURI);
  }

  /**
   * @param {string} path @param {any} said @param {Uint8Array | null} upload
   * @param {AbortSignal} [signal] ends it; without one a server that does not answer in time counts as lost
   * @returns {Promise<Response>}
   */
  async ask(path, said, upload = null, signal = AbortSignal.timeout(PATIENCE)) {
    return this.#send(path, packed(said, upload), signal);
  }

  /** @param {string} path @param {Blob} body */
  send(path, body) {
    return this.#send(path, body);
  }

  /** What a run is told by its name: pause, resume, cancel. @param {string} path @returns {Promise<Response>} whatever its status is */
  tell(path) {
    return fetch(this.address(path), { method: "POST", headers: { "X-Headlight-Tab": TAB } });
  }

  async #send(path, body, signal = AbortSignal.timeout(PATIENCE)) {
    const headers = { "Content-Type": "application/octet-stream", "X-Headlight-Tab": TAB };
    const answer = await fetch(this.address(path), { method: "POST", body, headers, signal });
    if (answer.ok) return answer;
    let message = null;
    try {
      ({ message } = await answer.json());
    } catch {
      throw new Error(String(answer.status));
    }
    throw new Refusal(message ?? String(answer.status));
  }
}
