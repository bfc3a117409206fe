"""What the Map's scripts work out as the server does: its links, the ends of its colours, its tiles."""

from typing import Any

import pytest
import torch

from tests.in_node import in_node
from visualiser.drawing.colour import colour_range
from visualiser.pages.map.tiles import AT_ONCE, SIDE
from visualiser.state import parameters, share

pytestmark = pytest.mark.slow

MOVES: list[tuple[str, dict[str, Any]]] = [
    ("page=map", {"across": 31.25, "left": 100, "top": 0.5}),
    ("page=map&n=1024&seed=7&lang=ko", {"row": 0, "head": 3, "pooling": "maximum"}),
    ("page=map&n=1024&row=5&colour=linear&across=64&left=3", {"row": None, "across": 0, "left": 0}),
    ("page=map&source=text&text=a%2Bb+%C3%A9+%2A&split=words", {"colour": "linear", "row": 1}),
]


def test_the_link_of_a_moved_window_is_the_servers_own() -> None:
    """The browser's own link is the one that `share.canonical` would return."""
    first = share.State(parameters.beginning("map"), parameters.first_view("map"), own=parameters.first_values("map"))
    before = [share.read(query).state for query, _ in MOVES]
    moved = [share.as_values(state) | change for state, (_, change) in zip(before, MOVES, strict=True)]
    given = [
        [share.canonical(state), values, share.as_values(first)] for state, values in zip(before, moved, strict=True)
    ]
    links = in_node("pages/map/link", "(m, all) => all.map((given) => m.linked(...given))", given)
    for (query, change), values, written in zip(MOVES, moved, links, strict=True):
        named = {name: "" if values[name] is None else str(values[name]) for name in change}
        expected = share.read("&".join([query, *(f"{name}={value}" for name, value in named.items())])).state
        assert written == share.canonical(expected)
        assert share.read(written).state == expected


def test_the_colour_scale_ends_where_the_figures_does() -> None:
    cases = [(top, colour) for top in (0.9, 1.0, 0.31, 0.0148, 2.2e-5, 0.0) for colour in ("linear", "log")]
    found = in_node("pages/map/shades", "(m, all) => all.map((given) => m.limits(...given))", cases)
    for (top, colour), ends in zip(cases, found, strict=True):
        assert ends == pytest.approx(colour_range(torch.tensor([top]), "weights", colour)), (top, colour)


def test_no_window_needs_more_tiles_than_the_server_gives_at_once() -> None:
    wide = {"left": 100.5, "top": 130.5, "across": 256, "down": 256}
    needed = "(m, view) => [m.SIDE, m.covering(view, m.levelOf(view)).length]"
    assert in_node("pages/map/tiles", needed, wide) == [SIDE, AT_ONCE]
