/** A stand-in for a page without layout: enough of a document for scripts that make elements, of a storage and of an address. */

import { isFitting } from "./selectors.mjs";

/** What an element has besides the properties that a script gives it. */
const OWN = new Set(["localName", "childNodes", "dataset", "attributes", "style", "className", "parent", "classList"]);

/** One element. Properties are kept as they are given, and written as attributes. */
export class StandIn extends EventTarget {
  /** @type {string | undefined} */ id;
  /** @type {((event: Event) => unknown) | undefined} */ onclick;

  /** @param {string} name */
  constructor(name) {
    super();
    this.localName = name;
    /** @type {(StandIn | string)[]} */
    this.childNodes = [];
    /** @type {Record<string, unknown>} */
    this.dataset = {};
    /** @type {Record<string, string>} */
    this.attributes = {};
    this.style = {};
    this.className = "";
    /** @type {StandIn | null} */
    this.parent = null;
    const names = () => this.className.split(" ").filter(Boolean);
    const put = (/** @type {string[]} */ all) => (this.className = all.join(" "));
    this.classList = {
      contains: (/** @type {string} */ one) => names().includes(one),
      add: (/** @type {string[]} */ ...more) => put([...new Set([...names(), ...more])]),
      remove: (/** @type {string[]} */ ...less) => put(names().filter((one) => !less.includes(one))),
      toggle: (/** @type {string} */ one, on = !names().includes(one)) =>
        put(on ? [...new Set([...names(), one])] : names().filter((other) => other !== one)),
    };
  }

  get children() {
    return this.childNodes.filter((one) => one instanceof StandIn);
  }

  /** @returns {StandIn | null} */
  get parentElement() {
    return this.parent;
  }

  get firstChild() {
    return this.childNodes[0] ?? null;
  }

  get firstElementChild() {
    return this.children[0] ?? null;
  }

  /** @returns {StandIn | string | null} */
  get lastChild() {
    return this.childNodes.at(-1) ?? null;
  }

  /** @returns {StandIn | null} */
  get lastElementChild() {
    return this.children.at(-1) ?? null;
  }

  /** @returns {StandIn | null} */
  get nextElementSibling() {
    const beside = this.parent?.children ?? [];
    return beside.at(beside.indexOf(this) + 1) ?? null;
  }

  get tagName() {
    return this.localName.toUpperCase();
  }

  /** Return true for one that fits some selectors, as `selectors.mjs` has them. @param {string} selector */
  matches(selector) {
    return isFitting(selector, this);
  }

  /** Return the nearest that fits, this one or what it stands in. @param {string} selector @returns {StandIn | null} */
  closest(selector) {
    return this.matches(selector) ? this : (this.parent?.closest(selector) ?? null);
  }

  /** @param {StandIn | null} one */
  contains(one) {
    return one === this || (one !== null && this.all().includes(one));
  }

  get outerHTML() {
    return this.markup;
  }

  get textContent() {
    return this.childNodes.map((one) => (typeof one === "string" ? one : one.textContent)).join("");
  }

  set textContent(/** @type {string} */ text) {
    this.replaceChildren(...(text ? [text] : []));
  }

  append(/** @type {(StandIn | string)[]} */ ...nodes) {
    this.#put(this.childNodes.length, nodes);
  }

  prepend(/** @type {(StandIn | string)[]} */ ...nodes) {
    this.#put(0, nodes);
  }

  before(/** @type {(StandIn | string)[]} */ ...nodes) {
    if (this.parent) this.parent.#put(this.parent.childNodes.indexOf(this), nodes);
  }

  after(/** @type {(StandIn | string)[]} */ ...nodes) {
    if (this.parent) this.parent.#put(this.parent.childNodes.indexOf(this) + 1, nodes);
  }

