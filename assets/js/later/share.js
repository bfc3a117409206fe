/** Share a state: its link, a QR code, a frame for another page, and a picture that says where it comes from. */

import { save } from "../files/clipboard.js";
import { element } from "../dom/dom.js";
import { isLoopback, isPublic } from "../files/origin.js";
import { sharedLink } from "../link/shared_link.js";
import { frameOf } from "../files/frame.js";
import { typeset } from "../words/symbols.js";

/** @typedef {import("../page/live_page.js").LivePage} LivePage */
/** @typedef {(key: string, fields?: import("../words/message_format.js").Fields) => string} Text */

const SIZE = { width: 1000, height: 720 };

/** Open the dialog for the state on screen. @param {LivePage} page */
export async function open(page) {
  const text = /** @type {Text} */ ((key, fields) => page.text(key, fields));
  const status = element("p", { className: "said", role: "status" });
  const address = page.ways.link();
  const close = element("button", { type: "button", className: "tool close", ariaLabel: text("share.close") }, "×");
  const dialog = element(
    "dialog",
    { id: "share", aria: { labelledby: "share-title" } },
    element("header", {}, element("h2", { id: "share-title" }, text("share.title")), close),
    element(
      "div",
      { className: "ways" },
      link(address, text, status),
      code(page, address),
      frame(page, status),
      picture(page, status),
    ),
    status,
  );
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close(); // beside the dialog
  });
  dialog.addEventListener("close", () => dialog.remove());
  (document.querySelector(".gradio-container") ?? document.body).append(dialog);
  dialog.showModal();
  /** @type {HTMLInputElement | null} */ (dialog.querySelector("#share-address"))?.select();
}

/**
 * Copy the text of a field, or leave it selected where the browser refuses.
 * @param {HTMLInputElement | HTMLTextAreaElement} field @param {string} done @param {Text} text @param {HTMLElement} status
 */
async function copied(field, done, text, status) {
  // outside a modal dialog nothing can be selected, so the old way to copy fails there
  field.select();
  const came =
    window.isSecureContext &&
    (await navigator.clipboard.writeText(field.value).then(
      () => true,
      () => false,
    ));
  status.textContent = text(came || document.execCommand("copy") ? done : "export.copy_by_hand");
}

/** @param {string} heading @param {(Node | string)[]} content */
const way = (heading, ...content) => element("section", {}, element("h3", {}, heading), ...content);

/** @param {string} id @param {string} label @param {() => unknown} onclick */
const button = (id, label, onclick) => element("button", { type: "button", className: "tool", id, onclick }, label);

/** @param {string} address @param {Text} text @param {HTMLElement} status */
function link(address, text, status) {
  const field = element("input", {
    id: "share-address",
    readOnly: true,
    value: address,
    ariaLabel: text("share.link"),
    onfocus: () => field.select(),
  });
  const to = new URL(address);
  const near = isLoopback(to) ? "share.machine" : "share.local";
  const local = isPublic(to) ? [] : [element("p", { className: "hint" }, text(near))];
  const copying = button("share-copy", text("export.link"), () => copied(field, "export.link_copied", text, status));
  return way(text("share.link"), element("div", { className: "row" }, field, copying), ...local);
}

/** @param {LivePage} page @param {string} address */
function code(page, address) {
  const shown = element("div", { className: "code" }, page.text("export.working"));
  const drawn = async () => {
    try {
      const answer = await page.server.ask("share/qr", page.updates.body(page.state.present, { address }));
      const svg = await answer.blob();
      const image = element("img", { id: "share-code", alt: page.text("share.code_of", { address }) });
      image.src = URL.createObjectURL(svg);
      await image.decode();
      const file = "headlight-qr.svg";
      shown.replaceChildren(
        image,
        button("share-code-save", page.text("share.save_code"), () => save(svg, file)),
      );
    } catch (problem) {
      shown.textContent = page.server.sentenceOf(problem, (key) => page.text(key)) ?? "";
    }
  };
  void drawn();
  return way(page.text("share.code"), shown);
}

/** @param {LivePage} page @param {HTMLElement} status */
function frame(page, status) {
  const text = /** @type {Text} */ ((key, fields) => page.text(key, fields));
  // a frame holds the page itself, not the page that a Space has around it
  const address = sharedLink(location, page.state.present, "", "");
  const title = `Headlight: ${text(`choice.page.${page.settings.page}`)}`;
  const field = element("textarea", { id: "share-frame", readOnly: true, rows: 5, ariaLabel: text("share.frame") });
  const number = (/** @type {"width" | "height"} */ name) =>
    element("input", { type: "number", id: `share-${name}`, min: "240", max: "4000", value: String(SIZE[name]) });
  const [width, height] = [number("width"), number("height")];
  const full = element("input", { type: "checkbox", id: "share-full", checked: true });
  const write = () => {
    width.disabled = full.checked;
    const size = { width: full.checked ? null : Number(width.value), height: Number(height.value) };
    field.value = frameOf(address, title, size);
  };
  for (const one of [width, height, full]) one.addEventListener("input", write);
  write();
  return way(
    text("share.frame"),
    element(
      "div",
      { className: "row" },
      element("label", {}, full, ` ${text("share.full")}`),
      element("label", {}, `${text("share.width")} `, width),
      element("label", {}, `${text("share.height")} `, height),
    ),
    field,
    button("share-frame-copy", text("share.copy_frame"), () => copied(field, "share.frame_copied", text, status)),
  );
}

/** @param {LivePage} page @param {HTMLElement} status */
function picture(page, status) {
  const { figures } = page.settings;
  const shown = figures.filter(
    (/** @type {string} */ name) => page.figures.drawn.get(name) && !page.prints.withholds(name),
  );
  const withheld = page.prints.withheld();
  const waiting = withheld.length
    ? [element("p", { className: "hint" }, ...typeset(page.text("print.withheld", { parts: withheld })))]
    : [];
  if (!shown.length) return waiting.length ? way(page.text("share.picture"), ...waiting) : "";
  const options = shown.map((/** @type {string} */ value) =>
    element("option", { value }, page.text(`figure.${value.replaceAll("-", "_")}.title`)),
  );
  const choice = element("select", { id: "share-figure", ariaLabel: page.text("share.figure") }, ...options);
  const saves = ["png", "svg"].map((format) =>
    button(`share-${format}`, format.toUpperCase(), async () => {
      status.textContent = page.text("export.working");
      const wrong = await page.prints.picture(choice.value, format, true);
      status.textContent = wrong ?? page.text("export.saved", { name: `headlight-${choice.value}.${format}` });
    }),
  );
  return way(page.text("share.picture"), element("div", { className: "row" }, choice, ...saves), ...waiting);
}
