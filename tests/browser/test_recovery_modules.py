"""The scripts for recovery, one at a time, with a server that the test plays."""

import pytest

from tests.browser.modules import Module


def test_a_cell_whose_weights_did_not_come_can_be_clicked_again(module: Module) -> None:
    found = module(
        "pages/map/selection",
        """async (m) => {
          const weights = { average: new Float32Array(16).fill(0.25) };
          const tile = { extent: { left: 0, top: 0 }, rows: 4, columns: 4, weights };
          let answers = null;
          const model = { tokens: null, weights: { block: () => ({ rows: [2, 3], columns: [1, 2] }) } };
          const map = {
            sight: { model, head: 1, view: {} },
            questions: { singles: async () => answers },
            computation: { isComputing: false },
            asking: { waits: false },
          };
          const selection = new m.Selection({ text: (key) => key }, map, () => {});
          await selection.click({ row: 2, column: 1 });
          await selection.choosing;
          const away = [selection.marked, selection.status.textContent];
          answers = [tile];
          await selection.click({ row: 2, column: 1 });
          await selection.choosing;
          return [away, selection.chosen, selection.status.textContent];
        }""",
        None,
    )
    assert found == [
        [None, "map.nothing_chosen"],
        {"row": 2, "column": 1, "weight": 0.25, "largest": True},
        "map.chosen",
    ]


@pytest.mark.parametrize("meanwhile", ["nothing", "another map", "another cell"])
def test_a_cell_that_is_chosen_before_the_run_has_ended_is_asked_for_when_it_has(
    module: Module, meanwhile: str
) -> None:
    """A small map is painted whole while the server still counts its run."""
    found = module(
        "pages/map/questions",
        """async (m, meanwhile) => {
          const taken = [];
          const weights = { tile: () => taken.at(-1), take: (head, address, came) => taken.push(came) };
          const model = { ready: false, id: "one", weights };
          let end;
          const run = { running: true, over: () => new Promise((resolve) => { end = resolve; }) };
          const computation = { model, run };
          const questions = new m.Questions({}, computation, () => {});
          const asked = [];
          questions.tiles = async function* (wishes) { asked.push(wishes); yield "weights"; };
          const wanted = () => meanwhile !== "another cell";
          const tiles = questions.singles(1, [{ level: 0, row: 0, column: 0 }], wanted);
          const before = asked.length;
          if (meanwhile === "another map") computation.model = { ready: true };
          Object.assign(run, { running: false });
          model.ready = true;
          end();
          return [before, await tiles, asked.length];
        }""",
        meanwhile,
    )
    assert found == ([0, ["weights"], 1] if meanwhile == "nothing" else [0, None, 0])


def test_a_cell_chosen_while_the_run_goes_on_is_promised(module: Module) -> None:
    found = module(
        "pages/map/selection",
        """async (m) => {
          const model = { tokens: null, weights: { block: () => ({ rows: [2, 3], columns: [1, 2] }) } };
          const map = {
            sight: { model, head: 1, view: {} },
            questions: { waits: true, singles: async () => null },
            computation: { isComputing: false },
          };
          const selection = new m.Selection({ text: (key) => key }, map, () => {});
          const click = selection.click({ row: 2, column: 1 });
          const promised = selection.status.textContent;
          await click;
          await selection.choosing;
          return [promised, selection.status.textContent];
        }""",
        None,
    )
    assert found == ["map.chosen_soon", "map.nothing_chosen"]


def test_pages_that_fail_together_do_not_ask_again_together(module: Module) -> None:
    drawn = "(m) => [1, 2, 9].map((failures) => Array.from({ length: 50 }, () => m.backOff(failures)))"
    found = module("server/backoff", drawn, None)
    for delays, mean in zip(found, (500, 1000, 4000), strict=True):
        assert len(set(delays)) > 25
        assert all(0.5 * mean <= delay < 1.5 * mean for delay in delays)


def test_every_page_waits_so(module: Module) -> None:
    """The script that waits for a lost server spreads its delays, too."""
    delays = module(
        "page/comeback",
        """(m) => new Promise((resolve) => {
          const delays = [], soon = window.setTimeout;
          window.setTimeout = (call, delay) => { delays.push(delay); return soon(call); };
          m.whenBack({ alive: async () => delays.length >= 40 }, () => {
            window.setTimeout = soon;
            resolve(delays);
          });
        })""",
        None,
    )
    assert len(set(delays)) > 25


