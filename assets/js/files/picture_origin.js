/** The origin of a picture, written into its file: text chunks of a PNG, title and metadata of an SVG, or a visible line. */

import { brushOf } from "../dom/dom.js";
import { theme } from "../dom/theme.js";
import { line } from "./origin.js";
import { NAMESPACE } from "../dom/svg.js";

/** @typedef {import("./origin.js").Origin} Origin */
/** @typedef {{title: string, description: string, origin: Origin, lined: boolean}} Label lined: true adds the visible line */

/** Heights in CSS pixels: of the visible line, and of each further one that a narrow picture needs; the room beside them. */
const [LINE, FURTHER, BESIDE] = [26, 14, 12];
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

/** Return a PNG with a line below it, on the picture's own ground. @param {Blob} png @param {string} origin */
async function linedPng(png, origin) {
  const picture = await createImageBitmap(png);
  const lines = linesIn(origin, picture.width / 2);
  const room = roomFor(lines);
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [picture.width, picture.height + 2 * room];
  const brush = brushOf(canvas);
  brush.drawImage(picture, 0, 0);
  const [red, green, blue] = brush.getImageData(0, 0, 1, 1).data;
  brush.fillStyle = `rgb(${red}, ${green}, ${blue})`;
  brush.fillRect(0, picture.height, canvas.width, 2 * room);
  brush.scale(2, 2);
  brush.font = FONT;
  brush.fillStyle = red + green + blue < 384 ? "#cbd5e1" : "#475569";
  lines.forEach((one, i) => brush.fillText(one, BESIDE, baseline(picture.height / 2, i)));
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
    const lines = linesIn(line(origin), width);
    const room = roomFor(lines);
    root.setAttribute("height", String(height + room));
    root.setAttribute("viewBox", `0 0 ${width} ${height + room}`);
    const [ground, ink] = COLOURS[theme()];
    const look = { x: String(BESIDE), fill: ink, style: `font: ${FONT}` };
    root.append(
      part("rect", "", { x: "0", y: String(height), width: String(width), height: String(room), fill: ground }),
      ...lines.map((one, i) => part("text", one, { ...look, y: String(baseline(height, i)) })),
    );
  }
  root.prepend(part("title", title), part("desc", description), part("metadata", JSON.stringify(origin)));
  return new Blob([new XMLSerializer().serializeToString(made)], { type: "image/svg+xml" });
}

/** @param {string[]} lines */
const roomFor = (lines) => LINE + (lines.length - 1) * FURTHER;

/** Return the baseline of a line below a picture. @param {number} height of the picture @param {number} i */
const baseline = (height, i) => height + LINE - 10 + i * FURTHER;

/**
 * Return a text in lines that fit a picture: broken between its values, and within one that is too long alone.
 * @param {string} origin @param {number} width of the picture in CSS pixels
 */
function linesIn(origin, width) {
  const brush = brushOf(document.createElement("canvas"));
  brush.font = FONT;
  return broken(origin, (text) => brush.measureText(text).width <= width - 2 * BESIDE);
}

/**
 * Break a text after "; ", and within a part that fits no line. Pure.
 * @param {string} origin @param {(text: string) => boolean} fits
 * @returns {string[]}
 */
export function broken(origin, fits) {
  /** @type {string[]} */
  const lines = [];
  let present = "";
  for (const part of origin.split(/(?<=; )/)) {
    if (present && !fits(present + part.trimEnd())) {
      lines.push(present.trimEnd());
      present = "";
    }
    for (const letter of part) {
      if (present && !fits((present + letter).trimEnd())) {
        lines.push(present);
        present = "";
      }
      present += letter;
    }
  }
  return [...lines, present.trimEnd()];
}
