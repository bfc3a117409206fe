/** A bounded store that forgets the least recently used value. Pure. @template T */
export class Recent {
  /** @param {number} most */
  constructor(most) {
    this.most = most;
    /** @type {Map<string, T>} in the order of use */
    this.held = new Map();
  }

  /** @param {string} name @returns {T | undefined} */
  get(name) {
    const value = this.held.get(name);
    if (value === undefined) return undefined;
    this.held.delete(name);
    this.held.set(name, value);
    return value;
  }

  /** @param {string} name @param {T} value */
  set(name, value) {
    this.held.delete(name);
    this.held.set(name, value);
    for (const oldest of this.held.keys()) {
      if (this.held.size <= this.most) return;
      this.held.delete(oldest);
    }
  }

  /** Return true if the name is stored; this does not count as use. @param {string} name */
  has(name) {
    return this.held.has(name);
  }

  /** @returns {T[]} */
  values() {
    return [...this.held.values()];
  }

  clear() {
    this.held.clear();
  }
}
