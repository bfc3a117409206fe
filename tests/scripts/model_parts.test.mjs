/** Parts of the Model page, value by value: tokens, links, boxes, lists, small maps, pictures and what reads them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { AgainstLine } from "../../assets/js/pages/model/against_line.js";
import { numberBox, tick } from "../../assets/js/pages/model/change_fields.js";
import { ChangesList } from "../../assets/js/pages/model/changes_list.js";
import { JoinedLines } from "../../assets/js/pages/model/joined_lines.js";
import { mapLink } from "../../assets/js/pages/model/map_link.js";
import { PatchReads } from "../../assets/js/pages/model/patch_reads.js";
import { Pictured } from "../../assets/js/pages/model/pictured.js";
import { PictureView } from "../../assets/js/pages/model/picture_view.js";
import { beside, framesOf, viewsOf } from "../../assets/js/pages/model/picture_views.js";
import { PicturesControl } from "../../assets/js/pages/model/pictures_control.js";
import { segments } from "../../assets/js/pages/model/segments.js";
import { SmallMaps } from "../../assets/js/pages/model/small_maps.js";
import { SoundLine } from "../../assets/js/pages/model/sound_line.js";
import { tellWeight, tokenButton } from "../../assets/js/pages/model/token_button.js";
import { drawn, standInDrawing, watched } from "./drawing.mjs";
import { livePage, place, press, standInPage, Told, type, valued } from "./page_stand_in.mjs";
import { focusedOne, keyed, settled, standIn, StandIn } from "./stand_in.mjs";

const { document, location } = standIn();
standInDrawing(document);
standInPage(document);
/** What waits for the next picture on the screen. @type {(() => void)[]} */
const frames = [];
Object.assign(globalThis, {
  ...{ Node: StandIn, devicePixelRatio: 1 },
  requestAnimationFrame: (/** @type {() => void} */ then) => frames.push(then),
});

const SCALE = /** @type {Loose} */ ([[0, "#ffffff"], [1, "#000000"]]); // prettier-ignore
const look = (/** @type {Loose} */ one) => one.markup;
const words = (/** @type {Loose} */ root, /** @type {string} */ selector) =>
  root.querySelectorAll(selector).map((/** @type {Loose} */ one) => one.textContent);

test("a token is a button: as it is written, with what it is known by, for a mouse alone, and marked as written", () => {
  /** @type {string[]} */
  const heard = [];
  const said = (/** @type {string} */ what) => () => void heard.push(what);
  const reactions = { press: said("pressed"), point: said("pointed"), focus: said("focused") };
  const line = /** @type {Loose} */ ({
    tokens: [" le", "\n"],
    forms: ["Ġle", "Ċ"],
    ids: [7, -1],
    stands: ["", "break"],
    written: 0,
  });
  const [first, second] = [0, 1].map((at) => /** @type {Loose} */ (tokenButton(line, at, reactions)));
  const attributes = 'class="token" data-told="Ġle · #7" dir="auto" type="button"';
  assert.equal(look(first), `<button ariaLabel="␣le, Ġle · #7" ${attributes}> le</button>`);
  assert.deepEqual([second.textContent, second.ariaLabel], ["⏎", "⏎, Ċ · “break”"]);
  press(first);
  first.onpointerenter({ pointerType: "touch" });
  first.onpointerenter({ pointerType: "mouse" });
  first.dispatchEvent(new Event("focus"));
  assert.deepEqual(heard, ["pressed", "pointed", "focused"]);
  tokenButton(line, 0, { press: said("pressed"), point: said("pointed") }).dispatchEvent(new Event("focus"));
  assert.equal(heard.length, 3, "without a reaction to the focus nothing follows it");
  const written = (/** @type {number} */ from) =>
    [0, 1].map((at) => tokenButton({ ...line, written: from }, at, reactions).classList.contains("is-written"));
  assert.deepEqual([0, 1, 2].map(written), [[false, false], [false, true], [false, false]]); // prettier-ignore
  tellWeight(first, "0.5");
  assert.equal(first.title, "Ġle · #7\n0.5");
  tellWeight(first, "");
  assert.equal(first.title, "Ġle · #7");
  const plain = tokenButton({ ...line, forms: [], ids: [], stands: [] }, 0, reactions);
  tellWeight(plain, "0.5");
  assert.deepEqual([plain.title, plain.ariaLabel], ["0.5", "␣le"]);
});

test("a link to the Map holds a text of 512 characters; a longer one is carried over before the page is left", async () => {
  const link = (/** @type {string} */ text) =>
    /** @type {Loose} */ (mapLink("the Map", { text, model: "small", layer: "2" }));
  location.pathname = "/here";
  assert.equal(
    look(link("le chat")),
    '<a data-page="map" href="/here?page=map&source=model&model=small&layer=2&text=le+chat">the Map</a>',
  );
  assert.equal(link("").href, "/here?page=map&source=model&model=small&layer=2");
  assert.ok(link("a".repeat(512)).href.endsWith(`text=${"a".repeat(512)}`));
  const long = link(`${"a".repeat(512)}é`);
  assert.equal(long.href, "/here?page=map&source=model&model=small&layer=2");
  /** @type {unknown[]} */
  const story = [];
  const done = (/** @type {unknown} */ result) => {
    const request = /** @type {Loose} */ ({ result });
    setTimeout(() => request.onsuccess());
    return request;
  };
  const store = {
    put: (/** @type {Uint8Array} */ file, /** @type {string} */ key) => (
      story.push(["carried", file.length, key]),
      done(null)
    ),
  };
  const database = { transaction: () => ({ objectStore: () => store }), close: () => story.push("closed") };
  Object.assign(globalThis, { indexedDB: { open: () => done(database) } });
  Object.assign(location, { assign: (/** @type {string} */ to) => story.push(["goes", to]) });
  assert.equal(press(link("short")).defaultPrevented, false);
  assert.equal(press(long).defaultPrevented, true);
  assert.deepEqual(story, []);
  await new Promise((resolve) => setTimeout(resolve, 20));
  await settled();
  assert.deepEqual(story, [["carried", 514, "upload"], "closed", ["goes", long.href]]);
});

