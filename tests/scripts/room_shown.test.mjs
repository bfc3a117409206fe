/** What a room shows, as markup: its clock, codes, counts, ways in, a vote, prepared questions, offers and advice. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { advice } from "../../assets/js/room/advice.js";
import { ballot } from "../../assets/js/room/ballot.js";
import { Clock, clockControls, written } from "../../assets/js/room/clock.js";
import { codeField, readCode } from "../../assets/js/room/code_field.js";
import { HeadCount } from "../../assets/js/room/head_count.js";
import { described } from "../../assets/js/room/offers.js";
import { Prepared } from "../../assets/js/room/prepared.js";
import { mixed, reached, shortAddress, steps, typed } from "../../assets/js/room/way_in.js";
import { Time, focusedOne, keyed, settled, standIn } from "./stand_in.mjs";

const { localStorage } = standIn();
const time = new Time();
/** @param {Loose[]} nodes */
const markup = (nodes) => nodes.map((one) => (typeof one === "string" ? one : one.markup)).join("");
const any = (/** @type {unknown} */ one) => /** @type {Loose} */ (one);

test("a clock counts down to its end, is heard twice, and stops at a reveal", async () => {
  assert.deepEqual([0, 5, 59, 60, 61, 600].map(written), ["0:00", "0:05", "0:59", "1:00", "1:01", "10:00"]);
  const clock = any(new Clock(keyed));
  assert.equal(
    clock.root.markup,
    '<span class="class-clock" hidden="true" id="room-clock"><span aria-live="off"></span></span>'.replace(
      '<span aria-live="off"></span>',
      clock.face.markup + clock.spoken.markup,
    ),
  );
  assert.equal(clock.face.markup, '<span ariaLive="off" class="class-clock-face" role="timer"></span>');
  assert.equal(clock.spoken.markup, '<span class="spoken" role="status"></span>');
  const question = { phase: "open", clock: time.now + 61_500 };
  clock.tell(question);
  assert.deepEqual(
    [clock.root.hidden, clock.face.textContent, clock.spoken.textContent, clock.root.dataset.left],
    [false, "1:02", "room.clock.begins 62", "62"],
  );
  await time.pass(500);
  assert.equal(clock.face.textContent, "1:01");
  clock.tell(question);
  await time.pass(60_500);
  assert.deepEqual([clock.face.textContent, clock.root.classList.contains("is-up"), time.waiting], ["0:01", false, 1]);
  await time.pass(500);
  assert.deepEqual(
    [clock.face.textContent, clock.spoken.textContent, clock.root.classList.contains("is-up"), time.waiting],
    ["room.clock.up", "room.clock.up", true, 0],
  );
  clock.tell({ phase: "discuss", clock: time.now + 1000 });
  assert.equal(clock.root.classList.contains("is-up"), false);
  clock.tell({ phase: "reveal", clock: time.now + 1000 });
  assert.deepEqual([clock.root.hidden, clock.spoken.textContent, time.waiting], [true, "", 0]);
  clock.tell({ phase: "open", clock: time.now - 1 });
  assert.deepEqual([clock.spoken.textContent, clock.root.hidden], ["room.clock.up", false]);
  clock.tell(null);
  assert.equal(clock.root.hidden, true);
});

