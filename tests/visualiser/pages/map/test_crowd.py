"""Many visitors who make and read maps at once: the store keeps its bounds, and each answer is of the asked map."""

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, Final

import pytest

from attention_core import AttentionConfig, AttentionResult, InvalidInput, compute
from tests import draws
from tests.visualiser.pieces import opened
from visualiser.maps.kept import expected_bytes
from visualiser.pages.map import answers, files, passes, predicted, price, rows, tiles
from visualiser.pages.map.store import Store
from visualiser.server.admission.clients import Client
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.runs import Run

pytestmark = pytest.mark.slow

VISITORS: Final = 8
MOST_MAPS: Final = 3
HEAD, ROW = 2, 57


class Watched(Store):
    """A store that notes the most maps and bytes that it ever had."""

    most_seen = (0, 0)

    def put(self, *given: Any) -> None:
        super().put(*given)
        with self._lock:
            here = (len(self._kept), sum(entry.bytes for entry in self._kept.values()))
            self.most_seen = tuple(map(max, self.most_seen, here))


def request(query: str, visitor: int, **extra: Any) -> PageRequest:
    client = Client(f"192.0.2.{visitor % 4}", f"tab {visitor}")  # two tabs of each address
    return PageRequest(f"page=map&{query}", None, frozenset(), b"", "en", "light", 0, "", extra, "map", client)


def headers(pieces: Any) -> list[dict[str, Any]]:
    return [opened(piece)[0] for piece in pieces]


@cache
def dense(query: str) -> AttentionResult:
    return compute(passes.subject(request(query, 0))[0].config)


def test_under_a_crowd_maps_leave_and_no_answer_is_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    queries = [f"n={211 + 2 * number}&h=3&d_k=7&seed={number}" for number in range(draws.cases(96))]
    n = 211 + 2 * len(queries)
    most_bytes = 2 * expected_bytes(AttentionConfig(n=n, h=3, d_k=7, source="structured"), 3, n, n, 7)
    store = Watched(entries=MOST_MAPS, most_bytes=most_bytes, idle=600.0)
    for module in (passes, rows, tiles, files, predicted, price):
        monkeypatch.setattr(module, "STORE", store)
    start, seen = threading.Barrier(VISITORS), list[str]()

    def visit(visitor: int) -> None:
        start.wait(30)
        for number in range(visitor, len(queries) * 2, VISITORS):
            query = queries[number % len(queries)]
            result = dense(query)
            try:
                *_, last = headers(passes.run(request(query, visitor), Run()))
            except InvalidInput as problem:  # every other map is young
                seen.append(problem.code)
                continue
            for _ in range(3):
                asked = request(query, visitor, id=last["id"], head=HEAD, row=ROW)
                (answer,) = headers(answers.QUESTIONS["row"](asked))
                if answer["part"] == "error":
                    assert (answer["gone"], answer["reason"] in ("crowded", "replaced")) == (True, True)
                    seen.append(answer["reason"])
                else:
                    weights = result.weights[HEAD - 1, ROW]
                    assert answer["statistics"]["largest_at"] == int(weights.argmax())
                    assert answer["statistics"]["entropy"] == pytest.approx(
                        float(result.entropy[HEAD - 1, ROW]), rel=1e-4
                    )
                    seen.append("answered")

    with ThreadPoolExecutor(VISITORS) as pool:
        for each in [pool.submit(visit, visitor) for visitor in range(VISITORS)]:
            each.result(300)
    refused = seen.count("map_no_room")
    assert len(seen) == 3 * (2 * len(queries) - refused) + refused  # each is answered
    assert "answered" in seen
    assert 1 < store.most_seen[0] <= MOST_MAPS
    assert most_bytes / 2 < store.most_seen[1] <= most_bytes


def test_questions_make_no_map_larger(monkeypatch: pytest.MonkeyPatch) -> None:
    query = "n=211&h=3&d_k=7"
    store = Store()
    for module in (passes, rows, tiles, files, predicted, price):
        monkeypatch.setattr(module, "STORE", store)
    *_, last = headers(passes.run(request(query, 0), Run()))
    name = last["id"]
    before, parts_before = store.bytes, set(vars(store.get(name).statistics))
    for question, extra in (
        ("row", {"head": HEAD, "row": ROW}),
        ("tiles", {"head": HEAD, "level": 0, "tiles": [[0, 0], [1, 1]]}),
        ("csv", {"head": HEAD, "row": ROW}),
        ("npz", {}),
    ):
        assert headers(answers.QUESTIONS[question](request(query, 0, id=name, **extra)))
    assert store.get(name).bytes == before == store.bytes
    assert set(vars(store.get(name).statistics)) == parts_before