test("a box takes numbers within its ends, whole ones if it may be left out, and is not written while it is typed in", () => {
  /** @type {string[]} */
  const heard = [];
  const ends = { low: -2, high: 20 };
  const [closed, open] = [false, true].map((one) =>
    numberBox("sink", "the sink", ends, one, (value) => void heard.push(value)),
  );
  const box = (/** @type {Loose} */ { root }) => root.querySelector("input");
  const shared = 'id="change-sink-value" max="20" min="-2" placeholder="–"';
  const input = (/** @type {string} */ step) => `<input ${shared} step="${step}" type="number"></input>`;
  const label = (/** @type {string} */ step) =>
    `<label class="change-line" hidden="true"><span>the sink</span>${input(step)}</label>`;
  assert.deepEqual([look(closed.root), look(open.root)], [label("any"), label("1")]);
  const values = ["2.5", "-2", "20", "20.1", "-2.1", "", "bad", "07", "3", "-3", "21"];
  for (const [one, taken] of /** @type {[Loose, string[]][]} */ ([
    [closed, ["2.5", "-2", "20", "7", "3"]],
    [open, ["-2", "20", "", "7", "3"]],
  ])) {
    for (const value of values) type(box(one), value);
    assert.deepEqual(heard.splice(0), taken);
  }
  closed.show("5");
  assert.deepEqual([/** @type {Loose} */ (closed.root).hidden, box(closed).value], [false, "5"]);
  box(closed).focus();
  closed.show("6");
  assert.equal(box(closed).value, "5");
  box(open).focus();
  closed.show("7");
  assert.equal(box(closed).value, "7");
  closed.show(null);
  assert.deepEqual([/** @type {Loose} */ (closed.root).hidden, box(closed).value], [true, "7"]);
});

test("choices in a line are named at once or later, tell what is chosen, and choose without telling", () => {
  /** @type {unknown[]} */
  const heard = [];
  const named = segments("mask", "the mask", ["causal", "full"], (one) => void heard.push(one));
  const box = (/** @type {string} */ value) =>
    `<label><input name="change-mask" type="radio" value="${value}"></input><span></span></label>`;
  const inside = `<div class="wrap">${box("causal")}${box("full")}</div>`;
  assert.equal(
    look(named.root),
    `<div aria-label="the mask" class="segments change" id="change-mask" role="radiogroup"><span>the mask</span>${inside}</div>`,
  );
  const later = segments("mask", "", ["causal", "full"], () => {});
  assert.equal(look(later.root), `<div class="segments change" id="change-mask" role="radiogroup">${inside}</div>`);
  named.name("full", "Full");
  named.name("other", "Other");
  assert.deepEqual(words(named.root, "label"), ["", "Full"]);
  const [label] = /** @type {Loose} */ (named.root).querySelectorAll("label span").slice(-1);
  label.append(" twice");
  named.name("full", "Full twice");
  assert.equal(label.childNodes.length, 2, "what is called so already is left alone");
  const boxes = /** @type {Loose} */ (named.root).querySelectorAll("input");
  for (const [chosen, checked] of /** @type {[string, boolean[]][]} */ ([
    ["full", [false, true]],
    ["causal", [true, false]],
    ["", [false, false]],
  ])) {
    named.show(chosen);
    assert.deepEqual(boxes.map((/** @type {Loose} */ one) => one.checked), checked); // prettier-ignore
  }
  press(boxes[1], "change");
  const made = tick("log_n", "by log n", (on) => void heard.push(on));
  assert.equal(
    look(made.root),
    '<label><input id="change-log_n" type="checkbox"></input><span>by log n</span></label>',
  );
  for (const checked of [true, false]) press(Object.assign(/** @type {Loose} */ (made.box), { checked }), "change");
  assert.deepEqual(heard, ["full", true, false]);
});

test("changes are chips with what takes them back; the focus stays near, and what is pinned is said beside them", () => {
  const root = place();
  /** @type {unknown[]} */
  const heard = [];
  const before = /** @type {Loose} */ (document.createElement("summary"));
  const list = new ChangesList(keyed, before, (written) => heard.push(["undo", written]), () => heard.push("pin")); // prettier-ignore
  root.append(before, list.root);
  const change = (/** @type {string} */ written, overruled = false) => ({
    written,
    said: `${written} said`,
    overruled,
  });
  const show = (/** @type {string} */ all, pinned = false) =>
    list.show(all ? all.split(" ").map((one) => change(one, one === "b")) : [], pinned);
  const stands = () => [/** @type {Loose} */ (list.root).children[0].hidden, ...words(list.root, "li")].join(" | ");
  const none = '<p class="changes-none">changes.none</p>';
  assert.equal(
    look(list.root),
    `<div class="changes-made">${none}<ul ariaLabel="changes.list" class="changes-list"></ul></div>`,
  );
  const rows = /** @type {[string, boolean, string][]} */ ([
    ["", false, "false"],
    ["a", false, "true | a said× | changes.pin"],
    ["a", true, "true | a said×"],
    ["a b", false, "true | a said× | b saidchanges.overruled× | changes.undo_all | changes.pin"],
    ["a b", true, "true | a said× | b saidchanges.overruled× | changes.undo_all"],
  ]);
  for (const [all, pinned, said] of rows) {
    show(all, pinned);
    assert.equal(stands(), said);
  }
  assert.ok(!root.contains(focusedOne()), "nothing moves the focus");
  const chips = () => list.root.querySelectorAll(".change-chip");
  const chip = '<li class="change-chip is-overruled" data-change="b"><span>b said</span>';
  const idle = '<em title="changes.overruled_why">changes.overruled</em>';
  assert.equal(look(chips()[1]), `${chip}${idle}<button ariaLabel="changes.undo b said" type="button">×</button></li>`);
  const button = (/** @type {string} */ id) => `<button class="tool" id="changes-${id}" type="button">changes.`;
  show("a b c");
  assert.ok(
    look(list.root).includes(`<li>${button("undo")}undo_all</button></li><li>${button("pin")}pin</button></li>`),
  );
  const takes = (/** @type {number} */ at, /** @type {string} */ left) => {
    press(/** @type {Loose} */ (chips()[at]).querySelector("button"));
    show(left);
    return (
      /** @type {Loose} */ (focusedOne())?.parent?.dataset.change ?? /** @type {Loose} */ (focusedOne())?.localName
    );
  };
  assert.deepEqual([takes(1, "a c"), takes(1, "a"), takes(0, "")], ["c", "a", "summary"]);
  show("a b");
  before.focus();
  show("b");
  assert.equal(focusedOne(), before, "only a press moves it");
  show("a b");
  press(list.root.querySelector("#changes-undo"));
  show("a b");
  assert.equal(focusedOne(), chips()[0].querySelector("button"));
  press(list.root.querySelector("#changes-pin"));
  assert.equal(focusedOne(), before);
  assert.deepEqual(heard, [["undo", "b"], ["undo", "c"], ["undo", "a"], ["undo", null], "pin"]); // prettier-ignore
  const against = new AgainstLine(keyed, { unpin: () => heard.push("unpin"), swap: () => heard.push("swap") });
  const away = '<button ariaLabel="changes.unpin" type="button">×</button>';
  const swap = '<button class="tool" id="changes-swap" type="button">changes.swap</button>';
  const line = (/** @type {string} */ hidden, /** @type {string} */ said) =>
    `<div class="changes-against"${hidden}><span class="against-chip"><span>${said}</span>${away}</span>${swap}</div>`;
  assert.equal(look(against.root), line(' hidden="true"', ""));
  against.show([change("a"), change("b")]);
  assert.equal(look(against.root), line("", "changes.against a said · b said"));
  against.show([]);
  assert.equal(look(against.root), line(' hidden="true"', "changes.against "));
  for (const one of against.root.querySelectorAll("button")) press(one);
  assert.deepEqual(heard.slice(-2), ["unpin", "swap"]);
});

