"""The scale that ends at the 99.5 % quantile of what is drawn, over many random cells and states."""

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from attention_core import STAGES, AttentionConfig, AttentionResult, compute
from tests import draws
from visualiser.drawing.colour import DECADES, nice
from visualiser.drawing.map_colours import coded_range, colours
from visualiser.drawing.quantile_scale import bar_ticks, quantile_limits
from visualiser.figures import compare, heat_maps
from visualiser.figures.plots.compare import drawing as compared
from visualiser.figures.plots.heat_maps import drawing
from visualiser.state import share
from visualiser.state.view import View

SEED = draws.seed("scales")
DRAWS = random.Random(SEED)
STATES = draws.cases(2000)
"""Random states of one run."""


@pytest.fixture(autouse=True)
def _print_seed() -> None:
    print(f"seed {SEED}")  # noqa: T201 - pytest shows it if a test fails


def quantile(cells: np.ndarray) -> float:
    """Return the least cell that at most 0.5 % of the cells exceed, by sorting."""
    return float(np.sort(cells)[-1 - len(cells) // 200])


def cells_of(rng: np.random.Generator) -> list[np.ndarray]:
    """Return some maps of cells as they come: spread, equal, of few values, tiny, nearly all zero, with open cells."""
    maps = []
    shape = rng.integers(1, 40, 2)
    kind = rng.integers(6)
    for _ in range(rng.integers(1, 5)):
        drawn = np.exp(rng.normal(0, rng.choice([0.1, 1, 5]), shape))
        match kind:
            case 1:
                drawn = np.full(shape, 1 / 7)
            case 2:
                drawn = rng.choice([0.2, 0.5, 0.7, 1], shape)
            case 3:
                drawn = drawn * 1e-38
            case 4:
                drawn = np.where(rng.random(shape) < 0.004, drawn, 0)
            case 5:
                drawn = np.where(rng.random(shape) < 0.3, np.nan, drawn)
        maps.append(drawn.astype(np.float32))
    return maps


@pytest.mark.parametrize("stage", ["weights", "scaled"])
def test_the_scale_ends_at_the_quantile_of_random_cells(stage: str) -> None:
    rng = np.random.default_rng(3)
    kinds = set()
    for _ in range(draws.cases(3000)):
        maps = cells_of(rng)
        if stage != "weights":
            maps = [drawn * rng.choice([-1, 1], drawn.shape).astype(np.float32) for drawn in maps]
        every = np.concatenate([drawn.ravel() for drawn in maps]).astype(np.float64)
        every = every[~np.isnan(every)]
        found = quantile_limits(maps, stage)
        assert found.cells == len(every)
        if not len(every):
            continue
        reach = quantile(every) if stage == "weights" else max(quantile(every), quantile(-every))
        largest = np.abs(every).max()
        reach = reach if reach > 0 else largest
        assert found.high == pytest.approx(nice(reach) if reach else 1.0)
        assert found.low == (0 if stage == "weights" else -found.high)
        assert max(found.above, found.below) <= len(every) / 200
        assert found.above == (every > found.high * (1 + 1e-6)).sum()
        assert found.below == (0 if stage == "weights" else (every < found.low * (1 + 1e-6)).sum())
        kinds.add((found.above > 0, found.below > 0))
    assert len(kinds) > (1 if stage == "weights" else 3)


def test_it_is_exact_for_many_cells_whatever_a_sample_holds() -> None:
    """Every 4,096th cell says nothing of the others: the sample's guess is far off, and the scale is not."""
    cells = np.full(1_000_000, 1e-6, np.float32)
    cells[1::2] = 0.3
    cells[:: 1_000_000 // 4096 | 1] = 1e-30
    assert quantile_limits([cells], "weights").high == 0.3
    cells[:: 1_000_000 // 4096 | 1] = 1e30
    found = quantile_limits([cells], "weights")
    assert (found.high, found.above) == (0.3, (cells > 0.4).sum())


@pytest.mark.parametrize("maps", [[], [np.zeros((3, 2), np.float32)], [np.full((3, 2), np.nan, np.float32)]])
def test_nothing_to_show_still_has_a_scale(maps: list[np.ndarray]) -> None:
    assert quantile_limits(maps, "weights").axis == (0, 1)
    assert quantile_limits(maps, "scores").axis == (-1, 1)
    assert quantile_limits(maps, "weights", "log").axis == (-DECADES, 0)


def state_of(generator: random.Random) -> tuple[AttentionConfig, View]:
    h = generator.randint(1, 5)
    settings: dict[str, Any] = {
        "n": generator.choice((1, 2, 7, 13, 29)),
        "h": h,
        "d_k": generator.choice((1, 3, 19, 257)),
        "tie": False,
        "seed": generator.randint(0, 99),
        "scaling": generator.choice(("sqrt_d_k", "none", "d_k")),
        "mask": generator.choice(("none", "causal", "window")),
        "source": generator.choice(("gaussian", "structured", "text")),
        "dtype": generator.choice(("float32", "float32", "float16")),
        "subtract_max": generator.choice((True, True, False)),
    }
    colour, head = generator.choice(("linear", "log")), generator.choice((0, 0, 1, h))
    view = View(stage=generator.choice(STAGES), colour=colour, head=head)
    return AttentionConfig(**settings), view


def shown(result: AttentionResult, view: View) -> np.ndarray:
    """Return the finite cells of the heads shown that no mask hides."""
    values = result.stage(view.stage)[[head - 1 for head in view.heads(len(result.weights))]]
    if result.mask is not None and view.stage in ("masked", "weights"):
        values = values[:, result.mask]
    found = values.flatten().double().numpy()
    return found[np.isfinite(found)]


def marks(axis: dict[str, Any]) -> tuple[bool, bool]:
    texts = axis["colorbar"]["ticktext"].tolist()
    assert not any(text[0] in "<>" for text in texts[1:-1])
    return texts[0].startswith("<"), texts[-1].startswith(">")


def assert_scale(axis: dict[str, Any], cells: np.ndarray, view: View) -> None:
    low, high = float(axis["cmin"]), float(axis["cmax"])
    bar = axis["colorbar"]
    assert bar["tickvals"][-1] == high
    if view.stage == "weights":
        high = 10**high if view.colour == "log" else high
        low = -np.inf
    else:
        assert bar["tickvals"][0] == low == -high
    sure = 2e-6
    below, above = marks(axis)
    if not len(cells):
        assert (below, above) == (False, False)
        return
    for beyond, marked in ((cells / high, above), (cells / low, below)):
        assert (beyond > 1 + sure).mean() <= 0.005
        if (beyond > 1 + sure).any():
            assert marked
        if marked:
            assert (beyond > 1).any()


@pytest.mark.night
def test_of_random_states_at_most_one_cell_in_200_lies_beyond_an_end_and_then_it_is_marked() -> None:
    seen = set()
    for drawn in range(10 * STATES):
        if drawn >= STATES and len(seen) == 4:  # colours open at neither, either and both ends
            break
        config, view = state_of(DRAWS)
        result = compute(config, device="cpu")
        layout = drawing(result, view).layout
        cells = shown(result, view)
        assert_scale(layout["coloraxis"], cells, view)
        seen.add(marks(layout["coloraxis"]))
        state = share.State(config, view)
        assert share.read(share.canonical(state)).state.view == view
        full = replace(view, colour_range="full")
        link = share.canonical(share.State(config, full))
        assert "colour_range=full" in link
        restored = share.read(link).state
        assert restored.view == full
        # the colours that are not open hold every cell
        whole = drawing(result, restored.view).layout["coloraxis"]
        top = 10 ** float(whole["cmax"]) if view.stage == "weights" and view.colour == "log" else float(whole["cmax"])
        assert (np.abs(cells) <= top * (1 + 2e-6)).all()
    assert seen == {(False, False), (False, True), (True, False), (True, True)}


@pytest.mark.slow
def test_pinned_states_share_one_scale() -> None:
    for _ in range(STATES // 4):
        config, view = state_of(DRAWS)
        other = replace(config, scaling=DRAWS.choice(("sqrt_d_k", "none", "d_k")), seed=DRAWS.randint(0, 99))
        a, b = (compute(one, device="cpu") for one in (other, config))
        one = compared(a, b, view)
        assert_scale(one.layout["coloraxis"], np.concatenate([shown(a, view), shown(b, view)]), view)
        maps = [trace for trace in one.data if trace["meta"]["kind"] == "cells"]
        assert all((trace["coloraxis"] == "coloraxis2") is (trace["meta"]["of"] == "difference") for trace in maps)
        delta = [trace["z"].ravel() for trace in maps if trace["meta"]["of"] == "difference"]
        if delta:
            every = np.concatenate(delta)
            assert_scale(one.layout["coloraxis2"], every[np.isfinite(every)], replace(view, stage="scaled"))


def test_equal_weights_leave_nothing_above() -> None:
    result = compute(AttentionConfig(n=61, h=3, scaling="custom", scale=0.0), device="cpu")
    axis = drawing(result).layout["coloraxis"]
    assert marks(axis) == (False, False)
    assert (axis["cmin"], axis["cmax"]) == (0, 0.02)
    full = drawing(result, View(colour_range="full")).layout["coloraxis"]
    assert (full["cmin"], full["cmax"]) == (0, 0.02)


def test_a_cell_above_keeps_its_value_and_the_full_range_holds_it() -> None:
    result = compute(AttentionConfig(), device="cpu")
    figure: Any = heat_maps(result)
    top = figure.layout.coloraxis.cmax
    assert top < float(result.weights.max()) == max(trace.z.max() for trace in figure.data)
    assert figure.layout.coloraxis.colorbar.ticktext[-1] == f">{top:g}"
    full: Any = heat_maps(result, View(colour_range="full"))
    assert full.layout.coloraxis.cmax > result.weights.max()
    assert full.layout.coloraxis.colorbar.ticktext is None
    both: Any = compare(result, result)
    assert both.layout.coloraxis.colorbar.ticktext[-1] == f">{top:g}"


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("colour", ["linear", "log"])
def test_the_ticks_of_a_bar_ascend_between_its_ends(stage: str, colour: str) -> None:
    for power in range(-12, 9):
        for step in (1, 1.5, 2, 3, 5, 7):
            drawn = np.full((4, 4), step * 10.0**power, np.float32)
            limits = quantile_limits([drawn], stage, colour)
            ticks = bar_ticks(limits, stage, colour)
            values = ticks["tickvals"]
            assert (np.diff(values) > 0).all()
            assert 3 <= len(values) == len(ticks["ticktext"]) <= 6
            assert limits.axis[0] - 1e-5 <= values[0] <= values[-1] == limits.axis[1]
            if stage == "weights" and colour == "linear":
                assert values[0] == 0
            if colour == "linear":
                assert len(set(ticks["ticktext"])) == len(values)


def test_tables_and_files_tell_the_range() -> None:
    result = compute(AttentionConfig(), device="cpu")
    above = int((result.weights > 0.3).sum())
    assert colours(result, View()) == [
        "Colours run from 0 to 0.3.",
        f"Above, in the last colour: {above} of 8192 cells.",
    ]
    assert coded_range(result, None, View()) == f"weights: 0 … 0.3, {above}/8192 > 0.3"
    assert colours(result, View(colour_range="full")) == ["Colours run from 0 to 0.7."]
    assert coded_range(result, None, View(colour_range="full")) == "weights: 0 … 0.7"
    assert coded_range(result, None, View(colour_range="per_head")) == "weights: per_head"
    scaled = coded_range(result, None, View(stage="scaled"))
    beyond = [int((side * result.scaled > 3).sum()) for side in (-1, 1)]
    assert scaled == f"scaled: -3 … 3, {beyond[0]}/8192 < -3, {beyond[1]}/8192 > 3"
    wider = compute(AttentionConfig(scaling="none"), device="cpu")
    assert coded_range(result, wider, View()).startswith("weights: 0 … 1")
    assert coded_range(result, None, View(colour="log", head=2)).startswith("weights: 3e-05 … 0.3")


def test_limits_are_values_of_the_quantity_and_places_on_the_axis() -> None:
    drawn = torch.linspace(0, 1, 1001).numpy().reshape(7, 143)
    found = quantile_limits([drawn], "weights", "log")
    assert (found.high, found.axis, found.below, found.above, found.cells) == (1.0, (-4.0, 0.0), 0, 0, 1001)
    assert found.low == pytest.approx(1e-4)