  #put(/** @type {number} */ at, /** @type {(StandIn | string)[]} */ nodes) {
    const next = this.childNodes.slice(at).find((one) => typeof one === "string" || !nodes.includes(one));
    for (const node of nodes) if (node instanceof StandIn) node.remove();
    const place = next === undefined ? this.childNodes.length : this.childNodes.indexOf(next);
    for (const node of nodes) if (node instanceof StandIn) node.parent = this;
    this.childNodes.splice(place, 0, ...nodes.map((one) => (one instanceof StandIn ? one : String(one))));
  }

  replaceWith(/** @type {StandIn} */ node) {
    this.before(node);
    this.remove();
  }

  remove() {
    if (focused && this.contains(focused)) focused = null; // browsers take the focus from what leaves, also for a moment
    const inside = this.parent?.childNodes;
    inside?.splice(inside.indexOf(this), 1);
    this.parent = null;
  }

  replaceChildren(/** @type {(StandIn | string)[]} */ ...nodes) {
    for (const child of this.children) child.remove();
    this.childNodes = [];
    this.append(...nodes);
  }

  setAttribute(/** @type {string} */ name, /** @type {string} */ value) {
    if (name === "class") this.className = String(value);
    else this.attributes[name] = String(value);
  }

  /** @param {string} name @returns {string | null} */
  getAttribute(name) {
    if (name === "class") return this.className || null;
    const data = name.startsWith("data-") ? this.dataset[name.slice(5)] : undefined;
    return (
      this.attributes[name] ?? (data === undefined ? null : typeof data === "string" ? data : JSON.stringify(data))
    );
  }

  hasAttribute(/** @type {string} */ name) {
    return this.getAttribute(name) !== null;
  }

  removeAttribute(/** @type {string} */ name) {
    delete this.attributes[name];
  }

  toggleAttribute(/** @type {string} */ name, on = !this.hasAttribute(name)) {
    if (on) this.setAttribute(name, "");
    else this.removeAttribute(name);
  }

  /** Return a copy without what it hears. @param {boolean} [deep] @returns {StandIn} */
  cloneNode(deep = false) {
    const copy = new StandIn(this.localName);
    const { parent, classList, childNodes, ...own } = this;
    const silent = Object.entries(own).filter(([, value]) => typeof value !== "function");
    Object.assign(copy, {
      ...Object.fromEntries(silent),
      dataset: { ...this.dataset },
      attributes: { ...this.attributes },
    });
    copy.style = Object.defineProperties({ ...this.style }, Object.getOwnPropertyDescriptors(this.style));
    if (deep) copy.append(...childNodes.map((one) => (typeof one === "string" ? one : one.cloneNode(true))));
    return copy;
  }

  focus() {
    focused = this;
  }

  click() {
    this.onclick?.(new Event("click"));
    this.dispatchEvent(new Event("click"));
  }

  /** Return all elements inside, in their order. @returns {StandIn[]} */
  all() {
    return this.children.flatMap((one) => [one, ...one.all()]);
  }

  querySelectorAll(/** @type {string} */ selector) {
    return this.all().filter((one) => one.matches(selector));
  }

  querySelector(/** @type {string} */ selector) {
    return this.querySelectorAll(selector)[0] ?? null;
  }

  /** The element as a person reads markup. @returns {string} */
  get markup() {
    const inside = this.childNodes.map((one) => (typeof one === "string" ? one : one.markup));
    return `${this.opening}${inside.join("")}</${this.localName}>`;
  }

  /** The tag that begins it: its properties and attributes in the order of their names. */
  get opening() {
    const properties = Object.entries(this).filter(
      ([name, value]) => !OWN.has(name) && typeof value !== "function" && value !== undefined && value !== false,
    );
    const data = Object.entries(this.dataset).map(([name, value]) => [`data-${name}`, value]);
    const style = Object.entries(this.style).map(([name, value]) => `${name}: ${value}`);
    const all = [
      ...(this.className ? [["class", this.className]] : []),
      ...properties,
      ...data,
      ...(style.length ? [["style", style.join("; ")]] : []),
      ...Object.entries(this.attributes),
    ];
    const written = all.map(([name, value]) => ` ${name}="${value}"`).sort();
    return `<${[this.localName, ...written].join("")}>`;
  }
}

/** @type {StandIn | null} */
let focused = null;

/** Return the element that has the focus. */
export const focusedOne = () => focused;

/** A storage, which may refuse everything. */
export class Storage {
  /** @type {Map<string, string>} */
  kept = new Map();
  refuses = false;

