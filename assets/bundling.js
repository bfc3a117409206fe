/**
 * Joins our scripts into bundle/headlight.js, which a page loads in one request: `npm run bundle` after a change of a
 * script; `npm run fresh` fails if it was forgotten. The first line names the sources, so the server never sends a
 * bundle of others (visualiser/server/http/assets.py).
 */

import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const HERE = new URL("./", import.meta.url);
const BUNDLE = new URL("bundle/headlight.js", HERE);

/** Return the hash of all scripts, names and contents. */
function sources() {
  const names = readdirSync(new URL("js/", HERE), { recursive: true, encoding: "utf8" })
    .map((name) => `js/${name.replaceAll("\\", "/")}`)
    .filter((name) => name.endsWith(".js"))
    .sort();
  const hash = createHash("sha256");
  for (const name of names) hash.update(`${name}\0`).update(readFileSync(new URL(name, HERE)));
  return hash.digest("hex");
}

/** Return the bundle. */
async function bundled() {
  const { outputFiles } = await build({
    absWorkingDir: fileURLToPath(HERE),
    entryPoints: ["js/main.js"],
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2024",
    legalComments: "none",
    banner: { js: `/* npm run bundle, of the scripts ${sources()} */` },
    write: false,
    outfile: "bundle/headlight.js",
  });
  return outputFiles[0].text;
}

const made = await bundled();
if (!process.argv.includes("--check")) {
  writeFileSync(BUNDLE, made);
} else if (readFileSync(BUNDLE, "utf8") !== made) {
  console.error("assets/bundle/headlight.js is not of these scripts: bash tests/scripts/run.sh bundle");
  process.exitCode = 1;
}
