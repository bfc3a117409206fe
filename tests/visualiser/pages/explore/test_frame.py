"""Explore's updates: a light one leaves out tables and sentences, and its pictures are the same."""

import json
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import CHOICES, STAGES, Cancelled
from attention_core.cancellation import stopping
from tests.draws import cases
from tests.visualiser.pieces import opened
from visualiser.drawing.drawing import Drawing
from visualiser.figures.figure import Figure
from visualiser.locale import LANGUAGES
from visualiser.pages.explore import PANELS, ROW
from visualiser.pages.explore.frame import frame, row
from visualiser.server.live.page_request import PageRequest

TOLD = {"tables", "summaries", "insight", "arithmetic", "offer"}
STATES = st.fixed_dictionaries(
    {"n": st.integers(2, 9), "h": st.integers(1, 3), "lang": st.sampled_from(LANGUAGES)},
    optional={
        "d_k": st.integers(1, 24),
        "seed": st.integers(0, 9),
        "row": st.integers(0, 8),
        "head": st.integers(0, 3),
        "window": st.integers(1, 9),
        "columns": st.integers(0, 8),
        "colour": st.sampled_from(["linear", "log"]),
        "colour_range": st.sampled_from(["quantile", "full", "per_head"]),
        "source": st.sampled_from(["gaussian", "structured", "text"]),
        "pin": st.sampled_from(["?", "n=5&scaling=none", "h=2&mask=causal"]),
        **{name: st.sampled_from(CHOICES[name]) for name in ("mechanism", "scaling", "mask", "dtype")},
        "stage": st.sampled_from(STAGES),
    },
).map(urlencode)

NAMES, OF_ROW = [figure.name for figure in PANELS], [figure.name for figure in ROW]


def asked(query: str, **extra: Any) -> list[tuple[dict[str, Any], bytes]]:
    """Return header and blocks of each part of a frame."""
    return [opened(part) for part in frame(PageRequest(query, "n=4", frozenset(), b"", "en", "light", 0, "", extra))]


@pytest.mark.slow
@settings(max_examples=cases(40), deadline=None)
@given(query=STATES)
def test_a_light_frame_holds_the_pictures_of_the_full_one(query: str) -> None:
    (maps, cells), (panels, blocks) = asked(query)
    (light_maps, light_cells), (light_panels, light_blocks) = asked(query, light=True)
    assert (maps.pop("light"), light_maps.pop("light")) == (False, True)
    assert light_maps == maps
    assert light_cells == cells
    assert list(panels["drawings"]) == [*NAMES, *(OF_ROW if "row=" in query else ())]
    assert light_panels["drawings"] == panels["drawings"]
    assert blocks.startswith(light_blocks)  # the pictures come first, the tables behind them
    assert panels.keys() - light_panels.keys() == TOLD


def test_the_figures_of_a_row_are_not_computed_for_a_row_that_nobody_chose(monkeypatch: pytest.MonkeyPatch) -> None:
    """A frame without a locked row costs no Jacobian: n² cells."""
    calls: list[str] = []
    drawing = Figure.drawing

    def noted(figure: Any, result: Any, view: Any) -> Drawing:
        calls.append(figure.name)
        return drawing(figure, result, view)

    monkeypatch.setattr(Figure, "drawing", noted)
    _, (panels, _) = asked("n=4&h=1")
    assert calls == ["heat-maps", *NAMES]
    assert not panels["tables"].keys() & set(OF_ROW)
    calls.clear()
    _, (panels, _) = asked("n=4&h=1&row=2")
    assert calls == ["heat-maps", *NAMES, "row-weights", "jacobian"]
    assert panels["tables"].keys() > set(OF_ROW)


def test_the_weights_of_a_row_of_a_are_beside_b_s_if_a_has_that_row() -> None:
    """A of four queries has a row 3 and no row 6."""

    def shown(row: int) -> str:
        _, (panels, _) = asked(f"n=8&h=1&row={row}&pin=n%3D4%26h%3D1")
        return json.dumps(panels["drawings"]["row-weights"]["structure"])

    assert "A, pinned" in shown(3)
    assert "A, pinned" not in shown(6)


def test_only_true_asks_for_a_light_frame() -> None:
    for light in (False, None, 1, "true"):
        (maps, _), (panels, _) = asked("n=4&h=1", light=light)
        assert maps["light"] is False
        assert panels.keys() >= TOLD


@pytest.mark.parametrize("light", [True, False])
def test_a_frame_whose_asker_has_left_stops_between_any_two_steps(light: bool) -> None:
    def looks(most: int) -> int:
        """Return the number of times a frame asks if it should stop; the answer is yes at the time `most`."""
        asked_for = 0

        def left() -> bool:
            nonlocal asked_for
            asked_for += 1
            return asked_for >= most

        with stopping(left):
            parts = frame(PageRequest("n=4&h=1", None, frozenset(), b"", "en", "light", 0, "", {"light": light}))
            if most > 1000:
                assert len(list(parts)) == 2
            else:
                with pytest.raises(Cancelled):
                    list(parts)
        return asked_for

    whole = looks(10_000)
    assert whole >= len(PANELS) + (0 if light else len(PANELS) + 1)
    assert [looks(most) for most in range(1, whole + 1)] == list(range(1, whole + 1))


@pytest.mark.parametrize(
    ("pin", "pinned"), [({}, False), ({"pin": "n=5"}, False), ({"pin": "n=5&normalisation=sink"}, True)]
)
@pytest.mark.parametrize("stage", STAGES)
def test_a_row_tells_its_sink_beside_the_keys(stage: str, pin: dict[str, str], pinned: bool) -> None:
    link = urlencode({"n": 5, "h": 2, "normalisation": "sink", "sink": 2, "stage": stage, **pin})
    asked_row = PageRequest(link, "", frozenset(), b"", "en", "light", 0, "", {"row": 3})
    (header, blocks), *_ = [opened(part) for part in row(asked_row)]
    entry = header["row"]
    structure = entry["structure"]
    found = {name: entry["values"][at["$"]] for name, at in structure.items() if isinstance(at, dict)}
    assert found["stage"]["s"] == [2, 5]  # the keys alone
    assert ("sink" in found, "pinned_sink" in found) == (stage == "weights", stage == "weights" and pinned)
    if stage == "weights":
        weights, sinks = (
            np.frombuffer(blocks, found[name]["t"], np.prod(found[name]["s"]), found[name]["at"])
            for name in ("stage", "sink")
        )
        np.testing.assert_allclose(weights.reshape(2, 5).sum(-1) + sinks, 1, atol=1e-6)
