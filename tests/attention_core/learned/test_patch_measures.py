"""What heads of vision models do, against plain loops over positions: grids, class tokens, windows, filling, masks."""

import math
from dataclasses import dataclass

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attention_core.learned import Line, ModelRun, PatchGrid, patch_totals
from attention_core.learned.patch_measures import PATCH_CHANCES, PATCH_MEASURES
from attention_core.models import CapturedLayer


@dataclass(frozen=True)
class Drawn:
    """A run, and for each layer its windows as plain lists of positions, −1 for filling."""

    run: ModelRun
    windows: list[list[list[int]]]


def layer(draw: torch.Generator, cut: list[list[int]], heads: int, groups: int, windowed: bool) -> CapturedLayer:
    """Return random attention, in windows or over all, some of it masked."""
    count, n = len(cut), len(cut[0])
    Q = torch.randn(count, heads, n, 3, generator=draw)
    K = torch.randn(count, groups, n, 3, generator=draw)
    scores = torch.randn(count, heads, n, n, generator=draw)
    scores = scores.masked_fill(torch.rand(count, heads, n, n, generator=draw) < 0.3, -torch.inf)
    weights = torch.where((scores > -torch.inf).any(-1, keepdim=True), torch.softmax(scores, -1), 0)
    if not windowed:
        Q, K, scores, weights = Q[0], K[0], scores[0], weights[0]
    return CapturedLayer("drawn", 0, "self", Q, K, None, 1.0, 0.0, scores, weights)


PLANS = st.tuples(
    st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(0, 3)),
    st.lists(
        st.tuples(
            st.sampled_from([(1, 1), (2, 1), (4, 2), (3, 3)]),
            st.none() | st.tuples(st.integers(1, 3), st.integers(0, 2)),
        ),
        min_size=1,
        max_size=3,
    ),
    st.integers(0, 2**31),
)
"""Rows, columns and special positions; of each layer heads and their groups, and side and shift of windows; a seed."""
Plan = tuple[tuple[int, int, int], list[tuple[tuple[int, int], tuple[int, int] | None]], int]


def made(plan: Plan) -> Drawn:
    (rows, columns, special), wanted, seed = plan
    draw = torch.Generator().manual_seed(seed)
    lines = [line_of(rows, columns, special), line_of(rows, columns, 0)]
    layers, between, windows, plain = [], [], [], []
    for (heads, groups), window in wanted:
        cut = [list(range(len(lines[0])))] if window is None else tiles(rows, columns, *window)
        layers.append(layer(draw, cut, heads, groups, window is not None))
        between.append((0, 0) if window is None else (1, 1))
        windows.append(None if window is None else torch.tensor(cut))
        plain.append(cut)
    return Drawn(ModelRun(tuple(lines), tuple(layers), tuple(between), tuple(windows)), plain)


def line_of(rows: int, columns: int, special: int) -> Line:
    tokens = tuple(f"[{at}]" for at in range(special)) + tuple(str(at) for at in range(rows * columns))
    return Line("picture", tokens, (-1,) * len(tokens), (PatchGrid(0, special, rows, columns, (0.0, 0.0, 1.0, 1.0)),))


