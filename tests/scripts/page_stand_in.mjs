/** A stand-in for a page that is alive: selectors, events that rise, a server whose answers the test plays, and what happens, line by line. */

import { focusedOne, keyed, settled, StandIn } from "./stand_in.mjs";

/** What each target hears. @type {[EventTarget, string, Loose, Loose][]} */
const heard = [];

/** Let nobody hear any more what is told to the document and the window. */
export function deafen() {
  for (const [on, kind, then, how] of heard.splice(0)) on.removeEventListener(kind, then, how);
}

/** Keep who hears what is told to a target. @param {Loose} on */
export function listening(on) {
  const add = on.addEventListener.bind(on);
  on.addEventListener = (/** @type {string} */ kind, /** @type {Loose} */ then, /** @type {Loose} */ how) => {
    heard.push([on, kind, then, how]);
    add(kind, then, how);
  };
}

/** Return an empty place on a page that hears nothing yet. */
export function place() {
  deafen();
  const { document } = globalThis;
  const root = document.createElement("div");
  const body = document.createElement("body");
  body.append(root);
  document.body.replaceWith(body);
  Object.assign(document, { body });
  return /** @type {Loose} */ (root);
}

/** Give elements and the document what pages ask of them. @param {Loose} document */
export function standInPage(document) {
  for (const on of [document, globalThis.window]) listening(on);
  const html = Object.assign(document.createElement("html"), { clientWidth: 1280, clientHeight: 720 });
  html.append(document.body);
  Object.assign(StandIn.prototype, {
    /** @this {Loose} */
    showModal() {
      this.open = true;
    },
    /** @this {Loose} */
    close() {
      this.open = false;
      this.dispatchEvent(new Event("close"));
    },
    value: "", // of a box that nobody has typed in
    scrollIntoView() {},
    select() {},
    decode: async () => {},
  });
  const reads = {
    /** @this {Loose} */
    isConnected() {
      return html.contains(this);
    },
  };
  for (const [name, get] of Object.entries(reads)) {
    Object.defineProperty(StandIn.prototype, name, { get, configurable: true });
  }
  const made = document.createElement;
  Object.assign(document, {
    documentElement: html,
    createElement(/** @type {string} */ name) {
      if (name !== "output") return made(name);
      const names = new Set();
      return Object.assign(made(name), {
        htmlFor: { add: names.add.bind(names), toString: () => [...names].join(" ") },
      });
    },
    createDocumentFragment: () => made("fragment"),
    querySelector: (/** @type {string} */ selector) => html.querySelector(selector),
    querySelectorAll: (/** @type {string} */ selector) => html.querySelectorAll(selector),
    getElementById: (/** @type {string} */ id) => html.querySelector(`[id="${id}"]`),
  });
  Object.defineProperty(document, "activeElement", { get: focusedOne, configurable: true });
}

/**
 * Let an element hear an event, then what it stands in.
 * @param {Loose} on @param {string} kind @param {Loose} [more] @returns {Loose} the event
 */
export function press(on, kind = "click", more = {}) {
  const event = Object.assign(new Event(kind, { cancelable: true }), { pointerType: "mouse", ...more });
  const rise = { on: true, here: true };
  Object.defineProperties(event, {
    target: { value: on },
    stopPropagation: { value: () => (rise.on = false) },
    stopImmediatePropagation: {
      value: () => {
        rise.on = rise.here = false;
        Event.prototype.stopImmediatePropagation.call(event);
      },
    },
  });
  for (let at = on; at && rise.on; at = at.parent) {
    at.dispatchEvent(event);
    if (rise.here) at[`on${kind}`]?.(event);
  }
  if (rise.on) globalThis.document.dispatchEvent(event);
  return event;
}

/** Type into a box. @param {Loose} box @param {string} value @param {string} [kind] */
export function type(box, value, kind = "input") {
  box.value = value;
  Object.defineProperty(box, "validity", { value: { badInput: value === "bad" }, configurable: true });
  press(box, kind);
}

/** @param {Uint8Array[]} blocks */
export function joined(blocks) {
  const all = new Uint8Array(blocks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const block of blocks) {
    all.set(block, at);
    at += block.length;
  }
  return all;
}

