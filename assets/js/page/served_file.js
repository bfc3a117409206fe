/** A file that the server makes of the page's state. */

/**
 * @param {import("./live_page.js").LivePage} page @param {string} kind @param {Record<string, unknown>} more
 * @returns {Promise<{name: string, blob: Blob}>}
 */
export async function servedFile(page, kind, more = {}) {
  const answer = await page.server.ask(
    `take-away/${page.settings.page}/${kind}`,
    page.updates.body(page.state.present, more),
    page.updates.rules.enclosed(),
  );
  const name = decodeURIComponent(
    /filename\*=UTF-8''([^;]+)/.exec(answer.headers.get("Content-Disposition") ?? "")?.[1] ?? kind,
  );
  return { name, blob: await answer.blob() };
}
