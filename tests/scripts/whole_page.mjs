/** A stand-in for a whole page: its root, media, dialogs and files; and what differs between two looks at it. */

import { standInDrawing } from "./drawing.mjs";
import { StandIn, focusedOne, keyed, standIn } from "./stand_in.mjs";

/** A medium that a test turns on and off. */
class Medium extends EventTarget {
  matches = false;

  /** @param {boolean} on */
  turn(on) {
    this.matches = on;
    this.dispatchEvent(new Event("change"));
  }
}

/** What elements do in a page that scrolls and opens dialogs; `said` hears it. @param {(line: string) => void} said @returns {Loose} */
const doing = (said) => ({
  value: "",
  select() {
    said(`select ${/** @type {Loose} */ (this).localName}`);
  },
  /** A form whose required fields are filled. @returns {boolean} */
  reportValidity() {
    const fields = /** @type {Loose} */ (this).querySelectorAll("input");
    const lacks = fields.filter((/** @type {Loose} */ one) => one.required && !one.disabled && !one.value);
    said(lacks.length ? `lacks ${lacks.map((/** @type {Loose} */ { id }) => id).join(", ")}` : "valid");
    return lacks.length === 0;
  },
  blur() {
    said("blur");
    globalThis.document.body.focus();
  },
  show() {
    /** @type {Loose} */ (this).open = true;
  },
  showModal() {
    said("modal");
    /** @type {Loose} */ (this).open = true;
  },
  close() {
    if (!(/** @type {Loose} */ (this).open)) return;
    /** @type {Loose} */ (this).open = false;
    queueMicrotask(() => /** @type {Loose} */ (this).dispatchEvent(new Event("close"))); // browsers tell it later, too
  },
  scrollIntoView(/** @type {unknown} */ how) {
    said(`${/** @type {Loose} */ (this).id ?? /** @type {Loose} */ (this).localName} into view ${JSON.stringify(how)}`);
  },
  scrollTo(/** @type {unknown} */ to) {
    said(`scroll to ${JSON.stringify(to)}`);
  },
});

/**
 * Stand in for a whole page. `heard` gets what it does besides showing something: dialogs, scrolling, saved files.
 * @param {string} [query] of the address
 */
export function standInPage(query = "") {
  const made = standIn(query);
  const document = /** @type {Loose} */ (made.document);
  standInDrawing(document);
  /** @type {string[]} */
  const heard = [];
  const html = document.createElement("html");
  const body = document.createElement("body");
  html.append(body);
  /** @type {Map<string, Medium>} */
  const media = new Map();
  const medium = (/** @type {string} */ query) => {
    const found = media.get(query) ?? new Medium();
    media.set(query, found);
    return found;
  };
  let made_ids = 0;
  const { crypto } = globalThis;
  /** @type {(() => void)[]} */
  const frames = [];
  /** @type {(() => void)[]} */
  const wished = [];
  Object.assign(document, {
    body,
    documentElement: html,
    getElementById: (/** @type {string} */ id) =>
      html.all().find((/** @type {StandIn} */ one) => one.id === id) ?? null,
    querySelector: (/** @type {string} */ selector) => html.querySelector(selector),
    querySelectorAll: (/** @type {string} */ selector) => html.querySelectorAll(selector),
    adoptNode: (/** @type {StandIn} */ one) => (one.remove(), one),
    execCommand: () => true,
    getSelection: () => null,
  });
  Object.defineProperty(document, "activeElement", {
    configurable: true,
    get: () => (html.contains(focusedOne()) ? focusedOne() : body),
  });
  Object.defineProperty(StandIn.prototype, "isConnected", {
    configurable: true,
    get() {
      return html.contains(this);
    },
  });
  Object.defineProperty(StandIn.prototype, "children", {
    configurable: true,
    get() {
      const all = /** @type {Loose} */ (this).childNodes.filter((/** @type {unknown} */ one) => one instanceof StandIn);
      return Object.assign(all, { item: (/** @type {number} */ at) => all[at] ?? null });
    },
  });
  Object.assign(
    StandIn.prototype,
    doing((line) => heard.push(line)),
  );
  Object.assign(globalThis, {
    matchMedia: medium,
    MutationObserver: class {
      /** @type {[StandIn, Loose][]} */
      seen = [];
      /** @param {(changes: Loose[], observer: unknown) => void} then */
      constructor(then) {
        mutations.push(Object.assign(() => then([], this), { of: this }));
      }
      observe(/** @type {StandIn} */ one, /** @type {Loose} */ how) {
        this.seen.push([one, how]);
        observed.push(`${one.localName}#${/** @type {Loose} */ (one).id ?? ""} ${JSON.stringify(how)}`);
      }
      disconnect() {
        this.seen = [];
      }
    },
    HTMLInputElement: StandIn,
    SVGElement: StandIn,
    CSS: { escape: (/** @type {string} */ text) => text },
    requestAnimationFrame: (/** @type {() => void} */ then) => {
      const one = () => then();
      frames.push(one);
      return wished.push(one);
    },
    cancelAnimationFrame: (/** @type {number} */ made) => {
      const at = frames.indexOf(wished[made - 1]);
      if (at >= 0) frames.splice(at, 1);
    },
  });
  Object.defineProperty(globalThis, "crypto", {
    configurable: true,
    value: {
      randomUUID: () => `id-${(made_ids += 1)}`,
      subtle: crypto.subtle,
      getRandomValues: (/** @type {Uint8Array<ArrayBuffer>} */ all) => crypto.getRandomValues(all),
    },
  });
  Object.assign(URL, {
    createObjectURL: (/** @type {Blob} */ blob) => {
      void blob.text().then((text) => heard.push(`file ${blob.type} ${text.replaceAll(/\s+/g, " ")}`));
      return "blob";
    },
    revokeObjectURL: () => {},
  });
  return { ...made, document, html, body, media: medium, heard, frames };
}

