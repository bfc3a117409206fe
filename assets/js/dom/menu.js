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
  const follow = follower(root, head);
  const opened = () => {
    if (!root.open) return;
    for (const other of document.querySelectorAll("details.menu[open]")) {
      if (other !== root && !other.contains(root)) other.removeAttribute("open");
    }
    follow();
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

/**
 * Return what follows an open menu from frame to frame: what loads meanwhile, a scroll or another window move its button.
 * @param {HTMLElement} root @param {HTMLElement} head its button
 */
function follower(root, head) {
  const sheet = /** @type {HTMLElement} */ (root.lastElementChild);
  const first = FIRST.some((name) => root.classList.contains(name));
  let frame = 0;
  const follow = () => {
    cancelAnimationFrame(frame);
    if (!root.isConnected || !root.hasAttribute("open")) return;
    place(sheet, head.getBoundingClientRect(), first);
    frame = requestAnimationFrame(follow);
  };
  return follow;
}

/** Menus whose sheet begins where their button begins; others end where it ends. */
const FIRST = ["class-menu", "pill"];
/** Pixels between a sheet and its button, and between it and the edge of the window. */
const [AWAY, EDGE] = [4, 8];

/**
 * Place a sheet below its button and inside the window, whatever clips the button.
 * @param {HTMLElement} sheet @param {DOMRect} button @param {boolean} first true if it begins where the button does
 */
function place(sheet, button, first) {
  const { offsetWidth: width, offsetHeight: height } = sheet;
  const { clientWidth } = document.documentElement;
  const left = Math.max(EDGE, Math.min(first ? button.left : button.right - width, clientWidth - EDGE - width));
  const top = Math.max(EDGE, Math.min(button.bottom + AWAY, window.innerHeight - EDGE - height));
  for (const [side, at] of Object.entries({ left, top })) {
    const wanted = `${at}px`;
    if (sheet.style.getPropertyValue(side) !== wanted) sheet.style.setProperty(side, wanted);
  }
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