/** Return a tree as the server sends it, with its arrays as blocks. @param {unknown} tree @param {number} [from] where its first block begins */
export function packed(tree, from = 0) {
  /** @type {Uint8Array[]} */
  const blocks = [];
  /** @type {unknown[]} */
  const values = [];
  let at = from;
  /** @param {Loose} node @returns {unknown} */
  const walk = (node) => {
    if (ArrayBuffer.isView(node)) {
      const bytes = new Uint8Array(node.buffer, node.byteOffset, node.byteLength);
      const t = { Float32Array: "f4", Int32Array: "i4", Uint8Array: "u1", Float64Array: "f8" }[node.constructor.name];
      const { shape, length } = /** @type {Loose} */ (node);
      values.push({ t, s: shape ?? [length], at });
      const padded = new Uint8Array(8 * Math.ceil(bytes.length / 8));
      padded.set(bytes);
      blocks.push(padded);
      at += padded.length;
      return { $: values.length - 1 };
    }
    if (Array.isArray(node)) return node.map(walk);
    if (node === null || typeof node !== "object") return node;
    return Object.fromEntries(Object.entries(node).map(([name, child]) => [name, walk(child)]));
  };
  const structure = walk(tree);
  return { entry: { hash: String((packed.count += 1)), structure, values }, blocks: joined(blocks) };
}
packed.count = 0;

/** Return the bytes of a part of an answer. @param {Loose} header @param {Uint8Array} [blocks] */
export function partOf(header, blocks = new Uint8Array(0)) {
  const text = new TextEncoder().encode(JSON.stringify({ bytes: blocks.length, ...header }));
  return joined([new Uint8Array(new Uint32Array([text.length]).buffer), text, blocks]);
}

/** A part whose values are a tree. @param {string} part @param {unknown} tree @param {string} [field] @param {Loose} [more] of its header */
export function valued(part, tree, field = "values", more = {}) {
  const { entry, blocks } = packed(tree);
  return partOf({ part, [field]: entry, ...more }, blocks);
}

/** Return markup line by line, each element as deep as it stands. @param {string} markup */
function linesOf(markup) {
  let depth = 0;
  return markup
    .replaceAll("><", ">\n<")
    .split("\n")
    .flatMap((piece) => {
      const at = "  ".repeat(Math.max(0, depth));
      depth += (piece.match(/<\w/g)?.length ?? 0) - (piece.match(/<\//g)?.length ?? 0);
      return piece.startsWith("</") ? [] : [`${at}${piece.replace(/<\/[\w-]+>$/, "")}`];
    });
}

/**
 * What has changed between two states of a page: the lines that stand there now, and those that left without another in their place.
 * @param {string[]} before @param {string[]} after
 */
function changed(before, after) {
  const sizes = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      sizes[i][j] = before[i] === after[j] ? sizes[i + 1][j + 1] + 1 : Math.max(sizes[i + 1][j], sizes[i][j + 1]);
    }
  }
  /** @type {string[]} */
  const lines = [];
  let unpaired = 0;
  for (let i = 0, j = 0; i < before.length || j < after.length;) {
    const comes = j < after.length && (i === before.length || sizes[i][j + 1] >= sizes[i + 1][j]);
    if (i < before.length && j < after.length && before[i] === after[j]) {
      [i, j, unpaired] = [i + 1, j + 1, 0];
    } else if (comes) {
      lines.push(`+ ${after[j]}`);
      [j, unpaired] = [j + 1, unpaired + 1];
    } else {
      const left = /^- (\d+) lines$/.exec(lines.at(-1) ?? "");
      if (left) lines[lines.length - 1] = `- ${Number(left[1]) + 1} lines`;
      else if (unpaired < 1) lines.push(/^- /.test(lines.at(-1) ?? "") ? "- 1 lines" : `- ${before[i]}`);
      [i, unpaired] = [i + 1, unpaired - 1];
    }
  }
  return lines;
}

/** Tells what happens: after each step what the script asked for, where the focus went, and what else is on the screen. */
export class Told {
  /** @type {string[]} */
  lines = [];
  /** What was asked for since the last step. @type {string[]} */
  story = [];
  /** @type {string[]} */
  #screen = [];
  /** @type {unknown} */
  #focus = focusedOne();

  /** @param {Loose} root what is looked at */
  constructor(root) {
    this.root = root;
  }