test("pictures are chosen by their own images; the visitor's own has an address as long as it is the same file", async () => {
  const root = place();
  const told = new Told(root);
  const settings = { page: "model", pictures: { cat: "cat.png", dog: "dog.png" }, pictureLimit: 10, mostPictures: 3 };
  const { page, last } = livePage(told, settings, { model: "small", pictures: "cat", lang: "en" });
  const control = new PicturesControl(root, page, (name) => void told.story.push(`chooses ${name}`));
  const image = (/** @type {string} */ name) => {
    const called = `ariaLabel="picture.${name}" title="picture.${name}" type="button"`;
    return `<button ${called}><img loading="lazy" src="${name}.png"></img></button>`.replace("<img", '<img alt=""');
  };
  const choices = `<div ariaLabel="control.pictures.label" class="picture-choices" role="group">${image("cat")}${image("dog")}</div>`;
  const label = '<span class="pictures-label"></span>';
  const several = '<p class="help" hidden="true" id="pictures-help"></p>';
  const own = '<label class="choose-own" htmlFor="picture-file">picture.choose</label>';
  const input =
    '<input accept="image/png,image/jpeg" aria-describedby="picture-help" class="own-file" id="picture-file" type="file">';
  const help = '<p class="help" id="picture-help">picture.help</p>';
  const said = '<p class="said" id="picture-file-said" role="status"></p>';
  assert.equal(
    look(root),
    `<div class="not-now"><div class="pictures-control" hidden="true">${label}${choices}${several}${own}${input}</input>${help}${said}</div></div>`,
  );
  const stands = () =>
    [root.className, control.root.hidden, root.querySelector(".pictures-label").textContent,
      root.querySelector("#pictures-help").textContent, root.querySelector("#pictures-help").hidden,
      ...root.querySelectorAll(".picture-choices button").map((/** @type {Loose} */ one) => one.getAttribute("aria-pressed")),
      control.root.classList.contains("is-own")].join(" | "); // prettier-ignore
  const rows = /** @type {[string[], boolean, string][]} */ ([
    [["cat"], false, " | false | control.pictures.label | picture.several_help 3 | true | true | false | false"],
    [
      ["dog", "own"],
      true,
      " | false | control.pictures.several | picture.several_help 3 | false | false | true | true",
    ],
    [[], false, "not-now | true | control.pictures.label | picture.several_help 3 | true | false | false | false"],
  ]);
  for (const [names, many, expected] of rows) {
    control.show(names, many);
    assert.equal(stands(), expected);
  }
  for (const one of root.querySelectorAll(".picture-choices button")) press(one);
  assert.deepEqual(told.story.splice(0), ["chooses cat", "chooses dog"]);
  let made = 0;
  /** @type {Blob[]} */
  const blobs = [];
  Object.assign(URL, {
    createObjectURL: (/** @type {Blob} */ blob) => (blobs.push(blob), `blob:${(made += 1)}`),
    revokeObjectURL: (/** @type {string} */ address) => void told.story.push(`forgets ${address}`),
  });
  assert.deepEqual([await control.address("dog"), await control.address("own")], ["dog.png", ""]);
  page.state.upload = Uint8Array.of(0x89, 0x50, 0x4e, 0x47);
  assert.deepEqual([await control.address("own"), await control.address("own")], ["blob:1", "blob:1"]);
  assert.deepEqual([blobs[0].type, blobs[0].size, told.story.length], ["image/png", 4, 0]);
  page.state.upload = Uint8Array.of(0x89, 0x50, 0x4e, 0x47);
  assert.equal(await control.address("own"), "blob:2");
  assert.deepEqual(told.story.splice(0), ["forgets blob:1"]);
  page.state.upload = new TextEncoder().encode("\0held:x");
  const address = control.address("own");
  await settled();
  assert.deepEqual(told.story.splice(0), ["sends picture?name=&lang=en 7"]);
  await last(valued("picture", { file: Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 9) }, "file", { message: "m" }));
  assert.deepEqual([await address, blobs.at(-1)?.size, await control.address("own")], ["blob:3", 5, "blob:3"]);
  for (const [kind, names] of /** @type {[string, number][]} */ ([["cat", 1], ["weights.npz", 0]])) {
    control.show(["cat"], false);
    const on = /** @type {Loose} */ (document.createElement("figure"));
    control.dropped(on);
    const files = [{ name: kind }, { name: "b" }];
    assert.equal(press(on, "drop", { dataTransfer: { types: ["Files"], files } }).defaultPrevented, Boolean(names));
  } // prettier-ignore
});

/** What the server says of the heads of a model. @param {number} layers @param {number} h @param {Loose} [more] @returns {Loose} */
const heads = (layers, h, more = {}) => {
  const all = Array.from({ length: layers * h }, (_, at) => [Math.floor(at / h) + 1, (at % h) + 1]);
  return {
    ...{
      heads: all,
      layers,
      labels: all.map(() => ""),
      order: all.map((_, at) => at),
      parts: [],
      costs: new Float32Array(0),
    },
    ...{
      values: [],
      layer: 1,
      head: 1,
      masked: 255,
      maps: new Uint8Array(all.length),
      sides: Array(layers).fill([1, 1]),
    },
    ...{ lines: [], reads: Array(layers).fill(0), ...more },
  };
};

/** Small maps in a place of their own. @param {string} [ringed] */
function mapsOf(ringed) {
  const root = place();
  /** @type {unknown[]} */
  const chosen = [];
  const name = (/** @type {unknown[]} */ ...given) => given.map((one) => String(one)).join(" ");
  const maps = new SmallMaps(root, SCALE, (layer, head) => void chosen.push([layer, head]), name, ringed);
  const inside = root.children[0];
  const show = (/** @type {Loose} */ model, /** @type {Loose} */ under = null) => {
    drawn();
    maps.show(model, under);
    for (const then of frames.splice(0)) then();
    return drawn();
  };
  return { root, inside, maps, chosen, show };
}

