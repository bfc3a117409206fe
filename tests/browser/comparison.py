"""Every figure on the page against `attention_core.compute` for the same state."""

import math
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from playwright.sync_api import Page

from attention_core import AttentionConfig, AttentionResult, compute
from tests.browser import drawn
from visualiser.drawing.colour import colour_range
from visualiser.drawing.map_colours import limits
from visualiser.state import share
from visualiser.state.view import View
from visualiser.theme import DIVERGING, WEIGHTS

STEP = 1 / 254
"""One step of the 255 colours, as a share of a colour scale. A colour gives a number to within half a step."""


def query(config: AttentionConfig, view: View | None = None, **more: Any) -> str:
    """Return the link of a state, as `data-painted` gives it."""
    return share.canonical(share.State(config, view or View(), **more))


def assert_page_shows(page: Page, config: AttentionConfig, view: View | None = None, **more: Any) -> AttentionResult:
    """Wait for the state, compare all figures with it, and return the result computed here."""
    drawn.wait_painted(page, query(config, view, **more))
    result = compute(config, device="cpu")
    assert_result(page, result, view or View())
    return result


def assert_result(page: Page, result: AttentionResult, view: View) -> None:
    """Compare all figures, as drawn now, with this result."""
    scores, entropy, gradient = (
        drawn.graph(page, name)["data"] for name in ("score-distribution", "entropy", "gradient")
    )
    assert_heat_maps(page, result, view)
    assert_scores(scores, result, view)
    assert_boxes(entropy, "entropy", result, result.entropy, view)
    assert_boxes(gradient, "jacobian_norm", result, result.jacobian_norm, view)
    assert_boxes(gradient, "jacobian_trace", result, result.jacobian_trace, view)
    assert_ceiling(entropy, result)
    assert_row(page, result, view)
    assert_jacobian(page, result, view)


def assert_cells(panel: drawn.Panel, numbers: ArrayLike, scale: list[list[Any]], low: float, high: float) -> None:
    """Compare the colours of a panel with these numbers (NaN: masked), to within a step of the scale."""
    wanted = np.asarray(numbers, dtype=np.float64)[np.ix_(panel.rows, panel.columns)]
    seen = panel.values(scale, low, high)
    np.testing.assert_array_equal(np.isnan(seen), np.isnan(wanted), err_msg=f"masked cells of {panel.title}")
    allowed = np.clip(wanted, low, high)
    np.testing.assert_allclose(seen, allowed, rtol=0, atol=1.5 * STEP * (high - low), err_msg=panel.title)


def stage_cells(result: AttentionResult, stage: str) -> torch.Tensor:
    """Return the stage's numbers, h × n_q × n_k; NaN for masked cells if the stage follows the mask."""
    values = result.stage(stage)
    if result.mask is None or stage in ("scores", "scaled"):
        return values
    return torch.where(result.mask, values, torch.nan)


def assert_heat_maps(page: Page, result: AttentionResult, view: View) -> None:
    """Expect one panel per shown head, in the stage's colours on the view's colour scale."""
    stage, h = view.stage, len(result.weights)
    heads = view.heads(h)
    values = stage_cells(result, stage)
    logarithmic = stage == "weights" and view.colour == "log"
    panels = drawn.panels(page)
    assert len(panels) == len(heads)
    shared = limits(result, view).axis
    for panel, head in zip(panels, heads, strict=True):
        assert str(head) in panel.title.split()
        own = view.colour_range == "per_head" and len(heads) > 1
        finite = result.scaled if stage == "masked" else values
        low, high = colour_range(finite[head - 1], stage, "log" if logarithmic else "linear") if own else shared
        numbers = values[head - 1]
        if logarithmic:
            numbers = numbers.clamp(min=1e-30).log10()
        assert_cells(panel, numbers, WEIGHTS if stage == "weights" else DIVERGING, low, high)


def assert_scores(data: list[dict[str, Any]], result: AttentionResult, view: View) -> None:
    """Expect each head's histogram, the curves of its density, the measured mean, and the locked row's scores."""
    scores = result.scaled.flatten(1) if result.mask is None else result.scaled[:, result.mask]
    h, m = scores.shape
    lines = [trace for trace in data if trace["meta"].get("kind") == "head"]
    assert [line["meta"]["head"] for line in lines] == list(view.heads(h))
    pooled = drawn.find(data, kind="pooled")
    centres = np.array(pooled["x"])
    step = (centres[-1] - centres[0]) / (len(centres) - 1)
    slack = 2.01 + 2e-5 * m  # in float32 a score on an edge may fall on either side
    edges = centres[0] - step / 2 + step * np.arange(len(centres) + 1)
    low, high = float(scores.min()), float(scores.max())
    assert_near([edges[0], edges[-1]], [low, high] if high > low else [low - 0.5, low + 0.5])
    edges[0], edges[-1] = edges[0] - step / 4, edges[-1] + step / 4  # so that rounding leaves no score outside
    for line in lines:
        counts, _ = np.histogram(scores[line["meta"]["head"] - 1], edges)
        assert np.abs(np.array(line["y"]) * m * step - counts).max() <= slack
        assert math.isclose(np.sum(line["y"]) * step, 1, rel_tol=1e-3)
    every, _ = np.histogram(scores.flatten(), edges)
    assert np.abs(np.array(pooled["y"]) * h * m * step - every).max() <= slack * h
    assert_near(drawn.find(data, kind="mean")["x"], [result.score_mean.mean()] * 2)
    assert_curves(data, result)
    row = view.locked(result.weights.shape[1])
    marks = drawn.find(data, row_of="scores")
    chosen = [] if row is None else result.masked[view.single(h) - 1, row]
    assert_near(marks["x"], [float(one) for one in chosen if math.isfinite(one)])


