"""A run's script alone, with an answer and a server that the test plays, in every order of events."""

from collections.abc import Callable
from typing import Any

import pytest

Play = Callable[[str], Any]

STAGE = """async (m) => {
  const root = document.createElement("div");
  const [paths, asked, heard, updates] = [[], [], [], []];
  let out;
  const marks = new Map();
  const server = {
    address: () => "",
    ask: async () => new Response(new ReadableStream({ start(controller) { out = controller; } })),
    tell: (path) => new Promise((resolve, reject) => { paths.push(path); asked.push({ resolve, reject }); woken?.(); }),
    alive: async () => true,
  };
  let woken;
  const page = {
    text: (key, fields = {}) => [key, ...Object.values(fields)].join(" "),
    settings: { page: "train" }, figures: { known: new Map() }, state: { present: "" },
    updates: { body: () => ({}), rules: { enclosed: () => null }, again: () => { updates.push("n=5"); } },
    message: { fail: (sentence) => heard.push(sentence) }, server,
  };
  const onPart = ({ header }) => { heard.push(header.part); marks.get(header.part)?.(); };
  let over;
  const run = new m.Run(root, page, { pausable: true, onPart, onEnd: (how) => over?.(how) });
  const part = (header) => {
    const text = new TextEncoder().encode(JSON.stringify({ bytes: 0, ...header }));
    out.enqueue(new Uint8Array([...new Uint8Array(new Uint32Array([text.length]).buffer), ...text]));
  };
  /** Sends parts and waits until the page has taken them. */
  const send = async (...headers) => {
    for (const header of headers) part(header);
    const mark = `mark ${heard.length} ${Math.random()}`;
    const taken = new Promise((resolve) => marks.set(mark, resolve));
    part({ part: mark });
    await taken;
    heard.splice(heard.indexOf(mark), 1);
  };
  /** Waits until the server is told something, and answers it. */
  const answer = async (status) => {
    while (!asked.length) await new Promise((resolve) => { woken = resolve; });
    const { resolve, reject } = asked.shift();
    if (status) resolve(new Response(null, { status }));
    else reject(new TypeError("gone"));
    await new Promise((resolve) => setTimeout(resolve));
  };
  const end = () => new Promise((resolve) => { over = resolve; });
  const now = () => [run.state, run.status.textContent, run.hold.textContent, run.hold.hidden];
  run.start();
  await new Promise((resolve) => setTimeout(resolve));
  await send({ part: "began", run: "here.one" }, { part: "progress", done: 0.25, seconds_left: 40 });
  STEPS
}"""

RUNNING = ["running", "run.left 40", "run.pause", False]


@pytest.fixture
def play(module: Callable[[str, str, Any], Any]) -> Play:
    return lambda steps: module("page/run", STAGE.replace("STEPS", steps), None)


def test_what_comes_after_the_pause_moves_the_bar_and_not_the_sentence(play: Play) -> None:
    found = play("""
      const states = [now()];
      run.hold.click();
      await answer(204);
      states.push(now());
      await send({ part: "progress", done: 0.5, seconds_left: 25 });
      states.push([...now(), run.bar.value]);
      run.hold.click();
      await answer(204);
      states.push(now());
      await send({ part: "progress", done: 0.6, seconds_left: 20 });
      states.push(now());
      return { states, paths };""")
    paused = ["paused", "run.paused", "run.resume", False]
    resumed = ["running", "", "run.pause", False]
    assert found["states"] == [RUNNING, paused, [*paused, 0.5], resumed, ["running", "run.left 20", "run.pause", False]]
    assert found["paths"] == ["runs/here.one/pause", "runs/here.one/resume"]


def test_beats_reach_nobody(play: Play) -> None:
    found = play("""
      await send({ part: "beat" }, { part: "figures" }, { part: "beat" });
      return { heard, now: now() };""")
    assert found == {"heard": [None, "progress", "figures"], "now": RUNNING}


