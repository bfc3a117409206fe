/** Lets the figure that a step speaks of stand alone where several would starve: while a class is asked, in a class, in a talk. */

/** Where no two figures find room beside the bar of a class. */
const PHONE = "(max-width: 820px), (max-height: 480px)";

/**
 * @typedef {object} Facts
 * @property {string} [card] what stands of the class's card: "open" or "folded"; nothing without one
 * @property {boolean} talk @property {boolean} inClass @property {boolean} phone
 * @property {boolean} small true for one of several figures that share a place
 * @property {boolean} paired true for a figure that is read beside another
 */

/** Return true if the figure stands alone. Whoever folds the card wants to see the rest. @param {Facts} facts */
export function alone({ card, talk, inClass, phone, small, paired }) {
  if (card) return card === "open";
  return (talk && !paired) || (inClass && (small || phone));
}

/** @type {{page: import("./shape.js").Page, name: string, after: string} | null} */
let taught = null;
/** What was wanted last: a visitor may have undone it. */
let wanted = "";
/** The bar of the class, which says what is asked. @type {HTMLElement | null} */
let bar = null;
/** @type {MutationObserver | null} */
let watcher = null;

/**
 * Hear which figure the step speaks of.
 * @param {import("./shape.js").Page} page @param {string | undefined} name
 * @param {string | undefined} after the figure of a class's result
 */
export function teach(page, name, after) {
  taught = name ? { page, name, after: after ?? name } : null;
  if (!name) {
    mark(page, "");
    page.presenter.stage((wanted = ""));
  }
  watcher ??= watching();
  restage();
}

function watching() {
  matchMedia(PHONE).addEventListener("change", restage);
  const made = new MutationObserver(restage);
  made.observe(document.documentElement, { attributeFilter: ["class", "data-class", "data-class-card", "data-hide"] });
  return made;
}

/** Mark the figure to look at. @param {import("./shape.js").Page} page @param {string} name */
function mark(page, name) {
  for (const [one, { root }] of page.figures.all) root.classList.toggle("is-taught-now", one === name);
}

function restage() {
  if (!taught) return;
  const { page } = taught;
  const there = document.getElementById("class");
  if (there && there !== bar) watcher?.observe(there, { attributeFilter: ["data-asked"] });
  bar = there;
  const name = bar?.dataset.asked === "reveal" ? taught.after : taught.name;
  mark(page, name);
  const root = page.figures.all.get(name)?.root;
  const { dataset } = document.documentElement;
  const stands =
    root !== undefined &&
    !page.presenter.look.hide.includes(name) &&
    alone({
      card: dataset.classCard,
      talk: page.presenter.look.present === 1,
      inClass: dataset.class !== undefined,
      phone: matchMedia(PHONE).matches,
      small: root.closest("#panels, #side, #numbers, #row-detail, #why") !== null,
      paired: root.closest("#anatomy") !== null,
    });
  const now = stands ? name : "";
  if (now === wanted) return;
  wanted = now;
  page.presenter.stage(now);
}
