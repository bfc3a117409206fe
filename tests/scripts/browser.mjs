/** What a stand-in for a page lacks of a browser: events that go down and up, properties that are attributes, tables, a focus that is told. */

import { StandIn, focusedOne } from "./stand_in.mjs";

/** @typedef {{kind: string, then: Loose, capture: boolean, once: boolean}} Listener */

/** What each target hears. @type {WeakMap<object, Listener[]>} */
const heard = new WeakMap();

/** Events that do not rise. */
const STAYS = new Set(["toggle", "focus", "blur", "pointerleave", "scroll", "close"]);

/** Properties that are attributes of an element. */
const REFLECTED = {
  ...{ href: "href", ariaPressed: "aria-pressed", ariaExpanded: "aria-expanded", ariaLabel: "aria-label" },
  ...{ ariaBusy: "aria-busy", ariaCurrent: "aria-current" },
};

/** What stands for the class of elements of one name. @param {string} name @returns {Loose} */
const kindOf = (name) =>
  class {
    static [Symbol.hasInstance](/** @type {Loose} */ one) {
      return one instanceof StandIn && one.localName === name;
    }
  };

/** Let targets remember what they hear, and elements of `standIn` be as a browser's. @param {Loose} window @param {Loose} document */
export function standInBrowser(window, document) {
  const [add, remove] = ["addEventListener", "removeEventListener"].map(
    (name) => /** @type {Loose} */ (Reflect.get(EventTarget.prototype, name)),
  );
  Object.assign(EventTarget.prototype, {
    /** @this {Loose} */
    addEventListener(/** @type {string} */ kind, /** @type {Loose} */ then, /** @type {Loose} */ how = {}) {
      const capture = typeof how === "boolean" ? how : Boolean(how.capture);
      heard.set(this, [...(heard.get(this) ?? []), { kind, then, capture, once: Boolean(how.once) }]);
      add.call(this, kind, then, how);
    },
    /** @this {Loose} */
    removeEventListener(/** @type {string} */ kind, /** @type {Loose} */ then, /** @type {Loose} */ how) {
      heard.set(this, heard.get(this)?.filter((one) => one.kind !== kind || one.then !== then) ?? []);
      remove.call(this, kind, then, how);
    },
  });
  const give = (/** @type {string} */ name, /** @type {PropertyDescriptor & ThisType<Loose>} */ how) =>
    Object.defineProperty(StandIn.prototype, name, { configurable: true, ...how });
  for (const [property, attribute] of Object.entries(REFLECTED)) {
    give(property, {
      get() {
        return this.getAttribute(attribute);
      },
      set(value) {
        this.setAttribute(attribute, value);
      },
    });
  }
  give("tabIndex", {
    get() {
      return Number(this.getAttribute("tabindex") ?? -1);
    },
    set(value) {
      this.setAttribute("tabindex", value);
    },
  });
  give("open", {
    get() {
      return this.hasAttribute("open");
    },
    set(value) {
      this.toggleAttribute("open", Boolean(value));
    },
  });
  const [setAttribute, removeAttribute, focus] = ["setAttribute", "removeAttribute", "focus"].map(
    (name) => /** @type {Loose} */ (Reflect.get(StandIn.prototype, name)),
  );
  const toggled = (/** @type {Loose} */ one) => {
    if (one.localName === "details") queueMicrotask(() => hear(one, "toggle"));
  };
  Object.assign(StandIn.prototype, {
    /** @this {Loose} */
    setAttribute(/** @type {string} */ name, /** @type {string} */ value) {
      if (name === "open" && !this.hasAttribute("open")) toggled(this);
      setAttribute.call(this, name, value);
    },
    /** @this {Loose} */
    removeAttribute(/** @type {string} */ name) {
      if (name === "open" && this.hasAttribute("open")) toggled(this);
      removeAttribute.call(this, name);
    },
    /** @this {Loose} */
    focus() {
      const before = /** @type {Loose} */ (document.activeElement);
      if (before === this) return;
      focus.call(this);
      for (const kind of ["blur", "focusout"]) hear(before, kind);
      for (const kind of ["focus", "focusin"]) hear(this, kind);
    },
    /** @this {Loose} */
    showPopover() {
      this.setAttribute("shown", "");
    },
    /** @this {Loose} */
    hidePopover() {
      this.removeAttribute("shown");
    },
    setPointerCapture() {},
  });
  const listed = (/** @type {Loose[]} */ all) =>
    Object.assign(all, { item: (/** @type {number} */ at) => all[at] ?? null });
  give("rows", {
    get() {
      return listed(this.querySelectorAll("tr"));
    },
    set(value) {
      this.setAttribute("rows", value);
    },
  });
  give("cells", {
    get() {
      return this.children;
    },
  });
  give("rowIndex", {
    get() {
      return this.closest("table").rows.indexOf(this);
    },
  });
  give("cellIndex", {
    get() {
      return this.parent.children.indexOf(this);
    },
  });
  /** @type {WeakMap<object, string>} */
  const typed = new WeakMap();
  const Input = kindOf("input");
  Object.defineProperty(Input.prototype, "value", {
    get() {
      return typed.get(this) ?? "";
    },
    set(value) {
      typed.set(this, String(value));
    },
  });
  /** The texts inside an element, one after the other. @param {Loose} root */
  const walker = (root) => {
    const texts = [root, ...root.all()].flatMap((/** @type {Loose} */ parentElement) =>
      parentElement.childNodes
        .filter((/** @type {unknown} */ one) => typeof one === "string")
        .map((/** @type {string} */ data) => ({
          ...{ data, parentElement },
          replaceWith: (/** @type {Loose[]} */ ...nodes) => {
            const all = [...parentElement.childNodes];
            all.splice(all.indexOf(data), 1, ...nodes);
            parentElement.replaceChildren(...all);
          },
        })),
    );
    let at = -1;
    return {
      nextNode: () => (at += 1) < texts.length,
      get currentNode() {
        return texts[at];
      },
    };
  };
  document.createTreeWalker = walker;
  const { createElement } = document;
  document.createElement = (/** @type {string} */ name) => {
    const one = createElement(name);
    const { style } = one;
    return Object.assign(one, {
      style: Object.defineProperty(style, "getPropertyValue", {
        value: (/** @type {string} */ side) => style[side] ?? "",
      }),
    });
  };
  Object.assign(globalThis, {
    ...{
      NodeFilter: { SHOW_TEXT: 4 },
      Node: StandIn,
      HTMLInputElement: Input,
      HTMLSpanElement: kindOf("span"),
      HTMLButtonElement: kindOf("button"),
    },
    addEventListener: window.addEventListener.bind(window),
    dispatchEvent: (/** @type {Event} */ event) => hear(window, event.type),
  });
}

