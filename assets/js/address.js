/** Writes the state to the address bar, at rest only: each rewrite makes browsers fetch the favicon again. */

const REST = 400;

/** @returns {(canonical: string) => void} */
export function addressWriter() {
  let waiting = 0;
  return (canonical) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const kept = new URLSearchParams(location.search).get("__theme"); // gradio's own, for embedding
      const text = [canonical, kept ? `__theme=${encodeURIComponent(kept)}` : ""].filter(Boolean).join("&");
      if (text === location.search.slice(1)) return;
      history.replaceState(history.state, "", `${location.pathname}${text ? `?${text}` : ""}${location.hash}`);
    }, REST);
  };
}
