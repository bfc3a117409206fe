/** How a tab talks to its room: requests, messages, what it remembers, and what comes back by itself. Time passes when the test says so. */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "./properties.mjs";
import { again, alike, covers, isOwnFile, sameText, suspicious, takes, withOwn } from "../../assets/js/lead/message.js";
import { ClassState } from "../../assets/js/room/class_state.js";
import { Events } from "../../assets/js/room/events.js";
import { Heartbeat } from "../../assets/js/room/heartbeat.js";
import { Line, Refused } from "../../assets/js/room/line.js";
import { Listening } from "../../assets/js/room/listening.js";
import { forget, random, reasons, recollect, remember, remembered, renew } from "../../assets/js/room/memory.js";
import { Newest } from "../../assets/js/room/newest.js";
import { Opening } from "../../assets/js/room/opening.js";
import { OwnToken } from "../../assets/js/room/own_token.js";
import { Place } from "../../assets/js/room/place.js";
import { ResultsFile } from "../../assets/js/room/results_file.js";
import { heard, serverNow } from "../../assets/js/room/server_time.js";
import { Truths } from "../../assets/js/room/truths.js";
import { Time, keyed, settled, standIn } from "./stand_in.mjs";

const { document, window, location, sessionStorage } = standIn();
const time = new Time();

/** Forget what this tab remembers. */
function fresh() {
  sessionStorage.kept.clear();
  recollect();
}

test("what a room's message says of a question", () => {
  const message = (/** @type {number[]} */ answered, /** @type {number[]} */ gone) =>
    /** @type {Loose} */ ({ answered, gone });
  assert.deepEqual(
    [10, 11, 12].map((away) => suspicious(message([20, 0], [away, 0]), 1)),
    [0, 11, 12],
  );
  assert.deepEqual(
    [
      suspicious(message([22, 0], [11, 0]), 1),
      suspicious(message([0, 21], [0, 11]), 2),
      suspicious(message([21, 0], [11, 0]), 2),
    ],
    [0, 11, 0],
  );
  assert.equal(suspicious(/** @type {Loose} */ ({}), 1), 0);
  const asked = (/** @type {Loose} */ more) => ({
    kind: "choice",
    text: "a",
    id: "q",
    phase: "open",
    round: 1,
    ...more,
  });
  assert.deepEqual(
    ["open", "closed", "discuss", "reveal"].map((phase) => takes(asked({ phase }))),
    [true, false, true, false],
  );
  assert.deepEqual(["source=upload", "source=text", "", "x=upload"].map(isOwnFile), [true, false, false, false]);
  const own = asked({ prediction: { page: "why", name: "x" } });
  assert.deepEqual(
    [
      covers(null, "why"),
      covers(own, "why"),
      covers(own, "map"),
      covers({ ...own, phase: "reveal" }, "why"),
      covers({ ...own, phase: "closed" }, "why"),
    ],
    [false, true, false, false, true],
  );
  assert.equal(again(null, 1), null);
  assert.deepEqual(again(asked({ phase: "closed" }), 4), asked({ phase: "open" }));
  assert.deepEqual(again(asked({ phase: "closed", round: 2 }), 4), asked({ phase: "discuss", round: 2, first: 4 }));
  assert.deepEqual(again(asked({ phase: "reveal", round: 2 }), 4), asked({ phase: "reveal", round: 2 }));
  const full = asked({
    holds: true,
    prediction: { page: "why", name: "x" },
    from: { lesson: "a", step: 2 },
    answers: ["b", "c"],
  });
  assert.ok(sameText(full, { ...full, text: " a ", answers: ["b ", "c"], id: "other", phase: "closed", round: 2 }));
  assert.ok(sameText(asked({}), asked({ answers: [], holds: false, prediction: undefined })));
  for (const change of [
    { kind: "curve" },
    { holds: false },
    { prediction: undefined },
    { from: { lesson: "b", step: 2 } },
    { from: { lesson: "a", step: 3 } },
    { from: undefined },
    { text: "x" },
    { answers: ["b"] },
    { answers: ["c", "b"] },
  ]) {
    assert.ok(!sameText(full, { ...full, ...change }), JSON.stringify(change));
  }
});

test("two links are alike if they show the same, and the layout stays the visitor's", () => {
  const same = [
    ["", ""],
    ["n=3&h=2", "h=2&n=3"],
    ["page=explore&n=3", "n=3"],
    ["n=3&lang=ko&theme=dark&columns=2&present=1", "n=3"],
    ["page=why", "page=why&lang=en"],
  ];
  for (const [a, b] of same) assert.ok(alike(a, b), a);
  for (const [a, b] of [
    ["n=3", "n=4"],
    ["page=why", ""],
    ["n=3", "n=3&mask=causal"],
    ["hide=x", ""],
  ]) {
    assert.ok(!alike(a, b), a);
  }
  assert.equal(withOwn("n=3", {}), "n=3");
  assert.equal(withOwn("n=3", { columns: 2, present: 1 }), "n=3&columns=2&present=1");
  assert.equal(withOwn("n=3&columns=9", { columns: "0", present: "0" }), "n=3&columns=9");
  assert.equal(withOwn("n=3", { columns: 2 }), "n=3&columns=2");
  assert.equal(withOwn("n=3", { present: "1" }), "n=3&present=1");
});

