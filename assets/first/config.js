/* Corrections of gradio's configuration, which also tells our entry module what to ask for.
   gradio's server reads the page from ?page= but its script reads it from the path, so the script is told the same page.
   On a Space it would add the Space's header above the page, from huggingface.co and with Google's fonts. */
{
  /** gradio's name of the page. @type {string} */
  const page = JSON.parse(document.currentScript?.dataset.given ?? "");
  /** @type {{page?: Record<string, unknown>, space_id?: string | null, dependencies?: {js: unknown}[], css?: string} | undefined} */
  let config;
  Object.defineProperty(window, "gradio_config", {
    configurable: true,
    get: () => config,
    set: (/** @type {typeof config} */ given) => {
      config = given;
      if (given?.page?.[page]) given.page[""] = given.page[page];
      if (given) given.space_id = null;
      window.headlight.then(({ ahead }) => ahead(given)).catch(() => dispatchEvent(new Event("headlight-late")));
    },
  });
}
