/** Set by the page's own inline script: visualiser/server/http/script.py. */
interface Window {
  headlight: Promise<typeof import("../js/main.js")>;
}
