/** One request with a limit on silence, not on duration: a silent server counts as lost, a slow one does not. */

/** Slowest upload of a body in bytes per millisecond. */
const PACE = 16;

/** A response of such a status takes no body. */
const BODILESS = [204, 205, 304];

/** Return the milliseconds allowed to send a body. @param {Uint8Array | Blob | null} [body] */
export const sending = (body) => (body instanceof Blob ? body.size : (body?.byteLength ?? 0)) / PACE;

/**
 * @param {URL} address @param {RequestInit} sent
 * @param {{patience: number, signal?: AbortSignal, heard?: () => void}} options milliseconds of silence; ends the request; called for each chunk
 * @returns {Promise<Response>}
 */
export async function request(address, sent, { patience, signal, heard = () => {} }) {
  const controller = new AbortController();
  const end = () => controller.abort(signal?.reason);
  if (signal?.aborted) end();
  signal?.addEventListener("abort", end, { once: true });
  let silence = 0;
  const wait = (longer = 0) => {
    clearTimeout(silence);
    if (patience < Infinity) {
      silence = setTimeout(() => controller.abort(new DOMException("", "TimeoutError")), patience + longer);
    }
  };
  const over = () => {
    clearTimeout(silence);
    signal?.removeEventListener("abort", end);
  };
  wait(sending(/** @type {Uint8Array | Blob | undefined} */ (sent.body)));
  try {
    const answer = await fetch(address, { ...sent, signal: controller.signal });
    wait();
    if (!answer.body || BODILESS.includes(answer.status)) {
      await answer.arrayBuffer(); // nothing follows, whatever the browser gives as a body: the request is over
      over();
      return answer;
    }
    /** @type {TransformerTransformCallback<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>} */
    const transform = (chunk, out) => {
      wait();
      heard();
      out.enqueue(chunk);
    };
    const body = answer.body.pipeThrough(new TransformStream({ transform, flush: over }));
    return new Response(body, { status: answer.status, headers: answer.headers });
  } catch (problem) {
    over();
    throw problem;
  }
}