  getItem(/** @type {string} */ name) {
    if (this.refuses) throw new Error("refused");
    return this.kept.get(name) ?? null;
  }

  setItem(/** @type {string} */ name, /** @type {string} */ text) {
    if (this.refuses) throw new Error("refused");
    this.kept.set(name, text);
  }

  removeItem(/** @type {string} */ name) {
    if (this.refuses) throw new Error("refused");
    this.kept.delete(name);
  }
}

/**
 * Stand in for a page's globals: its document, its window with two storages, and its address.
 * @param {string} [query] of the address
 */
export function standIn(query = "") {
  const document = Object.assign(new Heard(), {
    hidden: false,
    body: new StandIn("body"),
    createElement: (/** @type {string} */ name) => new StandIn(name),
    createElementNS: (/** @type {string} */ _, /** @type {string} */ name) => new StandIn(name),
  });
  const storages = { localStorage: new Storage(), sessionStorage: new Storage() };
  const window = Object.assign(new EventTarget(), storages);
  const location = {
    search: query,
    pathname: "/",
    hash: "",
    replaced: "",
    replace: (/** @type {string} */ to) => void (location.replaced = to),
  };
  const history = {
    state: null,
    replaceState: (/** @type {unknown} */ _, /** @type {string} */ __, /** @type {string} */ to) => {
      location.search = new URL(to, "http://page").search;
    },
  };
  Object.assign(globalThis, {
    document,
    window,
    location,
    history,
    Element: StandIn,
    HTMLElement: StandIn,
    ...storages,
  });
  return { document, window, location, ...storages };
}

/** What hears events. Node forgets no listener by `true`, as browsers do. */
class Heard extends EventTarget {
  /** @override @param {string} type @param {Loose} listener @param {Loose} [how] */
  removeEventListener(type, listener, how) {
    super.removeEventListener(type, listener, typeof how === "boolean" ? { capture: how } : how);
  }
}

/** Return a text function that writes its key, and the values of its fields behind it. */
export const keyed = (/** @type {string} */ key, /** @type {Record<string, unknown>} */ fields = {}) =>
  [key, ...Object.values(fields)].join(" ");

/** Let all ready work finish. @returns {Promise<void>} */
export const settled = async () => {
  for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(() => resolve(null)));
};

/** Stand in for the clock and the timers: time passes when a test says so. Random pauses are the mean ones. */
export class Time {
  now = 1_000_000;
  /** @type {Map<number, {at: number, every: number, then: () => void}>} */
  #waiting = new Map();
  #made = 0;

  constructor() {
    const add = (/** @type {() => void} */ then, wait = 0, every = 0) => {
      this.#made += 1;
      this.#waiting.set(this.#made, { at: this.now + wait, every, then });
      return this.#made;
    };
    const clear = (/** @type {number} */ made) => void this.#waiting.delete(made);
    Object.assign(globalThis, {
      setTimeout: (/** @type {() => void} */ then, /** @type {number} */ wait) => add(then, wait),
      setInterval: (/** @type {() => void} */ then, /** @type {number} */ wait) => add(then, wait, wait),
      clearTimeout: clear,
      clearInterval: clear,
    });
    Object.defineProperty(globalThis, "performance", { value: { now: () => this.now }, configurable: true });
    Date.now = () => this.now;
    Math.random = () => 0.5;
  }

  /** How many timers wait. */
  get waiting() {
    return this.#waiting.size;
  }

  /** Let nothing wait any more. */
  clear() {
    this.#waiting.clear();
  }

  /** Let time pass. @param {number} milliseconds */
  async pass(milliseconds) {
    const to = this.now + milliseconds;
    await settled();
    for (;;) {
      const ready = [...this.#waiting].filter(([, { at }]) => at <= to).sort(([, a], [, b]) => a.at - b.at);
      const next = ready.at(0);
      if (!next) break;
      const [made, timer] = next;
      this.now = Math.max(this.now, timer.at);
      if (timer.every) timer.at += timer.every;
      else this.#waiting.delete(made);
      timer.then();
      await settled();
    }
    this.now = to;
  }
}