def assert_curves(data: list[dict[str, Any]], result: AttentionResult) -> None:
    """Expect the exact density and the normal one for random input and dot products, and no curve otherwise."""
    exact, normal = (drawn.find(data, kind=kind) for kind in ("exact", "normal"))
    if result.predicted_variance is None or result.config.factor == 0:
        assert len(exact["x"]) == len(normal["x"]) == 0
        return
    variance, order = result.config.d_k * result.config.factor**2, (result.config.d_k - 1) / 2
    x = np.array(exact["x"])
    assert_near(normal["y"], np.exp(-(x**2) / (2 * variance)) / math.sqrt(2 * math.pi * variance))
    size = np.maximum(np.abs(x), 1e-9 * math.sqrt(variance)) / result.config.factor
    scale = math.lgamma(order + 0.5) + 0.5 * math.log(math.pi) + math.log(result.config.factor)
    assert_near(exact["y"], np.exp(order * np.log(size / 2) + log_bessel(order, size) - scale))


def log_bessel(order: float, size: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ln K_order(size), the integral of exp(−size cosh t) cosh(order t) over t ≥ 0 (DLMF 10.32.9), to 12 digits.

    mpmath's takes five seconds for the points of one curve at d_k = 512.
    """
    step = 0.005
    t = np.arange(0, 40, step)[:, None]
    logs = -size * np.cosh(t) + order * t + np.log1p(np.exp(-2 * order * t)) - math.log(2)
    logs[0] -= math.log(2)  # the rule of trapezoids
    top = logs.max(axis=0)
    return top + np.log(np.exp(logs - top).sum(axis=0)) + math.log(step)


def assert_boxes(
    data: list[dict[str, Any]], kind: str, result: AttentionResult, values: torch.Tensor, view: View
) -> None:
    """Expect one box a head over the rows that may attend to some key, and a mark for the locked row."""
    box = drawn.find(data, kind=kind)
    rows = values if result.mask is None else values[:, result.mask.any(-1)]
    shares = {"lowerfence": 0.0, "q1": 0.25, "median": 0.5, "q3": 0.75, "upperfence": 1.0}
    for name, share_below in shares.items():
        assert_near(box[name], np.quantile(rows.double().numpy(), share_below, axis=1))
    row = view.locked(values.shape[1])
    assert_near(drawn.find(data, row_of=kind)["y"], [] if row is None else values[:, row])


def assert_ceiling(data: list[dict[str, Any]], result: AttentionResult) -> None:
    """Expect the dashed line of the entropy figure at ln of the most keys that a row may attend to."""
    n_k = result.weights.shape[2]
    most = n_k if result.mask is None else int(result.mask.sum(-1).max())
    assert_near(drawn.find(data, kind="level")["y"], [math.log(most)] * 2)


def assert_row(page: Page, result: AttentionResult, view: View) -> None:
    """Expect the weights of the locked row in the chosen head (else head 1); nothing if no row is locked."""
    row = view.locked(result.weights.shape[1])
    assert drawn.is_open(page, "row-weights") is (row is not None)
    if row is None:
        return
    weights = result.weights[view.single(len(result.weights)) - 1, row]
    allowed = torch.ones_like(weights, dtype=torch.bool) if result.mask is None else result.mask[row]
    bars = drawn.trace(page, "row-weights", kind="weights")
    assert (
        np.flatnonzero([one is None or math.isnan(one) for one in bars["y"]]).tolist()
        == (~allowed).nonzero().flatten().tolist()
    )
    assert_near(np.array(bars["y"], dtype=float)[allowed.numpy()], weights[allowed])


def assert_jacobian(page: Page, result: AttentionResult, view: View) -> None:
    """Expect diag(p) − p pᵀ of the locked row and the chosen head (else head 1); nothing if no row is locked."""
    h, n_q, _ = result.weights.shape
    row = view.locked(n_q)
    if row is None:
        assert drawn.panels(page, "jacobian") == []
        return
    p = result.weights[view.single(h) - 1, row].double()
    matrix = torch.diag(p) - torch.outer(p, p)
    low, high = colour_range(matrix.float(), "jacobian")
    if result.mask is not None:
        allowed = result.mask[row]
        matrix = torch.where(allowed[:, None] & allowed[None, :], matrix, torch.nan)
    (panel,) = drawn.panels(page, "jacobian")
    assert_cells(panel, matrix, DIVERGING, low, high)


def assert_near(seen: ArrayLike, wanted: Any) -> None:
    """Expect equality up to the last digits of float32."""
    seen, wanted = np.asarray(seen, dtype=float), np.asarray(wanted, dtype=float)
    assert seen.shape == wanted.shape
    scale = float(np.abs(wanted).max(initial=0.0))
    np.testing.assert_allclose(seen, wanted, rtol=1e-4, atol=1e-5 * scale + 1e-7)


def picture(page: Page) -> dict[str, Any]:
    """Return everything that is drawn, by figure, to tell later which figures changed."""
    shown: dict[str, Any] = {
        # the outline of the scores before the last change is of another state
        name: [trace for trace in drawn.graph(page, name)["data"] if trace.get("meta", {}).get("kind") != "before"]
        if drawn.is_open(page, name)
        else []
        for name in drawn.FIGURES
        if name not in drawn.CELL_FIGURES
    }
    for name in drawn.CELL_FIGURES:
        shown[name] = [(panel.title, panel.pixels.tobytes()) for panel in drawn.panels(page, name)]
    return shown


def changed_figures(before: dict[str, Any], after: dict[str, Any]) -> set[str]:
    """Return the names of the figures that differ between two pictures."""
    return {name for name in before if before[name] != after[name]}