/**
 * Let an element, the document or the window hear an event as in a browser: down to it, then up from it.
 * @param {Loose} on @param {string} kind @param {Loose} [more] @returns {Loose} the event
 */
export function hear(on, kind, more = {}) {
  const { document, window } = globalThis;
  const event = Object.assign(new Event(kind, { cancelable: true }), { pointerType: "mouse", button: 0, ...more });
  const way = { goes: true, at: /** @type {unknown} */ (null), stopped: new Set() };
  Object.defineProperties(event, {
    target: { value: on },
    stopPropagation: { value: () => (way.goes = false) },
    stopImmediatePropagation: { value: () => ((way.goes = false), way.stopped.add(way.at)) },
  });
  const path = [];
  for (let at = on; at instanceof StandIn; at = /** @type {Loose} */ (at).parent) path.push(at);
  if (on !== window) path.push(document);
  path.push(window);
  const tell = (/** @type {Loose} */ at, /** @type {boolean} */ capture) => {
    way.at = at;
    if (!capture) at[`on${kind}`]?.(event);
    for (const one of heard.get(at) ?? []) {
      if (way.stopped.has(at) || one.kind !== kind || one.capture !== capture) continue;
      if (one.once) at.removeEventListener(kind, one.then, { capture });
      if (typeof one.then === "function") one.then.call(at, event);
      else one.then.handleEvent(event);
    }
  };
  for (const at of path.toReversed()) if (way.goes) tell(at, true);
  for (const at of path) if (way.goes && (at === on || !STAYS.has(kind))) tell(at, false);
  return event;
}

/** Press an element as a visitor does, who sees it and may press it; a summary opens or shuts what it stands in. @param {Loose} on @param {Loose} [more] */
export function press(on, more = {}) {
  for (let at = on; at; at = at.parent) {
    if (at.hidden || at.inert || (at === on && at.disabled)) throw new Error(`nobody can press ${on.markup}`);
  }
  hear(on, "pointerdown", more);
  hear(on, "pointerup", more);
  const event = hear(on, "click", { detail: 1, ...more });
  const box = on.closest("summary")?.parent;
  if (box && !event.defaultPrevented) box.open = !box.open;
  return event;
}

/** What has the focus, in a few words. */
export function focusSaid() {
  const one = /** @type {Loose} */ (focusedOne());
  return one ? `${one.localName}${one.id ? `#${one.id}` : ""} “${one.textContent.slice(0, 30)}”` : "nothing";
}