  /** @param {string} step */
  now(step) {
    const screen = linesOf(this.root.markup);
    const focus = /** @type {Loose} */ (focusedOne());
    const moved =
      focus !== this.#focus ? [`focus: ${focus ? focus.id || focus.textContent || focus.localName : "nowhere"}`] : [];
    this.lines.push(`## ${step}`, ...this.story.splice(0), ...moved, ...changed(this.#screen, screen));
    this.#screen = screen;
    this.#focus = focus;
  }

  /** Let an element hear an event, and tell what follows. @param {string} step @param {Loose} on @param {string} [kind] @param {Loose} [more] */
  async after(step, on, kind = "click", more = {}) {
    const event = press(on, kind, more);
    await settled();
    this.now(event.defaultPrevented ? `${step} (taken)` : step);
  }
}

/** Answers that a test plays, part by part: the newest one, or the newest to a question whose path begins so. */
export function played() {
  /** The answers that are open, the newest last. @type {{path: string, controller: ReadableStreamDefaultController<Uint8Array>}[]} */
  const open = [];
  const newest = (path = "") => open.findLast((one) => one.path.startsWith(path));
  const shut = (/** @type {unknown} */ one) =>
    void open.splice(0, open.length, ...open.filter((other) => other !== one));
  /** @param {string} path @param {(Loose | Uint8Array)[]} parts @param {boolean} ends */
  const give = async (path, parts, ends) => {
    await settled();
    const one = newest(path);
    if (path && !one) throw new Error(`nobody asks ${path}`);
    for (const part of parts) one?.controller.enqueue(part instanceof Uint8Array ? part : partOf(part));
    if (ends) {
      shut(one);
      one?.controller.close();
    }
    await settled();
  };
  return {
    /** Return the body of an answer, which a signal ends. @param {AbortSignal | undefined} signal @param {string} [path] */
    answer: (signal, path = "") =>
      new ReadableStream({
        start: (controller) => {
          const one = { path, controller };
          open.push(one);
          signal?.addEventListener("abort", () => {
            shut(one);
            controller.error(signal.reason);
          });
        },
      }),
    /** Send parts of the newest answer. @param {(Loose | Uint8Array)[]} parts */
    send: (...parts) => give("", parts, false),
    /** Send the last parts of the newest answer. @param {(Loose | Uint8Array)[]} parts */
    last: (...parts) => give("", parts, true),
    /** Do the same with the newest answer to a path. @param {string} path @param {(Loose | Uint8Array)[]} parts */
    sendTo: (path, ...parts) => give(path, parts, false),
    /** @param {string} path @param {(Loose | Uint8Array)[]} parts */
    lastTo: (path, ...parts) => give(path, parts, true),
    /** Forget the answers of a page that is gone. */
    forget: () => void open.splice(0),
    /** End the newest answer, or break it. @param {unknown} [broken] @param {string} [path] */
    end: async (broken, path) => {
      const one = newest(path);
      shut(one);
      if (broken) one?.controller.error(broken);
      else one?.controller.close();
      await settled();
    },
  };
}

/**
 * Return a page without figures whose server the test plays.
 * @param {Told} told @param {Loose} settings @param {Record<string, unknown>} values of its link
 */
export function livePage(told, settings, values) {
  const { answer, ...playing } = played();
  const say = (/** @type {unknown[]} */ ...words) =>
    void told.story.push(words.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join(" "));
  const state = {
    values,
    agreed: values,
    canonicalValues: /** @type {Loose} */ (values),
    present: "the state",
    chosenLanguage: null,
    upload: /** @type {Uint8Array | null} */ (null),
  };
  const go = (/** @type {Record<string, unknown>} */ next) => {
    const news = Object.entries(next).filter(([name, value]) => state.values[name] !== value);
    Object.assign(state, { values: next, agreed: next, canonicalValues: next });
    return Object.fromEntries(news);
  };
  const page = {
    settings,
    state,
    text: keyed,
    figures: { known: new Map() },
    move: (/** @type {Record<string, unknown>} */ next, /** @type {boolean} */ tells) =>
      say("moves", go(next), tells ? "and tells" : ""),
    controls: {
      follow: (/** @type {string} */ name, /** @type {unknown} */ value) =>
        say("follows", go({ ...state.values, [name]: value })),
      tell: () => say("tells the controls"),
      fit: () => say("fits the controls"),
    },
    updates: {
      route: "live",
      body: (/** @type {string} */ _, /** @type {unknown} */ more) => more,
      rules: { enclosed: () => null },
      again: async () => say("asks again"),
    },
    message: { fail: (/** @type {string | null} */ sentence) => say("fails:", sentence) },
    presence: { later: /** @type {Loose} */ ({}) },
    server: {
      address: (/** @type {string} */ path) => path,
      ask: async (
        /** @type {string} */ path,
        /** @type {unknown} */ body,
        /** @type {unknown} */ file,
        /** @type {Loose} */ { signal } = {},
      ) => {
        say("asks", path, body, file ? "with a file" : "");
        return { body: answer(signal) };
      },
      send: async (/** @type {string} */ path, /** @type {Blob} */ blob) => {
        say("sends", path, blob.size);
        return { body: answer(undefined) };
      },
      tell: async (/** @type {string} */ path) => {
        say("tells", path);
        return new Response(null, { status: 204 });
      },
      alive: async () => true,
    },
  };
  return { page: /** @type {Loose} */ (page), ...playing };
}