test("events are the same wherever their text is cut", () => {
  const events = fc.array(
    fc.record(
      { event: fc.constantFrom("message", "end"), data: fc.json(), id: fc.constantFrom("", "7", "12") },
      { noNullPrototype: true },
    ),
    { maxLength: 4 },
  );
  fc.assert(
    fc.property(events, fc.array(fc.nat(200)), (all, cuts) => {
      const text = all
        .map(
          ({ event, data, id }) =>
            `${id && `id: ${id}\n`}${event === "message" ? "" : `event: ${event}\n`}data: ${data}\n\n: beat\n\n`,
        )
        .join("");
      const at = [0, ...cuts.filter((one) => one <= text.length).sort((a, b) => a - b), text.length];
      const read = new Events();
      assert.deepEqual(
        at.slice(1).flatMap((end, i) => read.take(text.slice(at[i], end))),
        all,
      );
    }),
    { numRuns: 100 },
  );
  assert.deepEqual(new Events().take("datax: 1\nfoo: 2\ndata: 3\n\ndata: 4"), [
    { event: "message", data: "3", id: "" },
  ]);
});

/** @type {{address: string, method: string, headers: Record<string, string>, body: unknown}[]} */
const sent = [];
/** @type {(path: string) => Response | Promise<Response>} */
let answers = () => new Response("{}");
Object.assign(globalThis, {
  fetch: async (/** @type {URL} */ address, /** @type {Loose} */ { method, headers, body, cache }) => {
    assert.equal(cache, "no-store");
    sent.push({ address: address.href.replace("http://page/", ""), method, headers, body: body && JSON.parse(body) });
    return answers(address.pathname.slice(1));
  },
});
/** @param {string} [secret] */
const lineOf = (secret) =>
  new Line(
    (path) => new URL(path, "http://page"),
    () => "ko",
    "token",
    secret,
  );
const refuses = (/** @type {number} */ status, /** @type {object} */ more = {}) =>
  new Response(JSON.stringify({ message: "no", ...more }), { status });

test("a request names its tab, its language and, of a teacher, the secret", async () => {
  sent.length = 0;
  const line = lineOf("s");
  line.code = "CDFGHJ";
  await line.post("state", { link: "n=3" });
  await line.post("end");
  await line.get();
  line.left = true;
  await line.get("stream", { Accept: "x" });
  await lineOf().ask("POST", "room", 0);
  const headers = { "X-Headlight-Tab": "token", "X-Headlight-Secret": "s" };
  assert.deepEqual(sent, [
    { address: "room/CDFGHJ/state?lang=ko", method: "POST", headers, body: { link: "n=3" } },
    { address: "room/CDFGHJ/end?lang=ko", method: "POST", headers, body: undefined },
    { address: "room/CDFGHJ?lang=ko", method: "GET", headers, body: undefined },
    {
      address: "room/CDFGHJ/stream?left=1&lang=ko",
      method: "GET",
      headers: { ...headers, Accept: "x" },
      body: undefined,
    },
    { address: "room?lang=ko", method: "POST", headers: { "X-Headlight-Tab": "token" }, body: 0 },
  ]);
});

test("a refusal has its sentence and when to ask again; what is no answer of ours is an error", async () => {
  const refused = async (/** @type {Response} */ answer) => {
    answers = () => answer;
    try {
      await lineOf().get();
      return null;
    } catch (/** @type {Loose} */ problem) {
      return [problem instanceof Refused, problem.status, problem.message, problem.retry, problem.counted];
    }
  };
  assert.deepEqual(await refused(refuses(409, { retry: 3, counted: 1 })), [true, 409, "no", 3, 1]);
  assert.deepEqual(await refused(refuses(410)), [true, 410, "no", 0, null]);
  assert.deepEqual(await refused(new Response('{"message": 5}', { status: 502 })), [
    false,
    undefined,
    "502",
    undefined,
    undefined,
  ]);
  assert.deepEqual(await refused(new Response("<html>", { status: 503 })), [
    false,
    undefined,
    "503",
    undefined,
    undefined,
  ]);
  assert.equal(await refused(new Response(null, { status: 304 })), null);
  assert.equal(await refused(new Response(null, { status: 204 })), null);
  answers = () => new Response("{}");
});

