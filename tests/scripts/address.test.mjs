/** Addresses: what others open, what the page around a Space hears, what belongs to the tab, a frame's markup. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf } from "../../assets/js/files/frame.js";
import { joined, ofState, ofTab } from "../../assets/js/link/address.js";
import { sharedLink, toParent } from "../../assets/js/link/shared_link.js";

const HERE = { origin: "https://school.example", pathname: "/headlight/" };
const SPACE = { origin: "https://you-headlight.hf.space", pathname: "/" };
const HUB = "https://huggingface.co";

test("a state opens at an address that others have", () => {
  const [school, own, hub] = [
    "https://school.example/headlight/",
    "https://you-headlight.hf.space/",
    "https://huggingface.co/spaces/You/headlight",
  ];
  for (const [
    here,
    space,
    around,
    signed,
    expected,
  ] of /** @type {[typeof HERE, string, string, boolean, string][]} */ ([
    [HERE, "", "", false, school],
    [HERE, "", "https://lms.example", false, school],
    [HERE, "", HUB, false, school], // not a Space, whatever is around it
    [SPACE, "You/headlight", "", false, own],
    [SPACE, "You/headlight", "https://lms.example", false, own],
    [SPACE, "You/headlight", HUB, false, hub],
    [SPACE, "You/headlight", "", true, hub],
  ])) {
    assert.equal(sharedLink(here, "n=5", space, around, signed), `${expected}?n=5`);
    assert.equal(sharedLink(here, "", space, around, signed), expected);
  }
});

test("only the page around a Space hears the address", () => {
  const link = "n=5&room=ABCDEF&__theme=dark&__sign=x";
  assert.deepEqual(toParent("you-headlight.hf.space", true, link), { queryString: "n=5&room=ABCDEF" });
  assert.equal(toParent("you-headlight.hf.space", false, link), null);
  assert.equal(toParent("school.example", true, link), null);
  assert.equal(toParent("hf.space.example", true, link), null);
});

test("a frame's markup holds any link as text", () => {
  const [address, title] = ['https://x.example/?text="><b>&y=1', 'a "title" <'];
  const markup = frameOf(address, title, { width: null, height: 300 });
  assert.match(markup, /^<iframe [^<>]*><\/iframe>$|^<iframe (?:[a-z]+="[^"<]*" ?)+><\/iframe>$/);
  const read = (/** @type {string} */ name) =>
    new RegExp(` ${name}="([^"]*)"`)
      .exec(markup)?.[1]
      .replaceAll("&lt;", "<")
      .replaceAll("&quot;", '"')
      .replaceAll("&amp;", "&");
  assert.match(markup, /&amp;y=1"/);
  assert.deepEqual([read("src"), read("title"), read("width"), read("height")], [address, title, "100%", "300"]);
});

test("what belongs to the tab is kept apart", () => {
  const link = "?d_k=512&pin=%3Fd_k%3D8&room=CDF346&__sign=a%2Bb&step=2";
  assert.deepEqual(ofTab(link), { room: "CDF346", step: "2", __sign: "a+b" });
  assert.equal(ofState(link), "d_k=512&pin=%3Fd_k%3D8");
  const walked = "page=anatomy&step=output&lesson=heads&step=3";
  assert.equal(ofState(walked), "page=anatomy&step=output");
  assert.deepEqual(ofTab(walked), { lesson: "heads", step: "3" });
  assert.equal(joined("page=anatomy&step=output", { step: "3" }), "page=anatomy&step=output&step=3");
  assert.equal(ofState("?pin=?d_k=8"), "pin=?d_k=8");
  assert.equal(joined("page=why&room=FFFFFF", { __theme: "dark" }), "page=why&__theme=dark");
});