test("a teacher sets the clock to one of five times, or gives half a minute more", () => {
  const posted = /** @type {unknown[]} */ ([]);
  const line = any({ post: async (/** @type {unknown[]} */ ...all) => posted.push(all) });
  const made = any(clockControls(line, (act) => act(), any({ id: "q", clock: 7 }), keyed));
  const [choice, more] = [made.querySelector("select"), made.querySelector("#room-clock-more")];
  assert.deepEqual(
    choice
      .querySelectorAll("option")
      .map((/** @type {Loose} */ one) => [one.value, one.textContent, one.hidden === true]),
    [
      ["", "room.clock.set", true],
      ["0", "room.clock.off", false],
      ...["30", "60", "120", "180"].map((one) => [one, `room.clock.${one}`, false]),
    ],
  );
  assert.deepEqual(
    [choice.id, choice.ariaLabel, choice.title, choice.value, choice.dataset.until, made.className],
    ["room-clock-set", "room.clock.set", "room.clock.hint", "", "7", "class-clock-set"],
  );
  choice.value = "60";
  choice.onchange();
  more.click();
  assert.deepEqual(posted, [
    ["clock", { question: "q", seconds: 60 }],
    ["clock", { question: "q", seconds: 30, more: true }],
  ]);
  assert.equal(choice.value, "");
  assert.equal(
    any(clockControls(line, (act) => act(), any({ id: "q" }), keyed)).querySelector("select").dataset.until,
    "0",
  );
});

test("a code is typed in any way, and a wrong one is said", () => {
  for (const [written, code] of [
    ["cdf-ghj", "CDFGHJ"],
    [" C D F G H J ", "CDFGHJ"],
    ["xy3467", "XY3467"],
    ["CDFGH", null],
    ["CDFGHJK", null],
    ["CDFGHA", null],
    ["CDFGH1", null],
  ]) {
    assert.equal(readCode(String(written)), code, String(written));
  }
  const joined = /** @type {string[]} */ ([]);
  const form = any(codeField(keyed, (code) => joined.push(code)));
  const [field, wrong] = [form.querySelector("input"), form.querySelector("p")];
  assert.equal(
    form.markup,
    `<form class="class-join">` +
      `<label htmlFor="room-field">room.type</label>${field.markup}<button class="tool" id="room-join" type="submit">room.join</button>${wrong.markup}</form>`,
  );
  assert.equal(
    field.markup,
    '<input autocapitalize="characters" autocomplete="off" enterKeyHint="go" id="room-field" maxLength="10" type="text"></input>',
  );
  assert.equal(wrong.markup, '<p class="class-wrong" hidden="true" role="alert">error.room_none</p>');
  const submit = (/** @type {string} */ value) => {
    field.value = value;
    const event = new Event("submit", { cancelable: true });
    form.dispatchEvent(event);
    assert.ok(event.defaultPrevented);
    return [wrong.hidden, focusedOne() === field];
  };
  assert.deepEqual(submit("abc"), [false, true]);
  assert.deepEqual(submit("cdf ghj")[0], true);
  assert.deepEqual(joined, ["CDFGHJ"]);
});

test("the count of tabs and of those that follow", () => {
  const count = any(new HeadCount((key, fields = {}) => `${fields.follow} of ${fields.count} (${key})`));
  assert.equal(
    count.root.markup,
    '<span class="class-here"><b id="room-follow">0</b> of <b id="room-count">0</b> (room.follow)</span>',
  );
  count.tell({ count: 5, follow: 3 });
  assert.equal(count.root.textContent, "3 of 5 (room.follow)");
  count.tell({ count: 6 });
  assert.equal(count.root.textContent, "6 of 6 (room.follow)");
});

test("the ways in: a short address, the steps, and who reaches it", () => {
  assert.deepEqual(
    ["https://a.example/lab/?x=1#y", "http://a.example/lab/index.html", "http://192.168.1.5:7860"].map(typed),
    ["a.example/lab/", "a.example/lab/", ""],
  );
  assert.equal(markup(shortAddress("https://a.example/lab/?x", "CDFGHJ")), "a.example/lab/<b>CDFGHJ</b>");
  assert.equal(markup(mixed("a b a", { a: () => any({ markup: "<a>" }) })), "<a> b <a>");
  const sentences = any(
    steps("https://a.example/", "CDFGHJ", (key, fields = {}) =>
      key === "room.steps" ? `${fields.host} ${fields.sign} ${fields.class} ${fields.code}` : key,
    ),
  );
  assert.match(
    sentences.markup,
    /^<p class="class-steps"><b>a\.example<\/b> <svg .*<\/svg> room\.open <b>CDFGHJ<\/b><\/p>$/,
  );
  const reach = (/** @type {string} */ address, /** @type {boolean | null} */ network) =>
    markup(any(reached(new URL(address), network, (key, fields = {}) => `${key} ${fields.start ?? ""}`)));
  assert.equal(reach("https://a.example/", false), "");
  assert.equal(reach("http://192.168.1.5/", false), "share.local ");
  assert.equal(reach("http://localhost/", true), "room.unreached ");
  assert.equal(reach("http://localhost/", null), "room.unreached ");
  assert.equal(
    reach("http://127.0.0.1/", false),
    "room.machine <code>GRADIO_SERVER_NAME=0.0.0.0 .venv/bin/python app.py</code>",
  );
});