test("the time is the server's once it has told it", () => {
  assert.equal(serverNow(), time.now);
  const told = (/** @type {string | null} */ now) =>
    heard(
      /** @type {Loose} */ ({
        headers: { get: (/** @type {string} */ name) => (name === "X-Headlight-Now" ? now : null) },
      }),
    );
  told(null);
  assert.equal(serverNow(), time.now);
  told("5000000");
  time.now += 250;
  assert.equal(serverNow(), 5_000_250);
  told("x");
  assert.equal(serverNow(), 5_000_250);
});

test("a tab remembers its room over reloads, and a renewed token has answered nothing", () => {
  fresh();
  const { token, vacant } = remembered();
  assert.match(token, /^[A-Za-z0-9_-]{22}$/);
  assert.equal(vacant, true);
  assert.equal(remembered().token, token);
  assert.notEqual(random(), random());
  remember({ code: "CDFGHJ", secret: "s", because: { en: "so" }, lead: /** @type {Loose} */ ({ given: 3, other: 4 }) });
  recollect();
  assert.deepEqual(remembered(), {
    token,
    vacant: true,
    code: "CDFGHJ",
    secret: "s",
    because: { en: "so" },
    lead: { given: 3, other: 4 },
  });
  assert.deepEqual(JSON.parse(sessionStorage.kept.get("headlight-room") ?? ""), remembered());
  assert.deepEqual(reasons(), { because: { en: "so" } });
  renew();
  assert.notEqual(remembered().token, token);
  assert.deepEqual([remembered().lead, remembered().code], [{ given: null, other: 4 }, "CDFGHJ"]);
  const renewed = remembered().token;
  forget();
  assert.deepEqual(remembered(), { token: renewed });
  assert.deepEqual(reasons(), {});
  renew();
  assert.equal("lead" in remembered(), false);
  for (const other of ["{", '{"token": 5}', "null"]) {
    sessionStorage.kept.set("headlight-room", other);
    recollect();
    assert.match(remembered().token, /^[A-Za-z0-9_-]{22}$/);
  }
});

test("the newest state goes at most every so often, again if it did not arrive, and never after a stop", async () => {
  /** @type {[number, unknown][]} */
  const arrived = [];
  /** @type {(number | null)[]} */
  const ends = [];
  const began = time.now;
  const newest = new Newest(async (state) => (arrived.push([time.now - began, state]), ends.shift() ?? null));
  newest.want({});
  newest.want({ a: 1 });
  newest.want({ a: 2, b: 1 });
  await time.pass(199);
  assert.deepEqual(arrived, [[0, { a: 1 }]]);
  newest.want({ a: 3 });
  await time.pass(1);
  assert.deepEqual(arrived[1], [200, { a: 3, b: 1 }]);
  await time.pass(1000);
  assert.equal(arrived.length, 2);
  ends.push(700);
  newest.want({ c: 1 });
  await time.pass(100);
  newest.want({ d: 1 });
  await time.pass(599);
  assert.deepEqual(arrived.length, 3);
  await time.pass(1);
  assert.deepEqual(arrived[3], [1900, { c: 1, d: 1 }]);
  await time.pass(1000);
  ends.push(300);
  newest.want({ e: 1 });
  await newest.stop();
  await time.pass(5000);
  assert.equal(arrived.length, 5, "what was stopped is not sent again");
});

test("a place is told if it changes, and again where nobody answered", async () => {
  const given = /** @type {unknown[]} */ ([]);
  /** @type {(Error | null)[]} */
  const problems = [];
  const line = /** @type {Loose} */ ({
    left: true,
    post: async (/** @type {string} */ act, /** @type {unknown} */ body) => {
      given.push([act, body]);
      const problem = problems.shift();
      if (problem) throw problem;
    },
  });
  const place = new Place(line, false);
  assert.equal(line.left, false);
  place.tell(false);
  await settled();
  assert.deepEqual(given, []);
  problems.push(new TypeError("away"), new Refused(503, "full", 3, null), new Refused(404, "none", 0, null));
  place.tell(true);
  assert.equal(line.left, true);
  await time.pass(1999);
  assert.deepEqual(given, [["place", { left: true }]]);
  await time.pass(1);
  assert.equal(given.length, 2);
  await time.pass(2999);
  assert.equal(given.length, 2);
  await time.pass(1);
  assert.equal(given.length, 3);
  await time.pass(9000);
  assert.equal(given.length, 3, "a refusal for good is not asked again");
  place.tell(false);
  await time.pass(1);
  place.tell(true);
  place.end();
  await time.pass(9000);
  assert.deepEqual(given.slice(3), [["place", { left: false }]]);
});