def test_a_pause_that_no_server_understands_leaves_the_run_as_it_is_and_says_so(play: Play) -> None:
    found = play("""
      run.hold.click();
      for (let tries = 0; tries < 4; tries += 1) await answer(404);
      const states = [now()];
      await send({ part: "progress", done: 0.5, seconds_left: 25 });
      states.push(now());
      run.hold.click();
      await answer(404);
      await answer(204);
      states.push(now());
      return { states, paths: paths.length };""")
    assert found == {
        "states": [
            ["running", "run.unknown", "run.pause", False],
            ["running", "run.left 25 run.unknown", "run.pause", False],
            ["paused", "run.paused", "run.resume", False],
        ],
        "paths": 6,
    }


def test_a_pause_that_no_server_hears_leaves_the_run_as_it_is(play: Play) -> None:
    found = play("run.hold.click(); await answer(null); return now();")
    assert found == ["running", "run.unanswered", "run.pause", False]


def test_a_pause_of_a_run_that_has_just_ended_says_nothing_while_its_last_parts_come(play: Play) -> None:
    found = play("""
      const ended = end();
      run.hold.click();
      await answer(200);
      const meanwhile = [...now(), paths.length];
      part({ part: "ended" });
      out.close();
      return [...meanwhile, await ended];""")
    assert found == [*RUNNING, 1, "ended"]


def test_a_pause_that_is_answered_after_the_end_changes_nothing(play: Play) -> None:
    found = play("""
      run.hold.click();
      const ended = end();
      part({ part: "ended" });
      out.close();
      const how = await ended;
      await answer(204);
      return [how, ...now()];""")
    assert found == ["ended", "ended", "run.ended", "run.pause", True]


@pytest.mark.parametrize("break_off", ["out.close()", "out.error(new TypeError('reset'))"])
def test_an_answer_that_ends_too_early_is_a_lost_run(play: Play, break_off: str) -> None:
    found = play(f"""
      const ended = end();
      {break_off};
      const how = await ended;
      while (!updates.length) await new Promise((resolve) => setTimeout(resolve));
      return {{ how, now: now(), go: [run.go.textContent, run.go.hidden, run.stop.hidden], updates, heard }};""")
    assert found == {
        "how": "lost",
        "now": ["lost", "run.lost", "run.pause", True],
        "go": ["run.again", False, True],
        "updates": ["n=5"],
        "heard": [None, "progress"],
    }


def test_a_run_that_the_server_ended_with_a_sentence_is_not_lost(play: Play) -> None:
    found = play("""
      const ended = end();
      part({ part: "error", message: "too many" });
      out.close();
      return [await ended, ...now(), ...heard];""")
    assert found == ["failed", "failed", "", "run.pause", True, None, "progress", "too many"]


def test_a_tab_that_closes_ends_its_run(play: Play) -> None:
    sent = play("""
      const sent = [];
      server.address = (path) => path;
      // other tests left runs on this page, which have no address here
      navigator.sendBeacon = (address) => address && sent.push(address);
      window.dispatchEvent(new Event("pagehide"));
      const ended = end();
      await send({ part: "ended" });
      out.close();
      await ended;
      window.dispatchEvent(new Event("pagehide"));
      return sent;
    """)
    assert sent == ["runs/here.one/cancel"], "once: a run that has ended is nobody's to cancel"


def test_what_a_replaced_run_still_sends_is_not_heard(play: Play) -> None:
    found = play("""
      const older = out;
      run.start();
      await new Promise((resolve) => setTimeout(resolve));
      const newer = out;
      out = older;
      part({ part: "late" });
      out = newer;
      await send({ part: "began", run: "here.two" }, { part: "progress", done: 0.5, seconds_left: 7 });
      return [heard.includes("late"), ...now()];
    """)
    assert found == [False, "running", "run.left 7", "run.pause", False]


def test_who_waits_for_the_end_hears_of_it_once_nothing_runs(play: Play) -> None:
    found = play("""
      const seen = [];
      const heardOf = run.over().then(() => seen.push(run.state));
      await send({ part: "progress", done: 0.5, seconds_left: 25 });
      const before = [...seen];
      const ended = end();
      await send({ part: "ended" });
      out.close();
      await Promise.all([ended, heardOf, run.over()]);
      return [before, seen];
    """)
    assert found == [[], ["ended"]]