test("small maps stand a layer a line while they keep their order, else about as a square; many are numbered and dense", () => {
  const { inside, show, maps } = mapsOf("ring");
  const stands = () =>
    `${inside.style["--across"]} × ${inside.style["--lines"]}${inside.classList.contains("is-numbered") ? " numbered" : ""}` +
    `${inside.classList.contains("is-dense") ? " dense" : ""}${inside.querySelector(".small-maps-ringed") ? " ringed" : ""}`;
  const count = (/** @type {number} */ length) => Array.from({ length }, (_, at) => at);
  const back = (/** @type {number} */ length) => count(length).reverse();
  const labelled = (/** @type {number} */ length) => count(length).map((at) => (at === 1 ? "local" : ""));
  for (const [model, expected] of /** @type {[Loose, string][]} */ ([
    [heads(2, 3), "3 × 2"],
    [heads(2, 6, { labels: labelled(12) }), "6 × 2"],
    [heads(2, 7, { labels: labelled(14) }), "7 × 2 numbered dense ringed"],
    [heads(2, 7), "7 × 2 numbered dense"],
    [heads(2, 16), "16 × 2 numbered dense"],
    [heads(2, 17), "16 × 3 dense"],
    [heads(1, 20), "16 × 2 dense"],
    [heads(5, 8, { order: back(40) }), "8 × 5 dense"],
    [heads(5, 8, { order: back(10), labels: labelled(40) }), "4 × 3"],
    [heads(5, 8, { order: [0, 1, 2] }), "3 × 1"],
    [heads(4, 2, { order: [7] }), "1 × 1"],
    [heads(64, 1, { order: [5, 3] }), "1 × 2"],
    [heads(7, 7, { order: back(49), labels: labelled(49) }), "7 × 7 dense ringed"],
    [heads(7, 7, { order: back(49).slice(0, 47), labels: labelled(49) }), "7 × 7 dense"],
  ])) {
    show(model);
    assert.equal(stands(), expected);
  }
  assert.deepEqual(words(inside, "button > span").slice(0, 2), ["7.7", "7.6"]);
  maps.outline(3, 2);
  assert.deepEqual([stands(), inside.querySelectorAll(".small-map-place").length], ["2 × 3", 6]);
  for (const [layers, h, places] of [[40, 50, 2000],
    [50, 41, 0], [2001, 1, 0]]) {
    maps.outline(layers, h);
    assert.equal(inside.children.length, places);
  } // prettier-ignore
  show(heads(2, 3));
  maps.outline(2, 3);
  show(heads(2, 3));
  assert.equal(inside.querySelectorAll("button").length, 6, "an outline is built over");
  const [first] = inside.children;
  show(heads(2, 3, { layer: 2 }));
  assert.equal(inside.children[0], first, "what stands is left alone");
  const last = inside.lastChild;
  last.setAttribute = () => assert.fail("each touch would style all maps anew");
  show(heads(2, 3, { layer: 1, head: 2 }));
  assert.equal(last.querySelector("canvas").width, 1);
  show(heads(2, 3, { sides: [[1, 1], [2, 3]], maps: new Uint8Array(21) })); // prettier-ignore
  assert.deepEqual([last.querySelector("canvas").width, last.querySelector("canvas").height], [3, 2]);
  assert.equal(
    look(mapsOf().inside),
    '<div aria-labelledby="title-model-heads" class="small-maps" role="group"></div>',
  );
  const [{ then }] = watched.slice(-1);
  /** @type {Loose} */ (then)([{ contentRect: { width: 280, height: 310.5 } }]);
});

test("a small map has a name, a label, what sorts it, its cost as a bar, and its weights in colours", () => {
  const { root, inside, show, chosen } = mapsOf("ring");
  const model = heads(2, 2, {
    ...{
      labels: ["", "local", "", "sink"],
      costs: Float32Array.of(0.25, -0.5, NaN, 0),
      values: [["0.5", "it reads 0.5"]],
    },
    ...{ sides: [[1, 2], [2, 1]], maps: Uint8Array.of(0, 254, 255, 127, 1, 2, 3, 4) }, // prettier-ignore
  });
  const lines = show(model);
  const painted = (/** @type {string} */ size, /** @type {number[]} */ ...pixels) =>
    `putImageData ${size}[${pixels}] 0 0`;
  assert.deepEqual(lines, [
    painted("2×1", 0xffffffff, 0xff000000),
    painted("2×1", 0, 0xff808080),
    painted("1×2", 0xfffefefe, 0xfffdfdfd),
    painted("1×2", 0xfffcfcfc, 0xfffbfbfb),
  ]);
  const canvas = (/** @type {string} */ size) => `<canvas aria-hidden="true" class="cells" ${size}></canvas>`;
  const [first, second, third, fourth] = inside.children;
  const bar = (/** @type {string} */ kind, /** @type {number} */ width, /** @type {string} */ said) =>
    `<span class="small-map-cost"><i${kind} style="width: ${width}%"></i><em>${said}</em></span>`;
  const named = (/** @type {string} */ text) => `<span class="small-map-name">${text}</span></button>`;
  const head = (/** @type {Loose} */ { pressed = false, kind = "", called = "", title = "" }) =>
    `<button aria-pressed="${pressed}"${kind && ` class="${kind}"`} data-head="${called}" title="${title}" type="button">`;
  assert.equal(
    look(first),
    `${head({ pressed: true, called: "1.1", title: "1.1  0.25 it reads 0.5" })}${canvas('height="1" width="2"')}` +
      `${bar("", 50, "0.25")}${named("<span>1.1</span><em>0.5</em>")}`,
  );
  assert.equal(
    look(second),
    `${head({ kind: "has-label", called: "1.2", title: "1.2 local -0.5 undefined" })}${canvas('height="1" width="2"')}` +
      `${bar(' class="is-less"', 100, "−0.5")}${named("<span>1.2</span><b>local</b>")}`,
  );
  assert.deepEqual([third, fourth].map((one) => one.querySelector(".small-map-cost").markup), [bar("", 0, "–"), bar("", 0, "0")]); // prettier-ignore
  show({ ...model, costs: new Float32Array(4) });
  assert.equal(inside.querySelector(".small-map-cost i").style.width, "0%");
  show({ ...model, costs: Float32Array.of(4, 1, 0, -1), layer: 2, head: 2 });
  const widths = inside.querySelectorAll(".small-map-cost i").map((/** @type {Loose} */ one) => one.style.width);
  assert.deepEqual(widths, ["100%", "25%", "0%", "25%"]);
  const pressed = () =>
    inside.querySelectorAll("button").map((/** @type {Loose} */ one) => one.getAttribute("aria-pressed"));
  assert.deepEqual(pressed(), ["false", "false", "false", "true"]);
  for (const at of [1, 2]) press(inside.querySelectorAll("button")[at]);
  assert.deepEqual(chosen, [[1, 2], [2, 1]]); // prettier-ignore
  show({ ...model, order: [3, 0] });
  assert.deepEqual(words(inside, "button > span:not(.small-map-cost) > span"), ["2.2", "1.1"]);
  const parts = [["encoder", 1, 2], ["decoder", 3, 2]]; // prettier-ignore
  show(heads(4, 1, { parts }));
  assert.deepEqual([...inside.children].map((one) => one.textContent), ["encoder", "1.1", "2.1", "decoder", "3.1", "4.1"]); // prettier-ignore
  assert.equal(look(inside.children[0]), '<p class="small-maps-part">encoder</p>');
  show(heads(4, 1, { parts, order: [1, 2] }));
  assert.deepEqual(
    [...inside.children].map((one) => one.textContent),
    ["encoder", "2.1", "decoder", "3.1"],
  );
  show(heads(4, 1, { parts, order: [2, 1] }));
  assert.deepEqual(
    [...inside.children].map((one) => one.textContent),
    ["3.1", "2.1"],
  );
  show(heads(1, 7, { labels: ["x", ...Array(6).fill("")] }));
  const [corner, ...numbers] = inside.querySelectorAll(".small-map-number");
  assert.equal(look(corner), '<i aria-hidden="true" class="small-map-number of-head"></i>');
  assert.equal(look(numbers[0]), '<i aria-hidden="true" class="small-map-number of-head">1</i>');
  assert.equal(look(numbers.at(-1)), '<i aria-hidden="true" class="small-map-number of-layer">1</i>');
  assert.equal(look(inside.lastChild), '<p class="small-maps-ringed"><i></i>ring</p>');
  assert.equal(root.children.length, 1);
});