test("a heartbeat asks every two seconds, and says who answers", async () => {
  const heard = /** @type {unknown[]} */ ([]);
  const asked = /** @type {unknown[]} */ ([]);
  /** @type {(() => Promise<Response>)[]} */
  const gives = [];
  const line = /** @type {Loose} */ ({
    code: "",
    get: (/** @type {unknown[]} */ ...all) => (
      asked.push(all),
      (gives.shift() ?? (async () => new Response(null, { status: 304 })))()
    ),
  });
  const beat = new Heartbeat(line, { silent: () => heard.push("silent"), answering: (message) => heard.push(message) });
  await time.pass(4100);
  assert.deepEqual([asked.length, heard.length], [0, 0], "the room is being opened");
  assert.equal(await beat.ask(), true);
  line.code = "CDFGHJ";
  gives.push(
    async () => new Response('{"revision": 7}'),
    async () => Promise.reject(new TypeError("away")),
    async () => Promise.reject(new Refused(503, "full", 1, null)),
  );
  await time.pass(2000);
  assert.deepEqual(asked, [["", { "If-None-Match": "" }, { patience: 2500 }]]);
  assert.deepEqual(heard, [{ revision: 7 }]);
  await time.pass(2000);
  assert.deepEqual(asked[1], ["", { "If-None-Match": '"7"' }, { patience: 2500 }]);
  assert.deepEqual(heard.slice(1), ["silent"]);
  await time.pass(2000);
  assert.deepEqual(heard.length, 2, "it is there, and refuses");
  await time.pass(2000);
  assert.deepEqual(heard.slice(2), [null]);
  gives.push(
    async () => Promise.reject(new TypeError("away")),
    async () => Promise.reject(new Refused(503, "full", 1, null)),
  );
  assert.deepEqual([await beat.ask(), await beat.ask()], [false, true]);
  const told = heard.length;
  window.dispatchEvent(new Event("offline"));
  assert.deepEqual(heard.slice(told), ["silent"]);
  const before = asked.length;
  window.dispatchEvent(new Event("online"));
  await settled();
  assert.equal(asked.length, before + 1);
  beat.end();
  const earlier = heard.length;
  window.dispatchEvent(new Event("offline"));
  window.dispatchEvent(new Event("online"));
  await time.pass(9000);
  gives.push(
    async () => Promise.reject(new TypeError("away")),
    async () => new Response('{"revision": 8}'),
  );
  await beat.ask();
  await beat.ask();
  assert.equal(heard.length, earlier, "after its end nothing is told");
  assert.equal(asked.length, before + 3);
});

/** A line whose streams a test feeds. */
function feeding() {
  const asked = /** @type {string[]} */ ([]);
  const heard = /** @type {unknown[]} */ ([]);
  const tags = /** @type {unknown[]} */ ([]);
  /** @type {ReadableStreamDefaultController<Uint8Array> | undefined} */
  let out;
  /** @type {Error | null} */
  let problem = null;
  let at_once = false;
  const line = /** @type {Loose} */ ({
    get: async (
      /** @type {string} */ path,
      /** @type {Loose} */ headers,
      /** @type {{signal: AbortSignal}} */ { signal },
    ) => {
      asked.push(path || "question");
      tags.push(headers?.["If-None-Match"] ?? headers?.Accept);
      if (problem) throw problem;
      if (!path) return { status: 200, text: async () => '{"revision": 3}' };
      const body = new ReadableStream({
        start: (made) => void (out = made),
      });
      signal.addEventListener("abort", () => out?.error(new DOMException("", "AbortError")));
      return { status: 200, body };
    },
  });
  const notes = {
    there: () => heard.push("there"),
    told: (/** @type {Loose} */ { revision }) => heard.push(revision),
    over: () => heard.push("over"),
    lost: async (/** @type {Loose} */ one) => (heard.push(one.message), at_once),
  };
  return {
    asked,
    heard,
    tags,
    line,
    notes,
    say: async (/** @type {string} */ text) => (out?.enqueue(new TextEncoder().encode(text)), settled()),
    cut: async () => (out?.close(), settled()),
    fails: (/** @type {Error | null} */ one, now = false) => ([problem, at_once] = [one, now]),
  };
}

test("a stream tells each newer message once, and its end", async () => {
  const { asked, heard, tags, line, notes, say, cut } = feeding();
  const listening = new Listening(line, notes, true);
  window.dispatchEvent(new Event("online")); // no stream stands yet that could say nothing
  await settled();
  await say('data: {"revision": 1}\n\ndata: {"rev');
  await say('ision": 2}\n\n');
  await say('data: {"revision": 2}\n\n');
  await say(": beat\n\n");
  assert.deepEqual(heard, ["there", 1, "there", 2, "there", "there"]);
  assert.deepEqual([asked, tags], [["stream"], ["text/event-stream"]]);
  await time.pass(11_000);
  await cut();
  await time.pass(974);
  assert.equal(asked.length, 1);
  await time.pass(2);
  assert.equal(asked.length, 2);
  await say("event: end\ndata: {}\n\n");
  assert.deepEqual(heard.slice(6), ["there", "over"]);
  await time.pass(100_000);
  assert.equal(asked.length, 2);
  listening.end();
});