def tiles(rows: int, columns: int, side: int, shift: int) -> list[list[int]]:
    """Return windows of a grid that is filled up at its edges and rolled."""
    tall, wide = -(-rows // side) * side, -(-columns // side) * side

    def at(row: int, column: int) -> int:
        row, column = (row + shift) % tall, (column + shift) % wide
        return row * columns + column if row < rows and column < columns else -1

    return [
        [at(top + down, left + across) for down in range(side) for across in range(side)]
        for top in range(0, tall, side)
        for left in range(0, wide, side)
    ]


def oracle(drawn: Drawn, even: bool = False) -> dict[tuple[str, int, int], tuple[float, int]]:
    """Return the sum and the number of rows of each measure, layer and head, from 0."""
    found: dict[tuple[str, int, int], tuple[float, int]] = {}
    for number, cut in enumerate(drawn.windows):
        one, line = drawn.run.layers[number], drawn.run.queries(number + 1)
        special, columns = line.grids[0].first, line.grids[0].columns
        assert one.Q is not None
        assert one.K is not None
        tensors = one.weights, one.allowed, one.Q, one.K
        weights, allowed, Q, K = (each if each.dim() == 4 else each.unsqueeze(0) for each in tensors)
        for head in range(weights.shape[1]):
            products = []
            values: dict[str, list[float]] = {name: [] for name in PATCH_MEASURES}
            rows = 0
            for window, places in enumerate(cut):
                for i, query in enumerate(places):
                    open_keys = [j for j in range(len(places)) if allowed[window, head, i, j]]
                    group = head // (Q.shape[1] // K.shape[1])
                    products += [float(Q[window, head, i] @ K[window, group, j]) for j in open_keys]
                    if query < special:  # a class token, a register; −1 is filling
                        continue
                    rows += 1
                    p = [float(weights[window, head, i, j]) for j in range(len(places))]
                    if even:
                        p = [1 / len(open_keys) if j in open_keys else 0.0 for j in range(len(places))]
                    row, column = divmod(query - special, columns)
                    apart = {
                        j: math.hypot((key - special) // columns - row, (key - special) % columns - column)
                        for j, key in enumerate(places)
                        if key >= special
                    }
                    others = [j for j, key in enumerate(places) if 0 <= key < special]
                    around = [
                        j
                        for j in apart
                        if max(
                            abs((places[j] - special) // columns - row), abs((places[j] - special) % columns - column)
                        )
                        == 1
                    ]
                    for name, keys in (("class_token", others), ("neighbours", around)):
                        if any(j in open_keys for j in keys):
                            values[name].append(sum(p[j] for j in keys))
                    if even:
                        continue
                    mass = sum(p[j] for j in apart)
                    if mass > 0:
                        values["patch_distance"].append(sum(p[j] * apart[j] for j in apart) / mass)
                    if open_keys:
                        values["entropy"].append(-sum(x * math.log(x) for x in p if x > 0))
            if products and not even:
                mean = sum(products) / len(products)
                variance = sum((x - mean) ** 2 for x in products) / len(products) / Q.shape[-1]
                values["variance"] = [variance] * rows
            for name, each in values.items():
                found[name, number, head] = sum(each), len(each)
    return found


def require_same(drawn: Drawn, even: bool) -> None:
    totals = patch_totals(drawn.run, even)
    names = PATCH_CHANCES if even else tuple(PATCH_MEASURES)
    for (name, number, head), (total, count) in oracle(drawn, even).items():
        if name not in names:
            continue
        at = totals.names.index(name), number, head
        assert int(totals.counts[at]) == count, (name, number, head)
        assert float(totals.sums[at]) == pytest.approx(total, rel=2e-5, abs=2e-5), (name, number, head)
    heads = [one.weights.shape[-3] for one in drawn.run.layers]
    for number, count in enumerate(heads):
        assert not totals.counts[:, number, count:].any()


@settings(deadline=None)
@example(((1, 1, 0), [((4, 2), None)], 0))  # a head that may read nothing
@given(PLANS)
def test_measures_are_those_of_loops_over_positions(plan: Plan) -> None:
    require_same(made(plan), even=False)


@pytest.mark.slow
@settings(deadline=None)
@given(PLANS)
def test_chances_are_those_of_rows_that_read_all_alike(plan: Plan) -> None:
    require_same(made(plan), even=True)


def test_a_head_that_reads_the_patch_beside_it_has_distance_one() -> None:
    line = line_of(1, 4, 1)
    weights = torch.zeros(1, 5, 5)
    for at in range(5):
        weights[0, at, min(at + 1, 4)] = 1
    zeros = torch.zeros(1, 5, 3)
    one = CapturedLayer("drawn", 0, "self", zeros, zeros, None, 1.0, 0.0, torch.zeros(1, 5, 5), weights)
    found = patch_totals(ModelRun((line,), (one,), ((0, 0),))).means
    assert {name: float(value) for name, value in found.items()} == {
        "entropy": 0, "patch_distance": 0.75, "class_token": 0, "neighbours": 0.75, "variance": 0
    }  # fmt: skip
