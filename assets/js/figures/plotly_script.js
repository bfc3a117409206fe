/** plotly.js, loaded once. The reference is kept: gradio's plot component replaces the global by another version. */

/**
 * @param {string} address relative to the page
 * @returns {() => Promise<import("../../types/plotly.js").Plotly>} loads it; tries again after a failure
 */
export function plotlyFrom(address) {
  /** @type {Promise<import("../../types/plotly.js").Plotly> | null} */
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