test("over a picture a small map is 160 pixels on its longer side, its weights over the grid, forbidden ones dark", () => {
  const { inside, show } = mapsOf();
  const grid = { picture: 0, first: 1, rows: 1, columns: 2, stride: 2, box: [0.25, 0, 0.75, 1] };
  const model = heads(2, 1, {
    ...{ lines: [{ grids: [] }, { grids: [grid] }], reads: [1, 1], sides: [[1, 2], [1, 2]], maps: Uint8Array.of(254, 255, 0, 127) }, // prettier-ignore
  });
  const lines = show(model, { width: 40, height: 20, localName: "under" });
  const { width, height, style } = inside.querySelector("canvas");
  assert.deepEqual([width, height, style.aspectRatio], [160, 80, "160 / 80"]);
  const smooth = (/** @type {boolean} */ on) => `imageSmoothingEnabled = ${on}`;
  const placed = [smooth(false), "drawImage canvas 40 0 80 80", smooth(true)];
  const image = (/** @type {number[]} */ ...pixels) => [`putImageData 2×1[${pixels}] 0 0`, ...placed];
  const under = "drawImage [object Object] 0 0 160 80";
  assert.deepEqual(lines, [under, ...image(0xe1000000, 0x80000000), under, ...image(0x3cffffff, 0xb1808080)]);
  show(model, { width: 20, height: 40 });
  assert.deepEqual([inside.querySelector("canvas").width, inside.querySelector("canvas").height], [80, 160]);
});

test("the chosen head is brought into sight once, below the name of its part; a visitor may scroll on", () => {
  const { inside, show } = mapsOf();
  const parts = [["encoder", 1, 2]];
  const at = (/** @type {number} */ left, /** @type {number} */ top, /** @type {number} */ size) => ({
    ...{ left, top, right: left + size, bottom: top + size, width: size, height: size },
  });
  const stand = (/** @type {Loose} */ model, /** @type {Loose} */ box) => {
    const { box: frame } = inside;
    inside.box = null;
    show(model);
    Object.assign(inside, { box: frame, scrollTop: 100, scrollLeft: 50 });
    for (const one of inside.querySelectorAll("button")) {
      one.box = one.getAttribute("aria-pressed") === "true" ? box : at(0, 0, 9);
    }
    const part = inside.querySelector(".small-maps-part");
    if (part) part.clientHeight = 10;
    show(model);
    return [inside.scrollTop - 100, inside.scrollLeft - 50];
  };
  inside.box = at(0, 0, 100);
  const model = heads(2, 2, { parts });
  for (const [box, moved] of [
    [at(20, 20, 20), [0, 0]],
    [at(20, 5, 20), [-5, 0]],
    [at(20, 10, 20), [0, 0]],
    [at(20, 90, 20), [10, 0]],
    [at(20, 80, 20), [0, 0]],
    [at(-7, 20, 20), [0, -7]],
    [at(95, 20, 20), [0, 15]],
    [at(95, -30, 20), [-40, 15]],
  ]) {
    inside.box = at(0, 0, 100);
    assert.deepEqual(stand({ ...model, labels: [String(JSON.stringify(box)), "", "", ""] }, box), moved);
  }
  assert.deepEqual(stand(heads(2, 2), at(20, 5, 20)), [0, 0], "without names of parts");
  assert.deepEqual(stand(heads(2, 2, { layer: 2 }), at(20, -5, 20)), [-5, 0], "another head");
  assert.deepEqual(stand(heads(2, 2, { layer: 2 }), at(20, -9, 20)), [0, 0], "the same: the visitor has scrolled on");
  assert.deepEqual(stand(heads(2, 2, { head: 2 }), at(20, -5, 0)), [0, 0], "out of sight");
  assert.deepEqual(stand(heads(2, 2, { head: 2 }), at(20, -5, 20)), [-5, 0], "in sight now");
  inside.box = { ...at(0, 0, 100), height: 0 };
  assert.deepEqual(stand(heads(2, 2), at(20, -5, 20)), [0, 0], "the maps are out of sight");
});

const NINE = { picture: 0, first: 1, rows: 3, columns: 3, stride: 3, box: [0, 0, 1, 1] };
const PATCHES = ["1·1", "1·2", "1·3", "2·1", "2·2", "2·3", "3·1", "3·2", "3·3"];

/** What the server says of a class token, nine patches and five words. @param {Loose} [more] @returns {Loose} */
const seen = (more = {}) => ({
  lines: [{ name: "text", tokens: ["[CLS]", ...PATCHES, "a", "b", "c", "d", "e"], seconds: 0, grids: [NINE] }],
  ...{
    between: [0, 0],
    shape: [15, 15],
    weights: Float32Array.from({ length: 225 }, (_, at) => at / 225),
    windows: null,
  },
  ...{
    window: null,
    layer: 1,
    layers: 2,
    head: 1,
    row: 5,
    key: 5,
    readMean: new Float32Array(18),
    readHead: new Float32Array(18),
  },
  ...more,
});

