"""Lines of positions, and the grids of patches among them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.learned import Line, PatchGrid


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 3), st.integers(0, 4))
def test_patches_stand_row_by_row_with_what_ends_a_row_between(rows: int, columns: int, mark: int, first: int):
    grid = PatchGrid(0, first, rows, columns, stride=columns + mark)
    n = first + rows * (columns + mark)
    line = Line("picture", ("?",) * n, (-1,) * n, (grid,))
    assert len(set(grid.positions)) == rows * columns == len(line.patches)
    assert line.patches[first + (rows - 1) * (columns + mark) + columns - 1] == (0, rows - 1, columns - 1)
    if mark:
        assert first + columns not in line.patches
    assert not line.is_text


def test_a_line_without_patches_and_frames_is_a_text():
    assert Line("text", ("a", "b"), (1, 2)).is_text
    assert not Line("sound", ("a", "b"), (-1, -1), seconds=0.02).is_text


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="a position of its own"):
        Line("picture", ("1·1",), (-1,), (PatchGrid(0, 0, 1, 2),))
    with pytest.raises(ValueError, match="a position of its own"):
        Line("picture", ("1·1",), (-1,), (PatchGrid(0, 0, 1, 1), PatchGrid(1, 0, 1, 1)))
    with pytest.raises(ValueError, match="one id"):
        Line("text", ("a",), ())
    with pytest.raises(ValueError, match="do not overlap"):
        PatchGrid(0, 0, 2, 3, stride=2)
    with pytest.raises(ValueError, match="at least one patch"):
        PatchGrid(0, 0, 0, 3)