/** Let files that are saved say their names. @param {string[]} heard */
export function tellNames(heard) {
  Object.defineProperty(StandIn.prototype, "download", {
    set(/** @type {string} */ name) {
      heard.push(`saves ${name}`);
    },
  });
}

/** What follows from a mutation of what is watched. @type {((() => void) & {of: {seen: [StandIn, Loose][]}})[]} */
export const mutations = [];

/** What is watched, and how. @type {string[]} */
export const observed = [];

/**
 * Tell who watches an element that it has changed: its children, or an attribute.
 * @param {Loose} one @param {string} what "childList" or the name of an attribute
 */
export function mutated(one, what) {
  const watches = (/** @type {[StandIn, Loose]} */ [seen, { childList, attributes, attributeFilter, subtree }]) =>
    (seen === one || (subtree && seen.contains(one))) &&
    (what === "childList" ? childList : attributes && attributeFilter.includes(what));
  for (const then of [...mutations]) if (then.of.seen.some(watches)) then();
}

/** A drawing on one line: its words, and the points of its curves. @param {Loose} one */
const drawing = (one) => {
  const curves = one.querySelectorAll("polyline").map((/** @type {Loose} */ each) => each.getAttribute("points"));
  const words = one.querySelectorAll("text").map((/** @type {Loose} */ each) => each.textContent);
  return `${words.join(" ")} | ${curves.join(" | ")}`;
};

/** A choice on one line, what is chosen in brackets. @param {Loose} one */
const choice = (one) =>
  one.children
    .map(
      (/** @type {Loose} */ { localName, value, selected, textContent }) =>
        `${localName === "option" ? "" : `<${localName}> `}${selected ? "[" : ""}${value}: ${textContent}${selected ? "]" : ""}`,
    )
    .join(", ");

/** A line of an outline is as long as this, if it can be shorter. */
const WIDE = 120;

/** An element as an outline: a line for each that does not fit on the line of what it stands in. @param {Loose} one @returns {string[]} */
export const outline = (one, depth = 0) => outlined(one, depth).lines;

/** The outline of an element, with its markup. @param {Loose} one @param {number} depth @returns {{markup: string, lines: string[]}} */
function outlined(one, depth) {
  const indent = "  ".repeat(depth);
  const nodes = one.childNodes.map((/** @type {Loose} */ node) =>
    typeof node === "string" ? { markup: node, lines: [`${indent}  ${node}`] } : outlined(node, depth + 1),
  );
  const { opening, localName, children } = one;
  const end = `</${localName}>`;
  const written = nodes.map((/** @type {Loose} */ node) => node.markup).join("");
  const markup = opening + written + end;
  const told = (/** @type {string[]} */ ...lines) => ({ markup, lines });
  const head = indent + opening;
  if (localName === "svg") return told(`${indent}<svg class="${one.className}"> ${drawing(one)}`);
  if (localName === "select") return told(`${head} ${choice(one)}`);
  if (!children.length) return told(head + written);
  const whole = !/<(svg|select)/.test(markup) && depth > 0;
  if (whole && markup.length < WIDE) return told(indent + markup.slice(0, -end.length));
  /** @type {string[]} */
  const inside = nodes.flatMap((/** @type {Loose} */ node) => node.lines);
  const joined = [head, ...inside.map((line) => line.trim())].join(" ");
  return children.length < 3 && depth > 0 && inside.length < 3 && joined.length < 2 * WIDE
    ? told(joined)
    : told(head, ...inside);
}