def test_what_a_visitor_reads_of_a_problem(module: Module) -> None:
    found = module(
        "server/server",
        """(m) => {
          const shown = Object.assign(new m.Refusal("Seen."), { shown: true });
          const broken = new DOMException("", "TimeoutError");
          const all = [new TypeError("Failed to fetch"), new Error("503"), broken, new m.Refusal("No."), shown];
          return all.map((problem) => m.sentence(problem, (key) => key));
        }""",
        None,
    )
    assert found == ["live.unanswered", "live.unanswered", "live.unanswered", "No.", None]


def test_a_map_s_questions_are_asked_again_unless_the_answer_is_final(module: Module) -> None:
    found = module(
        "pages/map/questions",
        """async (m) => {
          const loaded = performance.getEntriesByType("resource");
          const base = loaded.find(({ name }) => name.endsWith("/js/server/server.js")).name;
          const { Refusal } = await import(base);
          const sentences = [];
          const page = { text: (key) => key, message: { fail: (sentence) => sentences.push(sentence) } };
          const questions = new m.Questions(page, { model: null, run: { running: false } }, () => {});
          const problems = [new Error("502"), new Refusal("Busy.", true), new Refusal("No.")];
          const again = problems.map((one) => questions.failed(one));
          return [again, sentences];
        }""",
        None,
    )
    assert found == [[True, True, False], ["map.lost", "Busy.", "No."]]


def test_the_newest_file_is_used_whatever_is_answered_last(module: Module) -> None:
    found = module(
        "page/upload",
        """async (m) => {
          const [answers, used, root] = [new Map(), [], document.createElement("div")];
          const answered = (name) => {
            const file = { hash: name, structure: { file: { $: 0 } }, values: [{ t: "u1", s: [1], at: 0 }] };
            const text = new TextEncoder().encode(JSON.stringify({ part: "upload", message: name, file, bytes: 1 }));
            answers.get(name)(new Response(new Blob([new Uint32Array([text.length]), text, name])));
          };
          const page = {
            text: (key) => key, settings: { uploadLimit: 99, page: "explore" }, state: { values: { lang: "en" } },
            message: { fail: () => {} }, updates: { rules: {} },
            server: { send: (path, { name }) => new Promise((resolve) => answers.set(name, resolve)) },
          };
          m.uploadBox(root, page, (file) => used.push(new TextDecoder().decode(file)));
          const input = root.querySelector("input");
          const give = (name) => {
            const chosen = new DataTransfer();
            chosen.items.add(new File(["?"], name));
            input.files = chosen.files;
            input.dispatchEvent(new Event("change"));
          };
          const soon = () => new Promise((resolve) => setTimeout(resolve, 20));
          give("a");
          give("b");
          answered("b");
          await soon();
          answered("a");
          await soon();
          return [used, root.querySelector("#upload-said").textContent];
        }""",
        None,
    )
    assert found == [["b"], "b"]


def test_a_large_body_has_the_time_that_a_slow_line_needs(module: Module) -> None:
    """16 MB at 1 Mbit/s take more than two minutes; a server counts as lost after 45 s of silence."""
    silences = module(
        "server/request",
        """async (m) => {
          const silences = [], [soon, get] = [window.setTimeout, window.fetch];
          window.setTimeout = (call, delay) => { silences.push(delay); };
          window.fetch = async () => new Response(null, { status: 204 });
          try {
            for (const body of [undefined, new Uint8Array(16e6), new Blob([new Uint8Array(16e6)])]) {
              await m.request("", { body }, { patience: 45000 });
            }
          } finally {
            Object.assign(window, { setTimeout: soon, fetch: get });
          }
          return silences;
        }""",
        None,
    )
    assert silences == [45000, 45000, 45000 + 1e6, 45000, 45000 + 1e6, 45000]


def test_a_run_s_pulse_begins_when_a_large_question_can_have_been_sent(module: Module) -> None:
    waits = module(
        "server/pulse",
        """(m) => {
          const waits = [], soon = window.setTimeout;
          window.setTimeout = (call, delay) => { waits.push(delay); };
          try {
            const pulse = new m.Pulse(async () => true, () => {}, 90000);
            pulse.heard();
            pulse.begin();
          } finally {
            window.setTimeout = soon;
          }
          return waits;
        }""",
        None,
    )
    assert waits == [120000, 30000, 120000]
