/** plotly.js, loaded once; an own reference to it, since gradio's plot component puts another version in its place. */

/**
 * @param {string} address relative to the page
 * @returns {() => Promise<import("../types/plotly.js").Plotly>} loads it, or tries again where that failed
 */
export function plotlyFrom(address) {
  /** @type {Promise<import("../types/plotly.js").Plotly> | null} */
  let loading = null;
  const load = () =>
    new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = new URL(address, document.baseURI).href;
      script.onload = () => resolve(window.Plotly);
      script.onerror = () => {
        loading = null;
        script.remove();
        reject(new Error(address));
      };
      document.head.append(script);
    });
  return () => (loading ??= load());
}
