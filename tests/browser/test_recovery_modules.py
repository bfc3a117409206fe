"""What recovers, one script at a time, over a server that the test plays."""

from collections.abc import Callable
from typing import Any

Module = Callable[[str, str, Any], Any]


def test_a_cell_whose_weights_did_not_come_can_be_clicked_again(module: Module) -> None:
    found = module(
        "map/selection",
        """async (m) => {
          const weights = { average: new Float32Array(16).fill(0.25) };
          const tile = { extent: { left: 0, top: 0 }, rows: 4, columns: 4, weights };
          let answers = null;
          const model = { tokens: null, block: () => ({ rows: [2, 3], columns: [1, 2] }) };
          const page = { text: (key) => key, questions: { singles: async () => answers } };
          const selection = new m.Selection({ page, model, head: 1, view: {}, mark: () => {} });
          await selection.click({ row: 2, column: 1 });
          await selection.choosing;
          const away = [selection.marked, selection.said.textContent];
          answers = [tile];
          await selection.click({ row: 2, column: 1 });
          await selection.choosing;
          return [away, selection.chosen, selection.said.textContent];
        }""",
        None,
    )
    assert found == [[None, "map.nothing_chosen"], {"row": 2, "column": 1, "weight": 0.25}, "map.chosen"]


def test_pages_that_fail_together_do_not_ask_again_together(module: Module) -> None:
    found = module(
        "backoff", "(m) => [1, 2, 9].map((failures) => Array.from({ length: 50 }, () => m.backOff(failures)))", None
    )
    for delays, mean in zip(found, (500, 1000, 4000), strict=True):
        assert len(set(delays)) > 25
        assert all(0.5 * mean <= delay < 1.5 * mean for delay in delays)


def test_every_page_waits_so(module: Module) -> None:
    """The delays of a server that stays away, as the script that waits for its return asks for them."""
    delays = module(
        "comeback",
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
