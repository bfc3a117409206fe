/** The sequence that the visitor brings: a file, or a text; a text too long for the link travels beside it, as a file does. */

/** Sources that read a text. */
const READING = ["text", "model"];

/** Return true if a source reads a text. Pure. @param {unknown} source */
export const reads = (source) => READING.includes(String(source));

export class Brought {
  /** Number of files and texts so far: links do not distinguish them. */
  version = 0;
  #state;
  #took;
  /** A text too long for the link. @type {Uint8Array | null} */
  #long = null;

  /**
   * @param {import("../../link/state.js").State} state
   * @param {(change: {source?: string, text?: string}, tellControls: boolean) => void} took moves the page to what has come
   */
  constructor(state, took) {
    this.#state = state;
    this.#took = took;
  }

  /** What is sent besides the link. */
  get enclosed() {
    const { values, upload } = this.#state;
    return values.source === "upload" ? upload : reads(values.source) ? this.#long : null;
  }

  /** Take what another page may have handed over as the visitor's long text. */
  inherit() {
    this.#long = this.#state.upload;
  }

  /** Use the tensors of a file that the server has checked. @param {Uint8Array} file */
  useFile(file) {
    this.#state.upload = file;
    this.version += 1;
    this.#took({ source: "upload" }, true);
  }

  /** @param {string} text its form in the link @param {Uint8Array | null} bytes if it is too long for one */
  useText(text, bytes) {
    this.#long = bytes;
    this.version += 1;
    this.#took({ text }, false);
  }
}
