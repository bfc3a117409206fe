/** The origin of a picture, written into its file: text chunks of a PNG, title and metadata of an SVG, or a visible line. */

import { brushOf } from "./dom.js";
import { theme } from "./masthead.js";
import { line } from "./origin.js";
import { NAMESPACE } from "./svg.js";

/** @typedef {import("./origin.js").Origin} Origin */
/** @typedef {{title: string, description: string, origin: Origin, lined: boolean}} Label lined: true adds the visible line */

/** Height in CSS pixels of the visible line. */
const LINE = 26;
const FONT = "11px system-ui";
/** Ground and ink of the visible line below an SVG. */
const COLOURS = { light: ["#ffffff", "#475569"], dark: ["#0f172a", "#cbd5e1"] };
const SIGNATURE = 8;
/** Length and CRC of a chunk, and the four letters of its kind. */
const FRAME = 12;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? 0xedb88320 ^ (rest >>> 1) : rest >>> 1;
  return rest;
});

/** Return PNG's checksum, CRC-32. @param {Uint8Array} bytes */
export function crc(bytes) {
  let rest = 0xffffffff;
  for (const byte of bytes) rest = TABLE[(rest ^ byte) & 0xff] ^ (rest >>> 8);
  return (rest ^ 0xffffffff) >>> 0;
}

/** Return an uncompressed iTXt chunk, UTF-8 text under a keyword. @param {string} keyword Latin, at most 79 letters @param {string} text */
export function textChunk(keyword, text) {
  // keyword, its end, no compression twice, an empty language and an empty translated keyword, text
  const body = new TextEncoder().encode(`iTXt${keyword}\0\0\0\0\0${text}`);
  const chunk = new Uint8Array(body.length + FRAME - 4);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, body.length - 4);
  chunk.set(body, 4);
  view.setUint32(body.length + 4, crc(body));
  return chunk;
}

/** Return a PNG with texts after its header. @param {Uint8Array<ArrayBuffer>} png @param {Record<string, string>} texts by keyword */
export function withTexts(png, texts) {
  const header = SIGNATURE + FRAME + new DataView(png.buffer, png.byteOffset).getUint32(SIGNATURE);
  const chunks = Object.entries(texts).map(([keyword, text]) => textChunk(keyword, text));
  return new Blob([png.slice(0, header), ...chunks, png.slice(header)], { type: "image/png" });
}

/** Return a PNG with its origin. @param {Blob} png twice as dense as CSS pixels @param {Label} label */
export async function labelledPng(png, { title, description, origin, lined }) {
  const picture = lined ? await linedPng(png, line(origin)) : png;
  const bytes = new Uint8Array(await picture.arrayBuffer());
  return withTexts(bytes, { Title: title, Description: description, ...origin });
}

/** Return a PNG with a line below it, on the picture's own ground. @param {Blob} png @param {string} said */
async function linedPng(png, said) {
  const picture = await createImageBitmap(png);
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [picture.width, picture.height + 2 * LINE];
  const brush = brushOf(canvas);
  brush.drawImage(picture, 0, 0);
  const [red, green, blue] = brush.getImageData(0, 0, 1, 1).data;
  brush.fillStyle = `rgb(${red}, ${green}, ${blue})`;
  brush.fillRect(0, picture.height, canvas.width, 2 * LINE);
  brush.scale(2, 2);
  brush.font = FONT;
  brush.fillStyle = red + green + blue < 384 ? "#cbd5e1" : "#475569";
  brush.fillText(said, 12, picture.height / 2 + LINE - 10, canvas.width / 2 - 24);
  return new Promise((resolve, reject) => {
    canvas.toBlob((made) => (made ? resolve(made) : reject(new Error("png"))), "image/png");
  });
}

/** Return an SVG with its origin. @param {string} svg @param {Label} label */
export function labelledSvg(svg, { title, description, origin, lined }) {
  const made = new DOMParser().parseFromString(svg, "image/svg+xml");
  const root = made.documentElement;
  /** @param {string} tag @param {string} text @param {Record<string, string>} attributes */
  const part = (tag, text, attributes = {}) => {
    const node = made.createElementNS(NAMESPACE, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.textContent = text;
    return node;
  };
  if (lined) {
    const [width, height] = ["width", "height"].map((name) => parseFloat(root.getAttribute(name) ?? "0"));
    root.setAttribute("height", String(height + LINE));
    root.setAttribute("viewBox", `0 0 ${width} ${height + LINE}`);
    const [ground, ink] = COLOURS[theme()];
    const [x, y] = ["12", String(height + LINE - 10)];
    root.append(
      part("rect", "", { x: "0", y: String(height), width: String(width), height: String(LINE), fill: ground }),
      part("text", line(origin), { x, y, fill: ink, style: `font: ${FONT}` }),
    );
  }
  root.prepend(part("title", title), part("desc", description), part("metadata", JSON.stringify(origin)));
  return new Blob([new XMLSerializer().serializeToString(made)], { type: "image/svg+xml" });
}
