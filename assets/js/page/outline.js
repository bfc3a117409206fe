/** The outline of the page (visualiser/server/http/outline.py), which stands until the page does. */

/** What a page has to show: a figure, a question in its place, a model that is loaded first, or a failure. */
const SHOWN = ".page.is-inviting, #figures.is-empty, .figure-place:is([data-drawn], [data-error], .is-covered)";
/** Milliseconds for a picture that is computed only after the page has opened. */
const PATIENT = 1500;

/** Show the page. */
export function show() {
  document.documentElement.classList.remove("opening", "in-dark", "hiding");
  document.getElementById("outline")?.remove();
}

/** Show the page as soon as it has something to show. */
export function showWithFigures() {
  const isThere = () => document.querySelector(SHOWN) !== null;
  const watching = new MutationObserver(() => {
    if (isThere()) end();
  });
  const end = () => {
    watching.disconnect();
    clearTimeout(bound);
    show();
  };
  const bound = setTimeout(end, PATIENT);
  const attributeFilter = ["class", "data-drawn", "data-error"];
  watching.observe(document.body, { subtree: true, attributes: true, attributeFilter });
  if (isThere()) end();
}

/** Say that the page has not come. */
export const late = () => void dispatchEvent(new Event("headlight-late"));