test("a stream that brings nothing in eight seconds is given up for questions, and tried again after sixty", async () => {
  const { asked, heard, tags, line, notes } = feeding();
  const listening = new Listening(line, notes, true);
  await time.pass(7999);
  assert.deepEqual(asked, ["stream"]);
  await time.pass(2);
  assert.deepEqual(asked, ["stream", "question"]);
  assert.deepEqual(heard, ["there", 3]);
  await time.pass(3000);
  assert.deepEqual(tags.slice(1), [undefined, '"3"']);
  assert.deepEqual(heard, ["there", 3, "there"]);
  await time.pass(58 * 3000);
  assert.equal(asked.filter((one) => one === "question").length, 60);
  await time.pass(3000);
  assert.equal(asked.at(-1), "stream");
  listening.end();
  const before = asked.length;
  await time.pass(60_000);
  assert.equal(asked.length, before);
});

test("after a failure it comes back when it is told to, and a room that is over is over", async () => {
  const { asked, heard, line, notes, fails } = feeding();
  fails(new TypeError("away"));
  const listening = new Listening(line, notes, true);
  await time.pass(1799);
  assert.deepEqual([asked.length, heard], [1, ["away"]]);
  await time.pass(2);
  assert.equal(asked.length, 2);
  fails(new Refused(503, "busy", 4, null));
  await time.pass(1800);
  assert.equal(asked.length, 3);
  await time.pass(3900);
  assert.equal(asked.length, 3, "it waits as long as the server asks");
  await time.pass(200);
  assert.equal(asked.length, 4);
  fails(new Refused(503, "all streams", 6, null));
  await time.pass(4100);
  assert.deepEqual(asked.slice(-2), ["stream", "question"], "all places for streams are taken");
  fails(new Refused(410, "over", 0, null));
  window.dispatchEvent(new Event("online"));
  await settled();
  assert.equal(heard.at(-1), "over");
  const before = asked.length;
  await time.pass(60_000);
  assert.equal(asked.length, before);
  listening.end();
});

test("a student's stream is closed while the page is hidden, a teacher's is not", async () => {
  for (const always of [false, true]) {
    const { asked, line, notes, say } = feeding();
    const listening = new Listening(line, notes, always);
    await settled();
    await say('data: {"revision": 1}\n\n');
    document.hidden = true;
    document.dispatchEvent(new Event("visibilitychange"));
    await time.pass(5000);
    assert.equal(asked.length, 1);
    document.hidden = false;
    document.dispatchEvent(new Event("visibilitychange"));
    await time.pass(10);
    assert.equal(asked.length, always ? 1 : 2);
    listening.again();
    await time.pass(10);
    assert.equal(asked.length, always ? 2 : 3, "the tab has another token");
    listening.end();
    await time.pass(5000);
  }
});

test("of two tabs with one token the older keeps it", async () => {
  /** @type {Loose[]} */
  const channels = [];
  Object.assign(globalThis, {
    BroadcastChannel: class {
      posted = /** @type {Loose[]} */ ([]);
      closed = false;
      /** @param {string} name */
      constructor(name) {
        assert.equal(name, "headlight-tokens");
        channels.push(this);
      }
      postMessage(/** @type {Loose} */ data) {
        this.posted.push(data);
      }
      close() {
        this.closed = true;
      }
    },
  });
  fresh();
  const { token } = remembered();
  let renewed = 0;
  const own = new OwnToken(() => (renewed += 1));
  const [channel] = channels;
  assert.equal(remembered().vacant, false);
  const { id } = channel.posted[0];
  assert.deepEqual(channel.posted, [{ token, since: time.now, id, asks: true }]);
  await own.asked;
  const claims = (/** @type {object} */ more) =>
    channel.onmessage({ data: { token: remembered().token, since: time.now, id, asks: false, ...more } });
  claims({ token: "other", since: 0 });
  claims({ since: time.now + 1, asks: true });
  assert.deepEqual([renewed, channel.posted.length, channel.posted[1].asks], [0, 2, false]);
  claims({ since: time.now + 1 });
  claims({ id: `${id}z`, asks: true });
  assert.deepEqual([renewed, channel.posted.length], [0, 3]);
  claims({ since: time.now - 1 });
  assert.equal(renewed, 1);
  claims({ id: "" });
  assert.equal(renewed, 2);
  assert.notEqual(remembered().token, token);
  window.dispatchEvent(new Event("pagehide"));
  assert.deepEqual([remembered().vacant, channel.closed], [true, true]);
  window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: false }));
  assert.equal(channels.length, 1);
  window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
  assert.equal(channels.length, 2);
  const copy = new OwnToken(() => {});
  let asked = false;
  void copy.asked.then(() => (asked = true));
  await time.pass(499);
  assert.equal(asked, false, "a copy waits for the first tab");
  await time.pass(1);
  assert.equal(asked, true);
  Object.assign(globalThis, { BroadcastChannel: undefined });
  await new OwnToken(() => {}).asked;
});

