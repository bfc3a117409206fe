/* gradio's first "Loading…" is never told that it is gone (6.31): its clock and its mark that moves ask for frames for ever, which takes
   a twentieth of a core in the main thread alone, on every open page. When the page has come, the clock is stopped, and the loop that moves the mark runs
   once a second: Svelte's other springs share it. A gradio without all this is left as it is. */
{
  const next = window.requestAnimationFrame.bind(window);
  const OFTEN = 5;
  const SECOND = 1000;
  const MOST = 500;
  /** How often each callback was asked for while the page came. @type {Map<FrameRequestCallback, number>} */
  const asked = new Map();
  /** @type {FrameRequestCallback | null} */
  let loop = null;
  let patience = 100;
  /** True if gradio's own script asks, in this of its files. @param {string} file */
  const from = (file) => {
    const stack = new Error().stack ?? "";
    return stack.includes(`/assets/${file}`) && !stack.includes("/headlight/assets/");
  };
  window.requestAnimationFrame = (callback) => {
    if (document.documentElement.classList.contains("opening")) {
      if (asked.size < MOST) asked.set(callback, (asked.get(callback) ?? 0) + 1);
      return next(callback);
    }
    if (patience > 0) {
      patience -= 1;
      if (from("statustracker")) return 0;
      if ((asked.get(callback) ?? 0) >= OFTEN && from("index")) loop = callback;
      if (patience === 0) asked.clear();
    }
    if (callback !== loop) return next(callback);
    setTimeout(next, SECOND, callback);
    return 0;
  };
}
