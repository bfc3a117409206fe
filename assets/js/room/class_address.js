/** The address of a room as students open it, and its QR code. */

export class ClassAddress {
  /** The address of the page as students reach it: another one if only this machine can open that of this page. */
  base = `${location.origin}${location.pathname}`;

  /** @param {import("./line.js").Line} line to the room */
  constructor(line) {
    this.line = line;
  }

  /** The code of the room. */
  get code() {
    return this.line.code;
  }

  /** The address that students open. */
  get whole() {
    return `${this.base}?room=${this.code}`;
  }

  /** Return its QR code. @returns {Promise<string>} an address */
  async picture() {
    const answer = await this.line.post("qr", { address: this.whole });
    return `data:image/svg+xml,${encodeURIComponent(await answer.text())}`;
  }
}