test("the file of results is fetched once for each reveal, and again if it did not come", async () => {
  fresh();
  let asked = 0;
  /** @type {Error | null} */
  let problem = null;
  const line = /** @type {Loose} */ ({
    get: async (/** @type {string} */ act) => {
      assert.equal(act, "results");
      asked += 1;
      if (problem) throw problem;
      return { blob: async () => new Blob(["x"]) };
    },
  });
  const file = new ResultsFile(line);
  assert.deepEqual([file.revealed, file.there, file.save()], [false, false, "headlight-answers.csv"]);
  problem = new TypeError("away");
  file.keep("q1");
  await settled();
  problem = null;
  file.keep("q1");
  file.keep("q1");
  await settled();
  assert.deepEqual([asked, file.revealed, file.there], [2, true, true]);
  file.keep("q2");
  await settled();
  assert.equal(asked, 3);
});

/** @param {object} [more] of the teacher @returns {Loose} */
function teaching(more = {}) {
  const posted = /** @type {unknown[]} */ ([]);
  const said = /** @type {unknown[]} */ ([]);
  const told = /** @type {unknown[]} */ ([]);
  const moves = /** @type {Loose} */ ({});
  /** @type {(Error | null)[]} */
  const problems = [];
  const teacher = {
    posted,
    said,
    told,
    problems,
    moves,
    code: "CDFGHJ",
    message: null,
    asked: null,
    text: keyed,
    line: {
      secret: "s",
      post: async (/** @type {unknown[]} */ ...all) => {
        posted.push(all);
        const problem = problems.shift();
        if (problem) throw problem;
      },
      get: async () => ({ json: async () => ({ question: { id: "q", phase: "reveal" } }) }),
    },
    bar: {
      say: (/** @type {unknown[]} */ ...all) => said.push(all),
      opened: () => said.push("opened"),
      failed: () => said.push("failed"),
    },
    opening: { make: async () => true },
    heartbeat: { ask: async () => true },
    question: { same: (/** @type {Loose} */ { own }) => own === true, truth: async () => 5 },
    page: {
      state: { present: "n=3" },
      leader: { lead: { reveal: null, silent: false }, tell: (/** @type {unknown} */ one) => told.push(one) },
      presence: {
        lesson: null,
        rules: { revealsAtOnce: () => false },
        onMove: (/** @type {unknown} */ then) => ((moves.move = then), () => (moves.over = "move")),
        onPoint: (/** @type {unknown} */ then) => ((moves.point = then), () => (moves.over += " point")),
      },
    },
    ...more,
  };
  return teacher;
}

test("the state of the class follows the teacher's page, after a reveal what came meanwhile", async () => {
  fresh();
  location.search = "";
  const teacher = teaching();
  const state = new ClassState(teacher, teacher);
  assert.deepEqual(state.present, { link: "n=3", hovered: null, lesson: null, locked: false });
  teacher.moves.move("n=4");
  await time.pass(1000);
  assert.deepEqual(teacher.posted, [["state", { link: "n=4", hovered: null }]]);
  teacher.moves.point({ row: 1 });
  await time.pass(100);
  teacher.moves.point({ row: 2 });
  await time.pass(149);
  assert.equal(teacher.posted.length, 1);
  await time.pass(1);
  assert.deepEqual(teacher.posted[1], ["state", { hovered: { row: 2 } }]);
  location.search = "?lesson=heads&step=2";
  document.dispatchEvent(new Event("headlight:step"));
  await time.pass(1000);
  assert.deepEqual(teacher.posted[2], ["state", { lesson: { name: "heads", step: 2 } }]);
  teacher.page.leader.lead.reveal = {};
  teacher.moves.move("n=5");
  teacher.moves.move("n=6");
  await time.pass(1000);
  assert.equal(teacher.posted.length, 3);
  teacher.page.leader.lead.reveal = null;
  state.release();
  await time.pass(1000);
  assert.deepEqual(teacher.posted[3], ["state", { link: "n=6", hovered: null }]);
  state.release();
  await time.pass(1000);
  assert.equal(teacher.posted.length, 4);
  teacher.problems.push(
    new TypeError("away"),
    new Refused(422, "too long", 0, null),
    new Refused(503, "busy", 2, null),
    null,
    new Refused(404, "none", 0, null),
  );
  state.set({ locked: true });
  await time.pass(999);
  assert.equal(teacher.posted.length, 5);
  await time.pass(1);
  assert.deepEqual([teacher.posted.length, teacher.said], [6, [["too long", true]]]);
  state.set({ locked: false });
  await time.pass(200 + 1999);
  assert.equal(teacher.posted.length, 7);
  await time.pass(1);
  assert.equal(teacher.posted.length, 8);
  await time.pass(1000);
  state.set({ locked: true });
  await time.pass(200);
  assert.equal(teacher.posted.length, 10, "the room is made again, and told at once");
  await time.pass(1000);
  const act = state.without(async () => "done");
  state.set({ link: "n=9" });
  assert.equal(await act, "done");
  await time.pass(1000);
  assert.equal(teacher.posted.length, 10, "nothing goes while the room is being ended");
  await assert.rejects(
    state.without(async () => Promise.reject(new Refused(410, "over", 0, null))),
    /over/,
  );
  await time.pass(1000);
  assert.equal(teacher.posted.length, 10);
  await assert.rejects(
    state.without(async () => Promise.reject(new TypeError("away"))),
    /away/,
  );
  await time.pass(1000);
  assert.deepEqual(teacher.posted[10], [
    "state",
    { link: "n=9", hovered: null, lesson: { name: "heads", step: 2 }, locked: true },
  ]);
  teacher.code = "";
  state.set({ link: "n=10" });
  await time.pass(1000);
  assert.equal(teacher.posted.length, 11, "there is no room yet");
  state.end();
  state.set({ link: "n=11" });
  assert.equal(teacher.moves.over, "move point");
  assert.equal(state.present.link, "n=10");
});

