/** Panels side by side in a box that scrolls: one dot for each, which names it, tells that it is there and moves it in. */

import { element } from "../dom/dom.js";

/**
 * @param {HTMLElement} box scrolls on phones
 * @param {HTMLElement[]} panels named by their titles
 * @param {string} label of the dots
 */
export function swipes(box, panels, label) {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  /** @param {HTMLElement} root @param {ScrollBehavior} behavior */
  const show = (root, behavior) => {
    const left = box.scrollLeft + root.getBoundingClientRect().left - box.getBoundingClientRect().left;
    box.scrollTo({ left, behavior: still.matches ? "instant" : behavior });
  };
  const dots = panels.map((panel) => {
    const name = panel.querySelector("h2")?.textContent ?? "";
    const onclick = () => show(panel, "smooth");
    return element("button", { type: "button", ariaLabel: name, title: name, hidden: true, onclick });
  });
  const mark = () => {
    const middle = box.getBoundingClientRect().left + box.clientWidth / 2;
    const seen = panels.map((panel) => panel.getBoundingClientRect());
    const apart = seen.map(({ left, width }) => (width ? Math.abs(left + width / 2 - middle) : Infinity));
    const nearest = apart.indexOf(Math.min(...apart));
    dots.forEach((dot, i) => {
      // a panel that comes, as the row in detail does, was asked for
      if (dot.hidden && seen[i].width && i === 0) show(panels[i], "instant");
      dot.hidden = !seen[i].width;
      if (i === nearest) dot.setAttribute("aria-current", "true");
      else dot.removeAttribute("aria-current");
    });
  };
  box.classList.add("swiped");
  box.after(element("div", { className: "dots", role: "group", ariaLabel: label }, ...dots));
  box.addEventListener("scroll", mark, { passive: true });
  const sized = new ResizeObserver(mark);
  for (const one of [box, ...panels]) sized.observe(one);
}
