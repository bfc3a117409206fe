/** The origin of files: addresses.json says which addresses are public, which Python reads as well. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { isLoopback, isPublic, line, origin } from "../../assets/js/files/origin.js";
import { crc } from "../../assets/js/files/picture_origin.js";

/** @type {[string, boolean][]} */
const CASES = JSON.parse(readFileSync(fileURLToPath(new URL("addresses.json", import.meta.url).href), "utf8"));
const VERSIONS = { headlight: "1.2.3", torch: "4.5", plotly: "6.7" };
const NOW = new Date("2026-01-02T03:04:05.678Z");

for (const [address, known] of CASES) {
  test(`${address} is ${known ? "" : "not "}public`, () => assert.equal(isPublic(new URL(address)), known));
}

test("a link is full only if its address is public, and the line has every value", () => {
  const there = new URL("https://example.org/headlight/");
  assert.equal(
    line(origin(there, "n=7", 3, VERSIONS, NOW)),
    "link: https://example.org/headlight/?n=7; seed: 3; headlight: 1.2.3; torch: 4.5; plotly: 6.7; date: 2026-01-02T03:04:05Z",
  );
  assert.equal(origin(there, "", 3, VERSIONS, NOW).link, "https://example.org/headlight/");
  assert.equal(origin(new URL("http://192.168.1.7:7860/"), "n=7", 3, VERSIONS, NOW).link, "?n=7");
});

test("a picture's checksum is the standard's", () => {
  const of = (/** @type {string} */ text) => crc(new TextEncoder().encode(text));
  assert.equal(of("123456789"), 0xcbf43926, "the check value of CRC-32");
  assert.equal(of("IEND"), 0xae426082, "the chunk that ends every PNG");
});

test("only this machine reaches its loopback addresses", () => {
  const [own, others] = [
    [
      "http://127.0.0.1:7860/",
      "http://127.9.9.9/",
      "http://localhost:1/",
      "https://a.localhost/",
      "http://[::1]:7860/",
    ],
    [
      "http://192.168.1.5:7860/",
      "http://127.example.org/x",
      "https://localhost.example/",
      "http://[::2]/",
      "http://host/",
    ],
  ];
  for (const address of own) assert.equal(isLoopback(new URL(address)), true, address);
  for (const address of others) assert.equal(isLoopback(new URL(address)), false, address);
});
