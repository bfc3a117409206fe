"""A map whose pass, tiles, rows and files are computed on "cuda", in name: the same parts as on the CPU."""

import math
from collections.abc import Iterator
from typing import Any

import pytest

from attention_core import device
from tests.pretended_gpu import CUDA, pretended_gpu
from tests.visualiser.pieces import header, opened
from visualiser import gpu
from visualiser.pages.map import answers, calibration, passes
from visualiser.pages.map.store import STORE
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.runs import Run


@pytest.fixture(autouse=True)
def _gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let everything be computed on "cuda" where that is there."""
    monkeypatch.setattr(gpu, "available", lambda: device.available())
    monkeypatch.setattr(gpu, "_crossings", {"cuda": 0.0})
    monkeypatch.setitem(calibration._known, "cuda", (calibration.Speed((1e-8, 2e-8), 2.0), math.inf))
    yield
    for name in tuple(STORE._kept):
        STORE.drop(name)


def asked(query: str, **extra: Any) -> PageRequest:
    return PageRequest(f"page=map&{query}", None, frozenset(), b"", "en", "light", 0, "", extra, "map")


def made(query: str) -> tuple[list[bytes], str]:
    """Return the numbers of a map's parts and of every answer about it, and the device that it is kept on."""
    *_, last = found = list(passes.run(asked(query), Run()))
    name = header(last)["id"]
    questions = {
        "tiles": {"head": 1, "level": 1, "tiles": [[0, 0]]}, "row": {"head": 1, "row": 3, "left": 0, "right": 40},
        "npz": {}, "csv": {},
    }  # fmt: skip
    for question, extra in questions.items():
        found += answers.QUESTIONS[question](asked(query, id=name, **extra))
    return found, str(STORE.get(name).Q.device)


@pytest.mark.slow
@pytest.mark.night(but=1)
@pytest.mark.parametrize(
    "query", ["n=300&h=2&d_k=4&tie=false", "n=200&h=2&d_k=4&tie=false&mask=causal&normalisation=sigmoid"]
)
def test_a_map_has_the_same_numbers(query: str) -> None:
    expected, place = made(query)
    assert place == "cpu"
    with pretended_gpu() as left:
        found, place = made(query)
        assert place == str(CUDA)
        assert left.copied
    assert len(found) == len(expected)
    assert {header(part)["part"] for part in found} >= {"overview", "strips", "tile", "figures", "file"}
    for ours, theirs in zip(found, expected, strict=True):
        mine, other = header(ours), header(theirs)
        assert mine.keys() == other.keys()
        if mine["part"] not in ("rows", "ended", "map", "file"):
            assert opened(ours)[1] == opened(theirs)[1], mine["part"]
