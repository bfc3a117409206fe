/** A link from a head to the Map, which reads the whole text: a long one is handed over in this browser, as a file is. */

import { element } from "../../dom/dom.js";
import { carry } from "../../server/upload_handover.js";

/** The most characters of a text in a link to the Map. */
const LINKED = 512;

/** @param {string} said @param {Record<string, string>} of the head, its model, and its text or pictures */
export function mapLink(said, { text = "", ...of }) {
  const long = text.length > LINKED;
  const query = new URLSearchParams({ page: "map", source: "model", ...of, ...(long || !text ? {} : { text }) });
  const href = `${location.pathname}?${query}`;
  const link = element("a", { href, data: { page: "map" } }, said);
  if (long) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      void carry(new TextEncoder().encode(text)).then(() => location.assign(href));
    });
  }
  return link;
}