test("a lesson of one's own is told with its words once they are known", async () => {
  fresh();
  remember({ locked: true });
  for (const [search, lesson, told] of /** @type {[string, Loose, unknown][]} */ ([
    ["?lesson=heads", null, { name: "heads", step: 1 }],
    ["?lesson=heads&step=x", null, null],
    ["?lesson=own&step=2", null, undefined],
    ["?lesson=own&step=2", { name: "own", step: 2, words: {} }, { name: "own", step: 2, words: {} }],
    ["?lesson=own&step=2", { name: "own", step: 1 }, undefined],
    ["?lesson=own&step=2", { name: "linked", step: 2 }, undefined],
  ])) {
    location.search = search;
    const teacher = teaching();
    teacher.page.presence.lesson = lesson;
    const state = new ClassState(teacher, teacher);
    if (search.endsWith("=x")) assert.ok(!state.present.lesson || state.present.lesson.name === "heads");
    else assert.deepEqual(state.present.lesson, told, search);
    assert.equal(state.present.locked, true);
    state.end();
  }
  location.search = "";
});

test("a room is opened once at a time, anew with what was asked, and never after the end", async () => {
  fresh();
  /** @type {Loose[]} */
  const asked = [];
  /** @type {Error | null} */
  let problem = null;
  const teacher = teaching({ code: "" });
  teacher.state = { present: { link: "n=3" }, sendAll: () => teacher.said.push("all") };
  let streams = 0;
  teacher.line.get = () => ((streams += 1), new Promise(() => {}));
  teacher.line.ask = async (/** @type {unknown[]} */ ...all) => {
    asked.push(all);
    if (problem) throw problem;
    return { json: async () => ({ code: "CDFGHJ", message: { revision: 1 } }) };
  };
  const messages = /** @type {unknown[]} */ ([]);
  teacher.told = (/** @type {unknown} */ one) => messages.push(one);
  const opening = new Opening(teacher, teacher);
  let events = 0;
  document.addEventListener("headlight:room", () => (events += 1));
  const question = { kind: "choice", text: "?", id: "q", phase: "closed", round: 2 };
  remember({ secret: "old", asked: /** @type {Loose} */ (question), first: 4, remote: "r" });
  problem = new Refused(409, "taken", 0, null);
  assert.equal(await opening.make(), false);
  assert.deepEqual(teacher.said, [["taken"], "failed"]);
  assert.notEqual(remembered().secret, "old");
  assert.equal(teacher.line.secret, remembered().secret);
  problem = new TypeError("away");
  assert.equal(await opening.make(), false);
  assert.deepEqual(teacher.said.slice(2), [["live.unanswered"], "failed"]);
  problem = null;
  const [one, other] = [opening.make(), opening.make()];
  assert.equal(one, other);
  assert.equal(await one, true);
  assert.deepEqual(asked[2], [
    "POST",
    "room",
    { state: { link: "n=3" }, remote: "r", question: { ...question, phase: "discuss", first: 4 } },
  ]);
  assert.equal(asked.length, 3);
  assert.deepEqual(
    [teacher.line.code, remembered().code, location.search, events],
    ["CDFGHJ", "CDFGHJ", "?room=CDFGHJ", 1],
  );
  assert.deepEqual([teacher.said.slice(4), messages, streams], [["opened", "all"], [{ revision: 1 }], 1]);
  teacher.code = "CDFGHJ";
  problem = new Refused(409, "taken", 0, null);
  const secret = remembered().secret;
  assert.equal(await opening.make(), false);
  assert.equal(remembered().secret, secret, "it is our own room");
  assert.equal(teacher.said.at(-1)[0], "taken");
  opening.end();
  assert.equal(await opening.make(), false);
  assert.equal(asked.length, 4);
  location.search = "";
});

