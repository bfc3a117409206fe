/**
 * Joins our scripts into bundle/headlight.js, which a page loads in one request, and each module of js/later, with what it
 * imports, into a bundle of its own that is loaded when it is asked for: `npm run bundle` after a change of a script;
 * `npm run fresh` fails if it was forgotten. The first line names the sources, so the server never sends a bundle of others
 * (visualiser/server/http/assets.py).
 */

import { createHash } from "node:crypto";
import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const HERE = new URL("./", import.meta.url);
const BUNDLES = new URL("bundle/", HERE);
const FIRST = ["js/main.js", "headlight.js"];

/** Return the paths of all scripts, in order. */
function scripts() {
  return readdirSync(new URL("js/", HERE), { recursive: true, encoding: "utf8" })
    .map((name) => `js/${name.replaceAll("\\", "/")}`)
    .filter((name) => name.endsWith(".js"))
    .sort();
}

/** Return the hash of all scripts, names and contents. */
function sources() {
  const hash = createHash("sha256");
  for (const name of scripts()) hash.update(`${name}\0`).update(readFileSync(new URL(name, HERE)));
  return hash.digest("hex");
}

/** An import of a module of js/later names its bundle, which is not joined in. @type {import("esbuild").Plugin} */
const later = {
  name: "later",
  setup(building) {
    building.onResolve({ filter: /\/later\/[\w-]+\.js$/ }, ({ kind, path }) =>
      kind === "entry-point" ? null : { path: `./${basename(path)}`, external: true },
    );
  },
};

/** Return a bundle. @param {string} entry @param {string} name */
async function bundled(entry, name) {
  const { outputFiles } = await build({
    absWorkingDir: fileURLToPath(HERE),
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2024",
    legalComments: "none",
    banner: { js: `/* npm run bundle, of the scripts ${sources()} */` },
    plugins: [later],
    write: false,
    outfile: `bundle/${name}`,
  });
  return outputFiles[0].text;
}

const asked = scripts().filter((name) => name.startsWith("js/later/"));
const made = await Promise.all(
  [FIRST, ...asked.map((entry) => [entry, basename(entry)])].map(
    async ([entry, name]) => /** @type {const} */ ([name, await bundled(entry, name)]),
  ),
);
const kept = readdirSync(BUNDLES);
if (!process.argv.includes("--check")) {
  for (const [name, text] of made) writeFileSync(new URL(name, BUNDLES), text);
  for (const name of kept) if (!made.some(([one]) => one === name)) rmSync(new URL(name, BUNDLES));
} else if (
  kept.length !== made.length ||
  made.some(([name, text]) => !kept.includes(name) || readFileSync(new URL(name, BUNDLES), "utf8") !== text)
) {
  console.error("assets/bundle is not of these scripts: bash tests/scripts/run.sh bundle");
  process.exitCode = 1;
}
