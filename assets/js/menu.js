/** Menus that open over the page: one at a time, closed by Escape or a press elsewhere. */

import { element } from "./dom.js";

/**
 * @param {string} name class of the menu
 * @param {string | Node[]} sign on its button @param {string} label for the tip and screen readers
 * @param {(Node | string)[]} content
 */
export function menu(name, sign, label, ...content) {
  listen();
  const head = element("summary", { title: label }, ...[sign].flat());
  if (!/\p{L}/u.test(head.textContent)) head.ariaLabel = label; // else its own words name it, and the tip describes it
  const root = element(
    "details",
    { className: `menu ${name}` },
    head,
    element("div", { className: "sheet" }, ...content),
  );
  const opened = () => {
    if (!root.open) return;
    for (const other of document.querySelectorAll("details.menu[open]")) {
      if (other !== root && !other.contains(root)) other.removeAttribute("open");
    }
    fit(root);
  };
  root.addEventListener("toggle", opened, true); // also of what is folded inside: the event does not bubble
  root.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !root.open) return;
    event.stopPropagation();
    root.open = false;
    head.focus();
  });
  return root;
}

/** Keep an open menu inside the window. @param {HTMLElement} root */
function fit(root) {
  const sheet = /** @type {HTMLElement} */ (root.lastElementChild);
  sheet.style.translate = "";
  const { left, right, bottom } = sheet.getBoundingClientRect();
  const across = left < 8 ? 8 - left : Math.min(0, window.innerWidth - 8 - right);
  const down = Math.min(0, window.innerHeight - 8 - bottom);
  sheet.style.translate = `${across}px ${down}px`;
}

let listening = false;

/** Close open menus at a press elsewhere; once for the page. */
function listen() {
  if (listening) return;
  listening = true;
  document.addEventListener("pointerdown", (event) => {
    const target = /** @type {Element} */ (event.target);
    if (target.closest(".reason-tip")) return; // it speaks of a number in the menu
    for (const open of document.querySelectorAll("details.menu[open]")) {
      if (!open.contains(target)) open.removeAttribute("open");
    }
  });
}