test("a vote among answers can be changed until it is closed", () => {
  const question = any({ kind: "choice", id: "q" });
  const words = { text: "*Which*?", answers: ["a", "`b`"], curve: null };
  const given = /** @type {unknown[]} */ ([]);
  const { root, tell } = ballot(question, words, 1, keyed, (answer) => given.push(answer));
  const made = any(root);
  assert.equal(
    made.markup,
    '<div class="class-ballot" id="room-ballot"><fieldset><legend><em>Which</em>?</legend><div class="predict-choices">' +
      '<label><input name="room-answer" type="radio" value="0"></input><span>a</span></label>' +
      '<label><input checked="true" name="room-answer" type="radio" value="1"></input><span><code>b</code></span></label>' +
      '</div></fieldset><p class="class-note" role="status"></p></div>',
  );
  made.querySelectorAll("input")[0].onchange();
  assert.deepEqual(given, [0]);
  tell("sent");
  assert.equal(made.querySelector("p").textContent, "room.sent");
  tell("");
  assert.equal(made.querySelector("p").textContent, "");
  const closed = any(ballot(question, words, 0, keyed, null).root);
  assert.equal(closed.querySelector("p").textContent, "room.discuss");
  assert.deepEqual(
    closed.querySelectorAll("input").map((/** @type {Loose} */ one) => [one.disabled, one.checked]),
    [
      [true, true],
      [true, false],
    ],
  );
  closed.querySelectorAll("input")[0].onchange();
});

const asks = (/** @type {string} */ text, more = {}) => any({ kind: "choice", text, answers: ["a", "b"], ...more });