const IMAGE = /** @type {Loose} */ ({ naturalWidth: 90, naturalHeight: 90 });
const ARROWS = { ArrowUp: "1·2", ArrowDown: "3·2", ArrowLeft: "2·1", ArrowRight: "2·3" };

test("an arrow key moves the frame by one patch, up to the edge, from the middle if no patch is framed", () => {
  const root = place();
  /** @type {unknown[]} */
  const locked = [];
  const view = new PictureView(root, { lock: (...given) => void locked.push(given), text: keyed, scale: SCALE });
  const stage = root.querySelector(".picture-stage");
  const body = /** @type {Loose} */ (document.body);
  assert.equal(
    look(stage),
    '<div aria-describedby="picture-said" ariaLabel="model.picture" class="picture-stage" role="group" tabIndex="0">' +
      '<canvas aria-hidden="true" class="picture-canvas"></canvas></div>',
  );
  assert.equal(
    look(body.querySelector("#picture-said")),
    '<p class="picture-said" id="picture-said" role="status"></p>',
  );
  assert.equal(press(stage, "keydown", { key: "ArrowUp" }).defaultPrevented, false, "no picture yet");
  stage.box = { left: 0, top: 0, width: 90, height: 90 };
  const framed = () => body.querySelector("#picture-said").textContent.split(" ")[1];
  const walk = (/** @type {string[]} */ ...keys) =>
    keys.map((key) => {
      assert.equal(press(stage, "keydown", { key }).defaultPrevented, true);
      return framed();
    });
  const show = (/** @type {Loose} */ more = {}) => view.show(seen(more), IMAGE);
  for (const [key, to] of Object.entries(ARROWS)) {
    show();
    assert.equal(framed(), "2·2");
    assert.deepEqual(walk(key), [to]);
  }
  show({ row: 0 });
  assert.deepEqual(walk("ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowUp", "ArrowUp"), [
    "2·2",
    "2·1",
    "2·1",
    "1·1",
    "1·1",
  ]);
  assert.deepEqual(walk("ArrowRight", "ArrowRight", "ArrowRight"), ["1·2", "1·3", "1·3"]);
  assert.deepEqual(walk("ArrowDown", "ArrowDown", "ArrowDown"), ["2·3", "3·3", "3·3"]);
  assert.deepEqual(walk("Enter", "Home", " "), ["3·3", "[CLS]", "[CLS]"]);
  assert.deepEqual(locked.splice(0), [[9], [0]]);
  for (const key of ["Tab", "a", "End"]) assert.equal(press(stage, "keydown", { key }).defaultPrevented, false);
  const above = root.parent;
  let heard = 0;
  above.addEventListener("keydown", () => (heard += 1));
  walk("ArrowDown", "Enter", "Home");
  assert.equal(heard, 0, "a key that is taken goes no further");
  press(stage, "keydown", { key: "Tab" });
  assert.equal(heard, 1);
  const { localName, className, width, height } = /** @type {Loose} */ (view.copy());
  assert.deepEqual([localName, className, width, height], ["canvas", "picture-on-paper", 90, 90]);
  show({ lines: [{ tokens: PATCHES, grids: [{ ...NINE, first: 0 }] }], shape: [9, 9], row: 4 });
  assert.equal(press(stage, "keydown", { key: "Home" }).defaultPrevented, false, "there is no class token");
  assert.equal(framed(), "2·2");
});

test("an arrow key goes to the patch beside, and the tokens that read it most are named", () => {
  const root = place();
  const body = /** @type {Loose} */ (document.body);
  /** @type {unknown[]} */
  const heard = [];
  const reads = new PatchReads(root, {
    lock: (...given) => void heard.push(given),
    layer: (layer) => void heard.push(layer),
    ...{ text: keyed, scale: SCALE },
  });
  const stage = root.querySelector(".patch-reads-stage");
  const said = () => body.querySelector("#patch-said").textContent;
  assert.equal(
    look(stage),
    '<div aria-describedby="patch-said" ariaLabel="model.patches" class="patch-reads-stage" role="group" tabIndex="0">' +
      '<canvas aria-hidden="true" class="patch-reads-canvas"></canvas></div>',
  );
  assert.equal(press(stage, "keydown", { key: "ArrowUp" }).defaultPrevented, false, "no picture yet");
  stage.box = stage.firstChild.box = { left: 0, top: 0, width: 90, height: 90 };
  const weights = new Float32Array(225);
  [[0, NaN], [10, 0.1], [11, 0.4], [12, 0], [13, 0.3], [14, 0.2], [3, 0.9]].forEach(([row, weight]) => (weights[15 * row + 5] = weight)); // prettier-ignore
  for (const [key, to] of Object.entries(ARROWS)) {
    reads.show(seen({ weights, row: 11 }), [IMAGE]);
    assert.equal(said(), "model.patch_readers 2·2 b 0.4 “b” 0.4, “d” 0.3, “e” 0.2");
    assert.equal(press(stage, "keydown", { key }).defaultPrevented, true);
    assert.equal(said(), `model.patch_readers ${to} b 0 –`);
    press(stage, "keydown", { key: "Enter" });
    press(stage, "pointerleave");
    assert.match(said(), / 2·2 /);
  }
  assert.deepEqual(heard.splice(0), [2, 8, 4, 6].map((patch) => [11, patch])); // prettier-ignore
  reads.show(seen({ weights, row: 0 }), [IMAGE]);
  assert.match(said(), /^model.patch_readers 2·2 \[CLS\] 0 “b”/, "what may not read it gives it nothing");
  reads.show(seen({ weights, key: 12 }), [IMAGE]);
  assert.equal(said(), "model.point_patch");
  reads.show(seen({ weights, key: -1 }), [IMAGE]);
  let above = 0;
  root.parent.addEventListener("keydown", () => (above += 1));
  for (const key of ["Enter", " ", "Tab"]) assert.equal(press(stage, "keydown", { key }).defaultPrevented, false);
  assert.equal(above, 3);
  assert.equal(press(stage, "keydown", { key: "ArrowLeft" }).defaultPrevented, true);
  assert.match(said(), / 1·1 /);
  reads.show(seen({ weights, key: 0 }), [IMAGE]);
  press(stage, "keydown", { key: " " });
  assert.equal(above, 3, "a key that is taken goes no further");
  assert.deepEqual(heard.splice(0), [[5, 0]]);
  const layers = body.querySelector(".patch-layers");
  const of = Float32Array.of(...Array(9).fill(0.05), 0.5, NaN, ...Array(7).fill(0.01));
  reads.show(seen({ weights, layer: 2, readHead: of, readMean: new Float32Array(18).fill(0.1) }), [IMAGE]);
  const layer = (
    /** @type {number} */ at,
    /** @type {boolean} */ on,
    /** @type {string} */ sum,
    /** @type {string} */ short,
  ) =>
    `<button aria-label="model.layer_share ${at} ${sum}" aria-pressed="${on}" data-layer="${at}" title="model.layer_share ${at} ${sum}" ` +
    `type="button"><canvas aria-hidden="true" height="132" width="132"></canvas><span>${at} · ${short}</span></button>`;
  assert.equal(
    look(layers),
    `<div ariaLabel="model.by_layer" class="patch-layers" role="group">${layer(1, false, "0.45", "0.45")}${layer(2, true, "0.57", "0.57")}</div>`,
  );
  const [one, mean] = body.querySelectorAll(".picture-ways button");
  assert.deepEqual([one.textContent, mean.textContent], ["model.one 2.1", "model.mean_of_heads"]);
  press(mean);
  assert.deepEqual(words(layers, "span"), ["1 · 0.90", "2 · 0.90"]);
  press(one);
  assert.deepEqual(words(layers, "span"), ["1 · 0.45", "2 · 0.57"]);
  reads.show(seen({ layers: 1, readHead: new Float32Array(9), readMean: new Float32Array(9) }), [IMAGE]);
  assert.deepEqual(words(layers, "span"), ["1 · 0.00"]);
  const two = { ...seen().lines[0], grids: [NINE, { ...NINE, picture: 1, first: 10, rows: 1, columns: 2, stride: 2 }] };
  reads.show(seen({ lines: [two], key: 11, row: 0, readHead: new Float32Array(22), readMean: new Float32Array(22) }), [
    IMAGE,
    IMAGE,
  ]);
  assert.match(said(), /^model.patch_readers model.patch_of b 2 /);
});