test("a truth is computed under a veil, told, and a lost answer to it is looked up", async () => {
  fresh();
  const question = { id: "q", kind: "choice", text: "?", phase: "closed", round: 1, answers: ["a"] };
  const teacher = teaching({ asked: question });
  teacher.message = { question: null };
  teacher.told = (/** @type {Loose} */ message) => (teacher.message = message);
  const truths = new Truths(teacher, teacher);
  assert.deepEqual([truths.computing, truths.marked], [false, null]);
  truths.mark(1);
  assert.equal(truths.marked, 1);
  assert.equal(await truths.known(/** @type {Loose} */ (question)), 1);
  truths.mark(null);
  assert.equal(truths.marked, null);
  truths.compute(/** @type {Loose} */ (question), { truth: async () => 2, aside: async () => 3 });
  assert.deepEqual(
    [
      truths.computing,
      truths.computes(/** @type {Loose} */ ({ ...question, text: "!" })),
      truths.computes(/** @type {Loose} */ (question)),
    ],
    [true, false, true],
  );
  assert.equal(await truths.known(/** @type {Loose} */ (question)), 3);
  assert.equal(await truths.known(/** @type {Loose} */ ({ ...question, own: true })), null);
  teacher.page.presence.rules.revealsAtOnce = () => true;
  assert.equal(await truths.known(/** @type {Loose} */ ({ ...question, own: true })), 5);
  await truths.reckon("q");
  await truths.tell("q");
  assert.deepEqual(teacher.posted, [["phase", { question: "q", phase: "reveal", truth: 2 }]]);
  assert.deepEqual(teacher.told.mock, undefined);
  remember({ because: { en: "so" } });
  await truths.reckon("other");
  await truths.tell("q");
  assert.deepEqual(teacher.posted[1], ["phase", { question: "q", phase: "reveal", because: { en: "so" } }]);
});

test("why a reveal failed is said when it is over", async () => {
  fresh();
  const question = { id: "q", kind: "choice", text: "?", phase: "closed", round: 1 };
  const teacher = teaching({ asked: question });
  teacher.read = (/** @type {Loose} */ message) => (teacher.message = message);
  const events = teacher.told;
  const kept = { ...teacher, told: (/** @type {Loose} */ message) => (kept.message = message) };
  kept.page.leader.tell = (/** @type {unknown} */ one) => events.push(one);
  const truths = new Truths(kept, kept);
  truths.compute(/** @type {Loose} */ (question), {
    truth: async () => Promise.reject(new TypeError("x")),
    aside: async () => null,
  });
  await truths.reckon("q");
  assert.deepEqual(events, [{ type: "uncomputed", id: "q", final: true }]);
  truths.over();
  truths.over();
  assert.deepEqual(teacher.said, [["live.unanswered", true]]);
  kept.heartbeat.ask = async () => false;
  await truths.reckon("q");
  kept.page.leader.lead.silent = true;
  await truths.reckon("q");
  assert.deepEqual(events.slice(1), [
    { type: "uncomputed", id: "q", final: false },
    { type: "uncomputed", id: "q", final: false },
  ]);
  truths.over();
  assert.equal(teacher.said.length, 1);
  kept.page.leader.lead.silent = false;
  truths.compute(/** @type {Loose} */ (question), {
    truth: async () => Promise.reject(new Refused(422, "long", 0, null)),
    aside: async () => null,
  });
  await truths.reckon("q");
  truths.over();
  assert.deepEqual(
    [events.at(-1), teacher.said.at(-1)],
    [{ type: "uncomputed", id: "q", final: true }, ["long", true]],
  );
  kept.problems.push(
    new TypeError("away"),
    new Refused(404, "none", 0, null),
    new Refused(409, "late", 0, null),
    new Refused(409, "late", 0, null),
  );
  await truths.tell("q");
  await truths.tell("q");
  assert.deepEqual(events.slice(-2), [
    { type: "untold", id: "q", final: false },
    { type: "untold", id: "q", final: false },
  ]);
  const before = events.length;
  await truths.tell("q");
  assert.equal(events.length, before, "it is revealed already");
  await truths.tell("x");
  assert.deepEqual(events.at(-1), { type: "untold", id: "x", final: true });
  truths.over();
  assert.deepEqual(teacher.said.at(-1), ["late", true]);
});