test("prepared questions are kept once each, asked, dropped, and marked in their room", async () => {
  localStorage.kept.clear();
  let code = "CDFGHJ";
  let takes = true;
  const put = /** @type {unknown[]} */ ([]);
  const list = any(
    new Prepared(
      () => code,
      keyed,
      async (question) => (put.push(question.text), takes),
      (link) => link === "n=3",
    ),
  );
  assert.deepEqual(
    [list.count.textContent, list.root.querySelector("#prepared-save").disabled],
    ["room.prepared.title 0", true],
  );
  assert.deepEqual(
    [
      list.add(asks("one")),
      list.add(asks("two", { link: "n=3" })),
      list.add(asks("one")),
      list.add(asks("three", { link: "n=4" })),
    ],
    [0, 1, 0, 2],
  );
  assert.deepEqual(
    [
      list.count.textContent,
      list.root.querySelector("#prepared-save").disabled,
      list.root.querySelector("#prepared-save").textContent,
    ],
    ["room.prepared.title 3", false, "room.prepared.save"],
  );
  assert.deepEqual(
    JSON.parse(localStorage.kept.get("headlight-lesson-questions") ?? "").map(
      (/** @type {Loose} */ one) => one.question.text,
    ),
    ["one", "two", "three"],
  );
  assert.deepEqual(
    list.list.querySelectorAll(".class-show").map((/** @type {Loose} */ one) => [one.textContent, one.ariaLabel]),
    [
      ["room.ask", "room.ask: one"],
      ["room.ask", "room.ask: two"],
      ["room.prepared.go", "room.prepared.go: three"],
    ],
  );
  list.list.querySelectorAll(".class-show")[1].click();
  await settled();
  assert.deepEqual(put, ["two"]);
  assert.deepEqual(
    list.list.children.map((/** @type {Loose} */ one) => one.className),
    ["class-offer", "class-offer is-asked", "class-offer"],
  );
  assert.equal(list.list.querySelector(".class-true").textContent, "✓ room.prepared.asked ");
  takes = false;
  assert.equal(await list.ask(0), false);
  assert.equal(await list.ask(9), false);
  assert.deepEqual(put, ["two", "one"]);
  code = "XXXXXX";
  list.recheck();
  assert.equal(list.list.querySelectorAll(".is-asked").length, 0, "another room");
  const drops = list.list.querySelectorAll("button").filter((/** @type {Loose} */ one) => one.textContent === "×");
  assert.deepEqual([drops[0].ariaLabel, drops[0].title], ["room.prepared.drop: one", "room.prepared.drop"]);
  drops[0].click();
  assert.deepEqual(list.list.querySelectorAll(".class-show").length, 2);
  for (let i = 0; i < 99; i += 1) list.add(asks(`more ${i}`));
  assert.equal(list.list.children.length, 100, "of a full list the oldest goes");
  assert.equal(list.list.querySelector(".class-show").ariaLabel, "room.prepared.go: three");
  localStorage.kept.set("headlight-lesson-questions", "{");
  assert.equal(
    any(
      new Prepared(
        () => code,
        keyed,
        async () => true,
        () => true,
      ),
    ).list.children.length,
    0,
  );
  localStorage.kept.set("headlight-lesson-questions", '[{"question": {"text": "a"}}, {"question": {}}, null, 3]');
  assert.equal(
    any(
      new Prepared(
        () => code,
        keyed,
        async () => true,
        () => true,
      ),
    ).list.children.length,
    1,
  );
  localStorage.kept.set("headlight-lesson-questions", '{"question": {"text": "a"}}');
  assert.equal(
    any(
      new Prepared(
        () => code,
        keyed,
        async () => true,
        () => true,
      ),
    ).list.children.length,
    0,
  );
});

test("a file of questions is taken whole, or it is said why not", async () => {
  localStorage.kept.clear();
  const declared = {
    first: "explore",
    brought: [],
    pages: {
      explore: {
        figures: [],
        questions: [],
        first: {},
        sized_elsewhere: [],
        unread: [],
        parameters: { n: { least: 2, most: 9, whole: true } },
      },
    },
  };
  let answers = true;
  Object.assign(globalThis, {
    fetch: async () => (answers ? new Response(JSON.stringify(declared)) : Promise.reject(new TypeError("away"))),
  });
  const list = any(
    new Prepared(
      () => "CDFGHJ",
      keyed,
      async () => true,
      () => true,
    ),
  );
  const box = list.root.querySelector("input");
  const opens = async (/** @type {unknown} */ content, size = 10) => {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    box.files = { item: (/** @type {number} */ i) => (i === 0 ? { size, text: async () => text } : null) };
    box.value = "x";
    box.dispatchEvent(new Event("change"));
    await time.pass(1);
    assert.equal(box.value, "");
    return [list.fault.textContent, list.fault.classList.contains("class-wrong")];
  };
  const file = (/** @type {Loose[]} */ ...questions) => ({ format: 1, questions });
  const one = { text: "one", answers: [{ text: "a" }, { text: "b" }] };
  answers = false;
  assert.deepEqual(await opens(file(one)), ["live.unanswered", true]);
  answers = true;
  assert.deepEqual(await opens(file(one, { ...one, text: "two" })), ["room.prepared.opened 2", false]);
  assert.deepEqual(await opens(file(one)), ["room.prepared.known 0", false]);
  assert.deepEqual(await opens("{"), ["room.prepared.wrong.json ", true]);
  assert.deepEqual((await opens("{}", 800_001))[0], "room.prepared.wrong.long 200000 ");
  assert.deepEqual((await opens("{}", 800_000))[0], "room.prepared.wrong.format ");
  assert.match(
    String((await opens(file({ ...one, link: "n=1" })))[0]),
    /^room\.prepared\.wrong\.at 1 lesson\.file\.value_whole n 1 2 9$/,
  );
  assert.match(
    String((await opens(file({ text: "c", curve: { x_from: 1 } })))[0]),
    /^room\.prepared\.wrong\.ends 1 x room\.ends\.one/,
  );
  const many = Array.from({ length: 99 }, (_, i) => ({ ...one, text: `m${i}` }));
  assert.deepEqual(await opens(file(...many)), ["room.prepared.full 99 98 100", true]);
  assert.equal(list.list.children.length, 2);
  assert.deepEqual(await opens(file(...many.slice(1))), ["room.prepared.opened 98", false]);
});

