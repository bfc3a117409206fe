"""One answer for a browser that knows nothing, repeated for browsers that know some of its structures."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.visualiser.pieces import opened
from visualiser.server.live import parts, wire

NUMBERS = st.integers(-9, 9) | st.floats(-9, 9)
ARRAYS = st.lists(NUMBERS, max_size=5).map(np.array) | NUMBERS.map(np.float64)
# Texts that resemble what `without` takes out, and any other text of a visitor.
TEXTS = st.sampled_from(['{"hash":"', '","structure":', '\\"', "}", "{"]) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=6
)
LEAVES = st.none() | st.booleans() | NUMBERS | TEXTS | ARRAYS
TREES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(TEXTS.filter(lambda key: key != "$"), inner, max_size=3)
    ),
    max_leaves=8,
)
ANSWERS = st.lists(st.dictionaries(TEXTS, st.sampled_from(range(4)), max_size=4), min_size=1, max_size=3)


def answer(shape: list[dict[str, int]], trees: list[Any], known: set[str], message: str) -> list[wire.Piece]:
    """Return the parts of one answer, each with some of the trees; a structure sent in one is named in the next."""
    structures, pieces = parts.Structures(known), []
    for entries in shape:
        part = wire.Part()
        found = {name: structures.entry(part, trees[which]) for name, which in entries.items()}
        pieces.append(part.close({"message": message, "of": found}))
    return pieces


@pytest.mark.slow
@given(shape=ANSWERS, trees=st.lists(TREES, min_size=4, max_size=4), message=TEXTS, data=st.data())
def test_an_answer_for_nobody_becomes_the_answer_for_whoever_knows_something(shape, trees, message, data):
    shared = answer(shape, trees, set(), message)
    hashes = sorted({entry["hash"] for piece in shared for entry in opened(piece)[0]["of"].values()})
    known = data.draw(st.sets(st.sampled_from(hashes))) if hashes else set()
    own = answer(shape, trees, known, message)
    assert [opened(piece.without(known)) for piece in shared] == [opened(piece) for piece in own]
    assert [opened(b"".join(piece.apart(known))) for piece in shared] == [opened(piece) for piece in own]


@given(trees=st.lists(TREES, min_size=4, max_size=4), data=st.data())
def test_leaving_out_in_two_steps_is_leaving_out_in_one(trees, data):
    (whole,) = answer([{"a": 0, "b": 1, "c": 2, "d": 3}], trees, set(), "")
    hashes = sorted(whole.structures)
    some, more = (data.draw(st.sets(st.sampled_from(hashes))) for _ in range(2))
    assert whole.without(some).without(more) == whole.without(some | more)


def test_a_piece_is_bytes_and_stays_itself_when_nothing_is_left_out():
    (whole,) = answer([{"a": 0}], [{"title": "t", "y": np.zeros(3)}], set(), "")
    assert isinstance(whole, bytes)
    assert whole.without(()) is whole
    assert whole.without({"another"}) is whole
    assert len(whole.without(whole.structures)) < len(whole)


def test_a_value_without_a_form_is_named():
    with pytest.raises(TypeError, match="not JSON serializable: set") as raised:
        answer([{"a": 0}], [{"y": {1, 2}}], set(), "")
    assert str(raised.value.__cause__) == "set has no form on the wire"


@pytest.mark.parametrize(("cells", "sends"), [(wire.SHORT, 1), (wire.SHORT + 4, 2)])
def test_a_short_part_leaves_in_one_piece_and_a_long_one_is_not_copied(cells: int, sends: int) -> None:
    part = wire.Part()
    found = wire.entry(part, {"z": np.zeros(cells, np.uint8)}, ())
    piece = part.close({"of": found})
    assert piece.apart(frozenset()) == (piece,)
    assert piece.apart(frozenset())[0] is piece
    left = piece.apart({found["hash"]})
    assert len(left) == sends
    assert b"".join(left) == piece.without({found["hash"]})
    assert all(isinstance(blocks, memoryview) and blocks.obj is piece for blocks in left[1:])