test("lines join what is read enough: a tenth, and in a long source three times an even share; of equals the first is said", () => {
  const root = place();
  const lines = new JoinedLines(keyed, { point: () => {}, lock: () => {} });
  const joinedRoot = /** @type {Loose} */ (lines.root);
  joinedRoot.hidden = false;
  root.append(joinedRoot);
  const line = (/** @type {number} */ length, /** @type {string} */ name) => ({
    ...{ name, tokens: Array.from({ length }, (_, at) => `${name}${at}`), seconds: 0, written: 0, cut: false, end: "" },
    ...{ forms: [], ids: [], stands: [] },
  });
  const show = (/** @type {number[]} */ weights, /** @type {Loose} */ more = {}) => {
    const of = [line(weights.length, "s"), line(1, "t")];
    const shown = {
      lines: of,
      between: [1, 0],
      shape: [1, weights.length],
      weights: Float32Array.from(weights),
      ...more,
    };
    lines.show(
      /** @type {Loose} */ ({ locked: false, row: 0, key: -1, written: false, covered: [], heard: null, ...shown }),
    );
    const joined = joinedRoot.querySelectorAll("path").map((/** @type {Loose} */ one) => one.dataset.key);
    return `${joined} | ${joinedRoot.querySelector(".joined-said").textContent.trim()}`;
  };
  const long = (/** @type {number} */ length, /** @type {number[]} */ ...first) => [
    ...first,
    ...Array(length - first.length).fill(0),
  ];
  assert.equal(show([0.125, 0.0999, NaN, 0.5]), "0,3 | model.joined_lines 0.1");
  assert.equal(show(long(30, 0.0999, 0.125)), "1 | model.joined_lines 0.1");
  assert.equal(show(long(48, 0.0625, 0.06, 0.07)), "0,2 | model.joined_lines 0.0625");
  const locked = { locked: true, key: 0 };
  assert.equal(show([0.25, 0.5, 0.5], locked), "0,1,2 | model.joined_of_query 0 “t0” 1 “s1” 0.5");
  assert.equal(show([NaN, 0, 0], locked), " | model.joined_nothing");
  assert.equal(show([0.5, 0.5], { written: true }), "0,1 | model.joined_lines 0.1 model.joined_written");
  assert.equal(show([0.5, 0.5], { written: true, covered: ["head-map"], ...locked }), "0,1 | model.joined_written");
});

