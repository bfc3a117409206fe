"""A fold shows what a person reads, and changes with everything else."""

import copy
import math
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.visualiser.folding import differences, folded

LONG = {"data": [{"x": [float(i) for i in range(50)], "colour": "#1f77b4"}, {"x": [0.5], "more": list(range(40))}]}
PAGE = {
    "sentences": {"entropy": "The weights are nearly uniform.", "korean": "가중치"},
    "price": {"seconds": 0.012},
    "drawings": {"heat-maps": {"structure": {"layout": LONG, "again": {"title": "The weights are nearly uniform."}}}},
}


def test_sentences_and_short_parts_are_there_to_read_and_long_ones_are_a_hash() -> None:
    lines = folded(PAGE)
    assert 'sentences  entropy: "The weights are nearly uniform."' in lines
    assert 'sentences  korean: "가중치"' in lines
    assert 'seconds": 0.012' in "\n".join(lines)
    assert "1f77b4" not in "\n".join(lines)
    assert len(lines) < 12
    assert len(folded(LONG | {"more": LONG})) < 8


def changed(tree: Any, path: tuple[Any, ...], value: Any) -> Any:
    after = copy.deepcopy(tree)
    place = after
    for key in path[:-1]:
        place = place[key]
    if value is LESS:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return after


LESS = object()
LAYOUT = ("drawings", "heat-maps", "structure", "layout", "data")
CHANGES: dict[str, tuple[tuple[Any, ...], Any]] = {
    "a number": ((*LAYOUT, 0, "x", 49), 49.5),
    "a type": ((*LAYOUT, 0, "x", 49), 49),
    "a colour": ((*LAYOUT, 0, "colour"), "#1f77b5"),
    "a sentence": (("sentences", "entropy"), "The weights are far from uniform."),
    "a sentence told before": (("drawings", "heat-maps", "structure", "again", "title"), "Weights"),
    "a field more": ((*LAYOUT, 1, "opacity"), 0.5),
    "a field less": ((*LAYOUT, 1, "more"), LESS),
    "a price": (("price", "seconds"), 0.013),
}


@pytest.mark.parametrize(("path", "value"), CHANGES.values(), ids=CHANGES)
def test_every_change_is_seen_and_named(path: tuple[Any, ...], value: Any) -> None:
    after = changed(PAGE, path, value)
    assert folded(after) != folded(PAGE)
    (difference,) = differences(PAGE, after)
    assert difference.startswith(".".join(map(str, path)) + ": ")


def test_a_key_that_is_called_otherwise_is_one_less_and_one_more() -> None:
    before, after = {"a": {"width": 1.0}}, {"a": {"height": 1.0}}
    assert folded(before) != folded(after)
    assert list(differences(before, after)) == ["a.height: nothing → 1.0", "a.width: 1.0 → nothing"]


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
names = st.text("abc", min_size=1, max_size=6)
trees = st.recursive(scalars, lambda node: st.lists(node, max_size=5) | st.dictionaries(names, node, max_size=5))


def leaves(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if not isinstance(node, dict | list):
        yield path
        return
    for key, part in node.items() if isinstance(node, dict) else enumerate(node):
        yield from leaves(part, (*path, key))


@given(trees, scalars, st.data())
def test_another_leaf_anywhere_is_another_fold(tree: Any, leaf: Any, data: st.DataObject) -> None:
    tree = {"root": tree}
    path = data.draw(st.sampled_from(list(leaves(tree)) or [("root",)]))
    after = changed(tree, path, leaf)
    found = list(differences(tree, after))
    assert (folded(after) == folded(tree)) == (not found)
    assert all(one.startswith(".".join(map(str, path)) + ": ") for one in found)


def test_what_is_no_number_is_written_too() -> None:
    assert folded({"a": [math.nan, math.inf, None]}) == ["  a: [NaN, Infinity, null]"]
