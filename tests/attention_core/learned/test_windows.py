"""The patches of a window as grids of their own: rows one below the other, at one distance from each other."""

from attention_core.learned.positions import Line, PatchGrid
from attention_core.learned.windows import _grids

_LINE = Line("picture", ("·",) * 8, (-1,) * 8, (PatchGrid(0, 0, rows=4, columns=2),))


def rows_and_strides(places: list[int]) -> list[tuple[int, int, int]]:
    return [(grid.first, grid.rows, grid.stride) for grid in _grids(_LINE, places)]


def test_rows_at_one_distance_are_one_grid():
    assert rows_and_strides([0, 1, -1, 2, 3, -1, 4, 5]) == [(0, 3, 3)]


def test_a_row_further_away_begins_a_grid_of_its_own():
    """A window that is rolled over the edge of its picture has filling between rows of another length."""
    assert rows_and_strides([0, 1, -1, 2, 3, -1, -1, 4, 5])[0] == (0, 2, 3)
    assert [first for first, *_ in rows_and_strides([0, 1, -1, 2, 3, -1, -1, 4, 5])] == [0, 7]
