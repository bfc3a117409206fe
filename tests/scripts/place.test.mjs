/** A page's word about whether it follows: the last one arrives, and none once the room is over. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Place } from "../../assets/js/room/place.js";

/** Let all ready work finish. */
const settled = () => new Promise((resolve) => setImmediate(() => resolve(null)));

for (const over of [false, true]) {
  test(`of quick changes the last is said${over ? ", unless the room is over by then" : ""}`, async () => {
    /** @type {unknown[]} */
    const heard = [];
    /** @type {(() => void)[]} */
    const timers = [];
    const line = {
      left: false,
      post: async (/** @type {string} */ _, /** @type {unknown} */ fields) => heard.push(fields),
    };
    let now = 0;
    const clock = { now: () => now, later: (/** @type {() => void} */ then) => timers.push(then) };
    const place = new Place(
      /** @type {import("../../assets/js/room/line.js").Line} */ (/** @type {unknown} */ (line)),
      false,
      clock,
    );
    place.tell(true);
    place.tell(false);
    place.tell(true);
    place.tell(false);
    await settled(); // the first word has arrived
    if (over) place.end();
    now = 1000;
    for (const then of timers.splice(0)) then();
    await settled();
    assert.deepEqual(heard, over ? [{ left: true }] : [{ left: true }, { left: false }]);
  });
}
