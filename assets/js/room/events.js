/** Reads server-sent events from the text of a stream, wherever it is cut. Pure. */

/** @typedef {{event: string, data: string, id: string}} Event */

export class Events {
  #rest = "";

  /** Return the events that a piece of text completes. @param {string} piece @returns {Event[]} */
  take(piece) {
    const blocks = (this.#rest + piece).split("\n\n");
    this.#rest = blocks.pop() ?? "";
    return blocks.map(read).filter((one) => one.data !== "");
  }
}

/** @param {string} block @returns {Event} */
function read(block) {
  const found = { event: "message", data: "", id: "" };
  for (const line of block.split("\n")) {
    const at = line.indexOf(": ");
    const [name, value] = [line.slice(0, at), line.slice(at + 2)];
    if (name === "event" || name === "data" || name === "id") found[name] = value;
  }
  return found;
}
