/** The teacher's end of the remote: what it tells while and after an act of the room. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { standIn } from "./stand_in.mjs";

const { document } = standIn("?n=5");
Object.assign(document, { hidden: false, querySelector: () => null, getElementById: () => null });
Object.assign(globalThis, {
  HTMLButtonElement: class {},
  BroadcastChannel: undefined,
  MutationObserver: class {
    observe() {}
    disconnect() {}
  },
});
const { RemoteEnd } = await import("../../assets/js/room/remote_end.js");

/** Milliseconds after which whatever rests has been told. */
const RESTED = 400;
const rest = () => new Promise((done) => setTimeout(done, RESTED));

/** Return the end of a remote that is there, and the words that are posted to it. */
function remote() {
  /** @type {string[]} */
  const posts = [];
  const bar = { root: {}, card: { querySelector: () => null }, status: { textContent: "open" } };
  const room = {
    code: "ABCDEF",
    message: { life: "1" },
    page: { presence: { lesson: { name: "none", step: 1 }, room: { voting: () => false } } },
    line: { post: async (/** @type {string} */ name) => void posts.push(name) },
  };
  const end = new RemoteEnd(/** @type {Loose} */ (room), /** @type {Loose} */ (bar), () => {});
  end.heard(/** @type {Loose} */ ({ remote: { right: "right", commands: [] }, life: "1" }));
  return { end, posts, bar };
}

test("a room that is to end hears no word for the remote, of before or of meanwhile", async () => {
  const { end, posts, bar } = remote();
  await rest();
  assert.deepEqual(posts, ["shown"]);
  bar.status.textContent = "closed";
  end.heard(/** @type {Loose} */ ({ remote: { right: "right", commands: [] }, life: "1" }));
  await end.without(rest);
  await rest();
  assert.deepEqual(posts, ["shown"]);
  end.end();
});

test("if the room does not do it, the remote is told all again", async () => {
  const { end, posts } = remote();
  await rest();
  await assert.rejects(
    end.without(() => Promise.reject(new Error("refused"))),
    /refused/,
  );
  await rest();
  assert.deepEqual(posts, ["shown", "shown"]);
  end.end();
});