test("what is drawn is drawn anew for another size: joined lines, a sound's labels, a picture and its patches", () => {
  const root = place();
  const { createElementNS } = /** @type {Loose} */ (document);
  /** @type {Set<string>} */
  const spaces = new Set();
  document.createElementNS = (space, /** @type {string} */ name) => (spaces.add(space), createElementNS(space, name));
  const since = watched.length;
  const lines = new JoinedLines(keyed, { point: () => {}, lock: () => {} });
  const joined = /** @type {Loose} */ (lines.root);
  joined.hidden = false;
  root.append(joined);
  const of = ["s", "t"].map((name) => ({ ...seen().lines[0], name, tokens: [name], grids: [], written: 0, end: "" }));
  const shown = {
    lines: of,
    between: [1, 0],
    shape: [1, 1],
    weights: Float32Array.of(1),
    locked: false,
    row: 0,
    key: -1,
  };
  lines.show(/** @type {Loose} */ ({ ...shown, written: false, covered: [], heard: null }));
  document.createElementNS = createElementNS;
  assert.deepEqual([...spaces], ["http://www.w3.org/2000/svg"]);
  for (const token of joined.querySelectorAll(".token")) Object.assign(token, { offsetLeft: 10, offsetWidth: 20 });
  const resize = () => watched.slice(since).forEach(({ then }) => then());
  const path = () => joined.querySelector("path").getAttribute("d").split(" ")[0];
  assert.notEqual(path(), "M20");
  resize();
  assert.equal(path(), "M20");
  for (const token of joined.querySelectorAll(".token")) Object.assign(token, { offsetLeft: 30 });
  joined.querySelector(".joined-scroller").dispatchEvent(new Event("scroll"));
  assert.equal(path(), "M40");
  const sound = new SoundLine("a sound", () => {}, () => {}); // prettier-ignore
  const band = /** @type {Loose} */ (sound.root);
  sound.build(/** @type {Loose} */ ({ tokens: Array(20).fill("m"), seconds: 0.5 }), 1);
  for (const [width, ticks] of /** @type {[number, string[]][]} */ ([
    [0, []],
    [799, ["0", "2", "4", "6", "8"]],
    [800, ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"].slice(0, 10)],
  ])) {
    band.offsetWidth = width;
    resize();
    assert.deepEqual(words(band, ".sound-ticks span"), ticks.map((one) => `${one}\u00a0s`)); // prettier-ignore
  }
  const places = [1, 2].map(() => {
    const one = /** @type {Loose} */ (document.createElement("div"));
    root.append(one);
    return one;
  });
  const view = new PictureView(places[0], { lock: () => {}, text: keyed, scale: SCALE });
  const reads = new PatchReads(places[1], { lock: () => {}, layer: () => {}, text: keyed, scale: SCALE });
  view.show(seen(), IMAGE);
  reads.show(seen(), [IMAGE]);
  for (const size of [90, 45]) {
    for (const one of places) one.firstChild.box = { left: 0, top: 0, width: size, height: size };
    resize();
    assert.deepEqual(places.map((one) => one.querySelector("canvas").width), [size, size]); // prettier-ignore
  }
});

test("the patch beside may be smaller, in another grid, and eight patches away, no further", () => {
  const under = /** @type {Loose} */ ({ width: 100, height: 100 });
  const grid = (/** @type {number} */ first, /** @type {number[]} */ box, rows = 1, columns = 1) =>
    /** @type {Loose} */ ({ picture: 0, first, rows, columns, stride: columns, box });
  const frame = { left: 0, top: 0, width: 100, height: 100 };
  const walk = (
    /** @type {Loose[]} */ grids,
    /** @type {number} */ from,
    /** @type {number} */ down,
    /** @type {number} */ across,
  ) => {
    const views = viewsOf(grids, [under]);
    return beside(views, framesOf(views, frame), from, down, across);
  };
  const around = [
    grid(10, [0, 0.25, 0.3125, 0.5], 1, 5),
    grid(20, [0.25, 0, 0.5, 0.3125], 5, 1),
    grid(1, [0.25, 0.25, 0.5, 0.5]),
    grid(30, [0.5, 0.25, 1, 0.5], 1, 4),
    grid(40, [0.25, 0.5, 0.5, 1], 4, 1),
  ];
  assert.deepEqual(
    [walk(around, 1, 0, -1), walk(around, 1, -1, 0), walk(around, 1, 0, 1), walk(around, 1, 1, 0)],
    [14, 24, 30, 40],
  );
  const far = (/** @type {number} */ from) => [
    grid(1, [0, 0, 0.0625, 0.0625]),
    grid(2, [from, 0, from + 0.0625, 0.0625]),
  ];
  assert.deepEqual([0.25, 0.46875, 0.5, 0.5625].map((from) => walk(far(from), 1, 0, 1)), [2, 2, 2, 1]); // prettier-ignore
});

test("a picture is shown once it can be painted, and nothing is if it cannot be loaded; the next answer tries again", async () => {
  const root = place();
  const settings = {
    page: "model",
    pictures: { cat: "cat.png" },
    pictureLimit: 10,
    mostPictures: 2,
    colours: { weights: SCALE },
  };
  const { page } = livePage(new Told(root), settings, { model: "small", pictures: "cat", lang: "en" });
  const home = Object.assign(/** @type {Loose} */ (document.createElement("div")), { id: "model" });
  const figure = () => {
    const one = /** @type {Loose} */ (document.createElement("figure"));
    const stage = document.createElement("div");
    one.append(stage);
    home.append(one);
    return { root: one, block: { stage } };
  };
  document.body.append(/** @type {Loose} */ (home));
  const all = { "head-picture": figure(), "picture-reads": figure() };
  page.figures = { known: new Map(), drawn: new Map(), of: (/** @type {"head-picture"} */ name) => all[name] };
  const pictured = new Pictured(page, root, { lock: () => {}, go: () => {} });
  /** @type {(() => void)[]} */
  const decoding = [];
  let broken = false;
  Object.assign(StandIn.prototype, {
    ...{ naturalWidth: 90, naturalHeight: 90 },
    decode: () =>
      broken ? Promise.reject(new Error("gone")) : new Promise((resolve) => decoding.push(() => resolve(null))),
  });
  const model = /** @type {Loose} */ (seen({ pictures: ["cat"], absent: ["picture-reads"], locked: false }));
  const shows = () => Boolean(pictured.show(model));
  const seeing = pictured.seen(["cat"]);
  await settled();
  assert.equal(shows(), false, "it is on its way");
  decoding.splice(0).forEach((then) => then());
  await seeing;
  assert.equal(shows(), true);
  broken = true;
  await pictured.seen(["cat"]);
  assert.equal(shows(), true, "it is there already");
  await pictured.seen(["cat", "other"]);
  assert.equal(shows(), false);
  broken = false;
  const again = pictured.seen(["cat"]);
  await settled();
  decoding.splice(0).forEach((then) => then());
  await again;
  assert.equal(shows(), true);
});

test("a moment of a sound is pointed at and locked beside the query that is chosen, and lies within a shorter sound", () => {
  const root = place();
  /** @type {string[]} */
  const heard = [];
  const lines = new JoinedLines(keyed, {
    point: (row) => void heard.push(`point ${row}`),
    lock: (row, key) => void heard.push(`lock ${row} ${key}`),
  });
  const joined = /** @type {Loose} */ (lines.root);
  joined.hidden = false;
  root.append(joined);
  const line = { seconds: 0, written: 0, cut: false, end: "", forms: [], ids: [], stands: [], grids: [] };
  const show = (/** @type {number} */ moments, /** @type {Loose} */ more = {}) => {
    const tokens = Array.from({ length: moments }, (_, at) => `${at} s`);
    const of = [{ ...line, name: "sound", tokens, seconds: 1 }, { ...line, name: "target", tokens: ["a", "b"] }]; // prettier-ignore
    const shown = {
      lines: of,
      between: [1, 0],
      shape: [2, moments],
      weights: new Float32Array(2 * moments).fill(0.25),
      key: -1,
    };
    lines.show(
      /** @type {Loose} */ ({
        ...shown,
        row: 1,
        locked: false,
        covered: [],
        heard: { seconds: 1, stretch: 2 },
        ...more,
      }),
    );
  };
  show(8);
  const band = joined.querySelector(".sound-line");
  const at = () =>
    ["aria-valuemax", "aria-valuenow", "aria-valuetext"].map((name) => band.getAttribute(name)).join(" | ");
  assert.equal(joined.querySelector(".sound-band").style["--heard"], "0.5");
  band.box = { left: 100, width: 80 };
  press(band, "pointermove", { clientX: 175 });
  assert.equal(at(), "7 | 7 | 7 s");
  press(band, "click", { clientX: 125 });
  press(band, "keydown", { key: "Enter" });
  assert.deepEqual(heard.splice(0), ["point null", "lock 1 2", "lock 1 7"]);
  show(3);
  press(band, "keydown", { key: "Enter" });
  assert.deepEqual(heard.splice(0), ["lock 1 2"]);
  press(band, "focus");
  assert.equal(at(), "2 | 2 | 2 s");
  show(4, { row: 0 });
  press(band, "click", { clientX: 175 });
  assert.deepEqual(heard.splice(0), ["point null", "lock 0 3"]);
});
