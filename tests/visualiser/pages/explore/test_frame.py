"""Explore's updates: a light one leaves out tables and sentences, and its pictures are the same."""

from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import CHOICES, STAGES, Cancelled
from attention_core.cancellation import stopping
from tests.visualiser.pieces import opened
from visualiser.locale import LANGUAGES
from visualiser.pages.explore.frame import PANELS, frame
from visualiser.server.live.asking import Ask

TOLD = {"tables", "summaries", "insight", "arithmetic"}
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
        "colour_range": st.sampled_from(["shared", "per_head"]),
        "source": st.sampled_from(["gaussian", "structured", "text"]),
        "pin": st.sampled_from(["?", "n=5&scaling=none", "h=2&mask=causal"]),
        **{name: st.sampled_from(CHOICES[name]) for name in ("mechanism", "scaling", "mask", "dtype")},
        "stage": st.sampled_from(STAGES),
    },
).map(urlencode)


def asked(query: str, **extra: Any) -> list[tuple[dict[str, Any], bytes]]:
    """Return header and blocks of each part of a frame."""
    return [opened(part) for part in frame(Ask(query, "n=4", frozenset(), b"", "en", "light", 0, "", extra))]


@settings(max_examples=40, deadline=None)
@given(query=STATES)
def test_a_light_frame_holds_the_pictures_of_the_full_one(query: str) -> None:
    (maps, cells), (panels, blocks) = asked(query)
    (light_maps, light_cells), (light_panels, light_blocks) = asked(query, light=True)
    assert (maps.pop("light"), light_maps.pop("light")) == (False, True)
    assert light_maps == maps
    assert light_cells == cells
    assert list(panels["drawings"]) == list(PANELS)
    assert light_panels["drawings"] == panels["drawings"]
    assert blocks.startswith(light_blocks)  # the pictures come first, the tables behind them
    assert panels.keys() - light_panels.keys() == TOLD


def test_only_true_asks_for_a_light_frame() -> None:
    for said in (False, None, 1, "true"):
        (maps, _), (panels, _) = asked("n=4&h=1", light=said)
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
            parts = frame(Ask("n=4&h=1", None, frozenset(), b"", "en", "light", 0, "", {"light": light}))
            if most > 1000:
                assert len(list(parts)) == 2
            else:
                with pytest.raises(Cancelled):
                    list(parts)
        return asked_for

    whole = looks(10_000)
    assert whole >= len(PANELS) + (0 if light else len(PANELS) + 1)
    assert [looks(most) for most in range(1, whole + 1)] == list(range(1, whole + 1))
