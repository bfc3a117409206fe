"""The arithmetic of the visible part of a map: zooming, keys, links."""

from typing import Any

import numpy as np
import pytest

from tests.browser.modules import Module
from visualiser.state import parameters, share

SHAPE = {"rows": 1024, "columns": 1024}

TALL = {"rows": 331, "columns": 1987}


def test_zooming_keeps_what_lies_under_the_pointer(module: Module) -> None:
    found = module(
        "pages/map/view",
        """(m, shape) => {
          const near = m.zoomed(m.whole(shape), 0.25, { x: 0.25, y: 0.75 }, shape);
          return m.zoomed(near, 0.5, { x: 0.1, y: 0.2 }, shape);
        }""",
        SHAPE,
    )
    # first: 256 keys around key 256 at a quarter, query 768 at three quarters; then 128 around 217.6 and 627.2
    assert found == pytest.approx({"left": 192 + 0.1 * 128, "top": 576 + 0.2 * 128, "across": 128, "down": 128})


def test_the_window_stops_at_the_edges_and_at_four_cells(module: Module) -> None:
    deep = module("pages/map/view", "(m, s) => m.zoomed(m.whole(s), 1e-9, { x: 1, y: 1 }, s)", SHAPE)
    assert deep == {"left": 1020, "top": 1020, "across": 4, "down": 4}
    out = module(
        "pages/map/view", "(m, s) => m.zoomed(m.around({ row: 3, column: 9 }, 40, s), 1e9, { x: 0, y: 0 }, s)", SHAPE
    )
    assert out == {"left": 0, "top": 0, "across": 1024, "down": 1024}
    moved = module("pages/map/view", "(m, s) => m.panned(m.around({ row: 3, column: 1000 }, 40, s), 5, -5, s)", SHAPE)
    assert moved == {"left": 984, "top": 0, "across": 40, "down": 40}


def test_one_number_zooms_both_axes(module: Module) -> None:
    view = module("pages/map/view", "(m, s) => m.zoomed(m.whole(s), 0.5, { x: 0.5, y: 0.5 }, s)", TALL)
    assert view == pytest.approx({"left": 496.75, "top": 82.75, "across": 993.5, "down": 165.5})
    deep = module("pages/map/view", "(m, s) => m.zoomed(m.whole(s), 1e-9, { x: 0, y: 0 }, s)", TALL)
    assert deep == {"left": 0, "top": 0, "across": 4, "down": 4}, "never a part of a row"


def test_a_pinch_keeps_both_fingers_on_their_cells(module: Module) -> None:
    found = module(
        "pages/map/view",
        """(m, s) => {
          const view = m.around({ row: 500, column: 300 }, 200, s);
          const before = [{ x: 0.4, y: 0.4 }, { x: 0.6, y: 0.6 }], now = [{ x: 0.3, y: 0.2 }, { x: 0.7, y: 0.6 }];
          const after = m.pinched(view, before, now, s);
          const cell = (v, at) => [v.left + at.x * v.across, v.top + at.y * v.down];
          return [before.map((at) => cell(view, at)), now.map((at) => cell(after, at)), after.across];
        }""",
        SHAPE,
    )
    before, after, across = found
    assert across == pytest.approx(100)
    assert np.allclose(before, after)


@pytest.mark.parametrize("across", [1024, 700.5, 31.25, 4])
def test_a_link_brings_the_same_window_back(module: Module, across: float) -> None:
    found = module(
        "pages/map/view",
        """(m, [s, across]) => {
          const once = m.written(m.around({ row: 401, column: 77 }, across, s), s);
          return [once, m.written(m.named(once, s), s)];
        }""",
        [SHAPE, across],
    )
    assert found[0] == found[1]
    assert found[0]["across"] == (0 if across == 1024 else across)


def test_the_cell_under_a_point(module: Module) -> None:
    under = "(m, [s, x, y]) => m.cellUnder(m.around({ row: 500, column: 300 }, 8, s), { x, y }, s)"
    assert module("pages/map/view", under, [SHAPE, 0.5, 0.5]) == {"row": 500, "column": 300}
    assert module("pages/map/view", under, [SHAPE, 0.999, 0]) == {"row": 496, "column": 304}
    assert module("pages/map/view", under, [SHAPE, 1.4, -0.9]) == {"row": 489, "column": 307}


@pytest.mark.parametrize(
    ("key", "shift", "wish"),
    [
        ("ArrowLeft", False, {"pan": {"x": -0.125, "y": 0}}),
        ("ArrowDown", True, {"pan": {"x": 0, "y": 0.75}}),
        ("PageUp", False, {"pan": {"x": 0, "y": -0.75}}),
        ("Home", False, {"end": "first"}),
        ("End", False, {"end": "last"}),
        ("+", False, {"zoom": 0.5}),
        ("-", False, {"zoom": 2}),
        ("0", False, {"whole": True}),
        ("Enter", False, {"open": True}),
        ("Escape", False, {"release": True}),
        ("q", False, None),
    ],
)
def test_keys_move_the_window(module: Module, key: str, shift: bool, wish: Any) -> None:
    assert module("pages/map/keys", "(m, given) => m.wish(...given)", [key, shift, {"across": 64, "down": 64}]) == wish


def test_an_arrow_moves_by_a_cell_where_cells_are_large(module: Module) -> None:
    wish = module("pages/map/keys", "(m) => m.wish('ArrowRight', false, { across: 4, down: 4 })", None)
    assert wish == {"pan": {"x": 0.25, "y": 0}}


@pytest.mark.parametrize(
    ("query", "change"),
    [
        ("page=map", {"across": 31.25, "left": 100, "top": 0.5}),
        ("page=map&n=1024&seed=7&lang=ko", {"row": 0, "head": 3, "pooling": "maximum"}),
        ("page=map&n=1024&row=5&colour=linear&across=64&left=3", {"row": None, "across": 0, "left": 0}),
        ("page=map&source=text&text=a%2Bb+%C3%A9+%2A&split=words", {"colour": "linear", "row": 1}),
    ],
)
def test_the_link_of_a_moved_window_is_the_servers_own(module: Module, query: str, change: dict[str, Any]) -> None:
    """The browser's own link is the one that `share.canonical` would return."""
    before = share.read(query).state
    first = share.State(parameters.beginning("map"), parameters.first_view("map"), own=parameters.first_values("map"))
    values = share.as_values(before) | change
    given = [share.canonical(before), values, share.as_values(first)]
    written = module("pages/map/link", "(m, given) => m.linked(...given)", given)
    named = {name: "" if value is None else str(value) for name, value in values.items() if name not in ("lang", "pin")}
    expected = share.read("&".join([query, *(f"{name}={named[name]}" for name in change)])).state
    assert written == share.canonical(expected)
    assert share.read(written).state == expected


def test_a_link_says_what_is_computed_apart_from_what_is_looked_at(module: Module) -> None:
    subject = "(m, [link, viewing]) => m.subject(link, viewing)"
    link = "n=64&page=map&lang=ko&head=2&row=&across=12.5"
    assert module("pages/map/link", subject, [link, ["head", "row", "across", "lang", "page"]]) == "n=64"