/** Return the lines that are gone, and those that came. @param {string[]} before @param {string[]} after */
export function differing(before, after) {
  let start = 0;
  while (start < Math.min(before.length, after.length) && before[start] === after[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const gone = before.slice(start, before.length - end);
  const came = after.slice(start, after.length - end);
  const both = (/** @type {string[]} */ all, /** @type {string[]} */ others) => {
    const left = [...others];
    return all.filter((one) => {
      const at = left.indexOf(one);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
  };
  return { gone: both(gone, came).map((one) => one.trim()), came: both(came, gone).map((one) => one.trim()) };
}

/** Lines in one place that are written down: of more, the others are counted. */
const FEW = 6;

/** @param {string[]} all @param {string} sign */
const few = (all, sign) => [
  ...all.slice(0, all.length > FEW ? 1 : FEW).map((one) => `${sign} ${one}`),
  ...(all.length > FEW ? [`${sign} … and ${all.length - 1} others, to ${all.at(-1)}`] : []),
];

/**
 * Return a way to write down what each press changes: of what `look` returns, and what was heard. Lines that have been there
 * before are counted where they are many.
 * @param {() => string[]} look @param {string[]} heard
 */
export function telling(look, heard) {
  let seen = look();
  const known = new Set(seen.map((one) => one.trim()));
  /** @type {string[]} */
  const lines = [...seen];
  return {
    lines,
    /** @param {string} what was done */
    tell: (what) => {
      const now = look();
      const { gone, came } = differing(seen, now);
      const again = came.filter((one) => known.has(one));
      const fresh = came.filter((one) => !known.has(one));
      const heard_now = heard.splice(0).map((one) => `> ${one}`);
      lines.push(`# ${what}`, ...few(gone, "-"), ...few(again, "="), ...fresh.map((one) => `+ ${one}`), ...heard_now);
      seen = now;
      for (const one of came) known.add(one);
    },
  };
}

/** @param {[string, unknown[]][]} columns @returns {Loose} a table of named columns */
export const tableOf = (...columns) => ({
  caption: "",
  columns: columns.map(([label, values]) => ({ label, values })),
});

/**
 * A page with figures and their tables, as a lesson sees it; `heard` gets what it is told.
 * @param {string[]} heard @param {Record<string, Loose>} tables of its figures, null for one without
 * @returns {Loose}
 */
export function pageOf(heard, tables, { name = "explore", link = "n=5" } = {}) {
  /** @type {Set<(link: string) => void>} */
  const moves = new Set();
  const all = new Map(
    Object.entries(tables).map(([one, shown]) => {
      const root = /** @type {Loose} */ (globalThis.document.createElement("div"));
      root.id = `figure-${one}`;
      root.dataset.painted = link;
      return [one, { root, block: { shown } }];
    }),
  );
  const page = {
    text: keyed,
    state: { present: link, canonical: link, values: { lang: "en" } },
    settings: {
      ...{ page: name, figures: Object.keys(tables), charts: ["gradient"], unread: ["mu"] },
      reach: { bounds: { explore: {}, why: {} } },
    },
    figures: {
      all,
      of: (/** @type {string} */ one) => all.get(one) ?? { root: { dataset: {} }, block: { shown: null } },
    },
    presenter: {
      look: { hide: /** @type {string[]} */ ([]), focus: "", present: 0 },
      stage: (/** @type {string} */ one) => void heard.push(`stage “${one}”`),
    },
    presence: {
      ...{ room: /** @type {Loose} */ (null), lesson: null },
      onMove: (/** @type {(link: string) => void} */ then) => {
        moves.add(then);
        return () => void moves.delete(then);
      },
      rules: { predict: () => /** @type {Loose} */ (null), leaveVerdict: () => void heard.push("leaves the verdict") },
    },
    answers: { telling: { root: { dataset: {} } } },
    message: { fail: (/** @type {string} */ said) => void heard.push(`fails: ${said}`) },
    leader: {
      allows: (/** @type {string} */ what, /** @type {unknown} */ of) => {
        heard.push(`may ${what} ${JSON.stringify(of ?? null)}?`);
        return page.allowed;
      },
      tell: (/** @type {unknown} */ what) => void heard.push(`tells ${JSON.stringify(what)}`),
    },
    allowed: true,
    /** Show another state. @param {string} to */
    move: (to) => {
      page.state.present = page.state.canonical = to;
      for (const { root } of all.values()) root.dataset.painted = to;
      for (const then of [...moves]) then(to);
    },
    moves,
  };
  return page;
}
