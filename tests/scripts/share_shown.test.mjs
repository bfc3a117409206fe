/** What the dialog of sharing shows, copies and saves: the link, its QR code, a frame, a picture; on each machine, and where something is refused. */

import { test } from "node:test";
import { open } from "../../assets/js/later/share.js";
import { held } from "./held.mjs";
import { keyed, settled } from "./stand_in.mjs";
import { outline, standInPage, telling, tellNames } from "./whole_page.mjs";

const { document, body, heard, location, window } = standInPage();
Object.assign(location, { origin: "https://example.org", pathname: "/app/", hostname: "example.org" });
const clipboard = {
  writeText: async (/** @type {string} */ text) => {
    heard.push(`copied ${text}`);
    if (refuses) throw new Error("denied");
  },
};
let refuses = false;
Object.defineProperty(globalThis, "navigator", { configurable: true, value: { clipboard } });
Object.assign(globalThis.HTMLElement.prototype, { decode: async () => void heard.push("decoded") });
tellNames(heard);
let execs = true;
Object.assign(document, { execCommand: (/** @type {string} */ what) => (heard.push(what), execs) });

/** A page to share, and its dialog. @param {Loose} [more] */
async function shared(
  {
    link = "https://example.org/app/?n=5",
    shown = ["heat-maps", "key-norms"],
    withheld = [],
  } = /** @type {Loose} */ ({}),
) {
  body.replaceChildren();
  const answers = { qr: /** @type {Loose} */ (new Blob(["<svg>"], { type: "image/svg+xml" })), picture: null };
  const page = /** @type {Loose} */ ({
    text: (/** @type {string} */ key, /** @type {Loose} */ fields) => keyed(key, fields),
    ways: { link: () => link },
    state: { present: "n=5&mask=causal" },
    settings: { page: "why", figures: ["key-norms", "heat-maps", "gradient"] },
    figures: { drawn: new Map(shown.map((/** @type {string} */ name) => [name, {}])) },
    prints: {
      withholds: (/** @type {string} */ name) => name === "key-norms" && withheld.length > 0,
      withheld: () => withheld,
      picture: async (/** @type {unknown[]} */ ...of) => (heard.push(`picture ${of}`), answers.picture),
    },
    updates: { body: (/** @type {unknown[]} */ ...of) => JSON.stringify(of) },
    server: {
      ask: async (/** @type {string} */ path, /** @type {string} */ sent) => {
        heard.push(`asks ${path} ${sent}`);
        if (answers.qr instanceof Error) throw answers.qr;
        return { blob: async () => answers.qr };
      },
      sentenceOf: (/** @type {Error} */ problem, /** @type {(key: string) => string} */ text) =>
        problem.message ? `${text("said")} ${problem.message}` : null,
    },
  });
  return { page, answers };
}

test("a state is shared by its link, its code, a frame and a picture", async (context) => {
  const { page, answers } = await shared();
  const { lines, tell } = telling(() => [`focus ${document.activeElement.id}`, ...outline(body)], heard);
  lines.splice(0);
  const find = (/** @type {string} */ id) => document.getElementById(id);
  const press = async (/** @type {string} */ id) => {
    find(id).onclick();
    await settled();
  };
  await open(page);
  tell("opening");
  await settled();
  tell("open");
  find("share-address").onfocus();
  tell("in the address");
  Object.assign(window, { isSecureContext: true });
  await press("share-copy");
  tell("copied");
  refuses = true;
  await press("share-copy");
  tell("refused: the old way");
  execs = false;
  await press("share-frame-copy");
  tell("by hand");
  Object.assign(window, { isSecureContext: false });
  execs = true;
  await press("share-frame-copy");
  tell("on plain http");
  find("share-full").checked = false;
  find("share-full").dispatchEvent(new Event("input"));
  tell("of a width");
  for (const [id, value] of [
    ["share-width", "321"],
    ["share-height", "654"],
  ]) {
    find(id).value = value;
    find(id).dispatchEvent(new Event("input"));
    tell(`${id} ${value}`);
  }
  find("share-figure").value = "heat-maps";
  await press("share-png");
  tell("a picture");
  answers.picture = /** @type {Loose} */ ("Not now");
  await press("share-svg");
  tell("none");
  await press("share-code-save");
  tell("the code is saved");
  const dialog = find("share");
  const click = (/** @type {Loose} */ target) => {
    const event = new Event("click");
    Object.defineProperty(event, "target", { value: target });
    dialog.dispatchEvent(event);
  };
  click(find("share-figure"));
  await settled();
  tell("a press inside");
  click(dialog);
  await settled();
  tell("a press beside");
  held(context, lines);
});

test("what a dialog says of an address that not everybody reaches, of what waits, and of a code that does not come", async (context) => {
  const lines = [];
  for (const [what, given, problem] of /** @type {[string, Loose, Error | null][]} */ ([
    ["this machine", { link: "http://localhost:7860/?n=5" }, new Error("busy")],
    ["this network", { link: "http://192.168.0.5/?n=5" }, new Error("")],
    ["a figure waits", { withheld: ["key-norms $x$"] }, null],
    ["all wait", { shown: ["key-norms"], withheld: ["key-norms"] }, null],
    ["no figure", { shown: [] }, null],
  ])) {
    const { page, answers } = await shared(given);
    if (problem) answers.qr = problem;
    const frame = document.createElement("div");
    frame.className = "gradio-container";
    body.append(frame);
    await open(page);
    await settled();
    heard.splice(0);
    const sections = body.querySelectorAll(".gradio-container > #share section");
    lines.push(`# ${what}`, ...[0, 1, 3].flatMap((at) => (sections[at] ? outline(sections[at]) : ["nothing"])));
    body.querySelector(".close").click();
    await settled();
    lines.push(`${body.querySelectorAll("#share").length} dialogs`);
  }
  held(context, lines);
});