test("an offer is told by its page, and by what differs from the class's state", () => {
  const texts = any({ "control.n.label": "Tokens (n)", "choice.mask.causal": "causal" });
  const page = any({
    text: (/** @type {string} */ key) => texts[key] ?? key,
    settings: { first: "explore", defaults: { n: 32, mask: "none", h: 8, d_k: 64, seed: 0 } },
  });
  assert.equal(described("page=why&n=4", "n=3", page), "choice.page.why");
  assert.equal(described("n=4", "page=explore&n=4", page), "choice.page.explore");
  assert.equal(described("page=why&n=4", "page=why&n=4", page), "choice.page.why");
  assert.equal(described("n=4", "page=why", page), "choice.page.explore");
  const description = described("n=4&mask=causal", "n=3", page);
  assert.match(description, /^choice\.page\.explore · .* = 4 · mask = causal$/);
  assert.equal(described("n=4&mask=causal&h=2&d_k=3&seed=5", "n=3", page).split(" · ").length, 5);
});

test("advice after the first vote is general until the truth is known and the server advises", async () => {
  const question = any({ id: "q", phase: "closed" });
  const posted = /** @type {unknown[]} */ ([]);
  const teacher = (/** @type {Loose} */ truth, now = question) =>
    any({
      truths: { known: async () => truth },
      message: { question: now },
      line: {
        post: async (/** @type {unknown[]} */ ...all) => (
          posted.push(all),
          { json: async () => ({ advice: "discuss" }) }
        ),
      },
    });
  const shown = async (/** @type {Loose} */ one) => {
    const made = any(advice(one, one.truths, question, keyed));
    assert.equal(made.textContent, "room.advice.general (Crouch & Mazur 2001)");
    await settled();
    return [made.dataset.advice, made.querySelector("span").textContent];
  };
  assert.deepEqual(await shown(teacher(1)), ["discuss", "room.advice.discuss"]);
  assert.deepEqual(posted, [["advice", { question: "q", truth: 1 }]]);
  for (const none of [
    teacher(null),
    teacher([0.5]),
    teacher(1, any({ id: "x", phase: "closed" })),
    teacher(1, any({ id: "q", phase: "discuss" })),
    any({ truths: { known: async () => Promise.reject(new Error("x")) } }),
  ]) {
    assert.deepEqual(await shown(none), ["general", "room.advice.general"]);
  }
  assert.equal(posted.length, 1);
  const link = any(advice(teacher(1), teacher(1).truths, question, keyed)).querySelector("a");
  assert.deepEqual(
    [link.href, link.target, link.rel, link.title],
    ["https://doi.org/10.1119/1.1374249", "_blank", "noopener", "room.advice.source"],
  );
  assert.equal(any(advice(teacher(1), teacher(1).truths, question, keyed)).id, "room-advice");
});
