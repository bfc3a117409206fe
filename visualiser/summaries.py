"""One sentence for each figure: the label that a screen reader reads instead of the picture.

It and the few numbers beside the title are `Message`s; `write_all` puts them into the visitor's language.
"""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from attention_core import AttentionResult
from visualiser.figures.boxes import mean_ceiling, mean_over_heads, open_rows
from visualiser.figures.format_marks import infinite_scores
from visualiser.figures.saturation import allowed_scores, pooled_moments, saturated_share
from visualiser.listed_statistics import GRADIENT_BOXES, SPREAD_MEANS, further_statistics
from visualiser.locale import exact
from visualiser.locale.message import Message, message, write_all
from visualiser.state.view import View

ALIKE: Final = 1e-5
"""Weights that differ by less than this share are the same: float32 has few more digits after a sum."""


def summary(name: str, result: AttentionResult, view: View | None = None) -> str:
    """Return the sentences on what the figure `name` shows now. Raise KeyError if there is no such figure."""
    view = view or View()
    return " ".join(write_all(summed_up(name, result, view), view.lang))


def summed_up(name: str, result: AttentionResult, view: View) -> list[Message]:
    """Return the sentences of `summary`, before they have a language."""
    return _SUMMARIES[name](result, view)


def beside(name: str, result: AttentionResult, view: View) -> list[Message]:
    """Return the few numbers beside the title of the figure `name`; none if it has none."""
    said = _BRIEFS[name](result, view) if name in _BRIEFS else None
    # a number format may leave no number to say
    unmade = said is None or any(isinstance(fact, float) and math.isnan(fact) for fact in said.facts.values())
    if unmade and result.broken is not None and name != "score-distribution":
        return [message("brief.broken")]
    return [] if unmade or said is None else [said]


def sharers(result: AttentionResult, head: int, row: int) -> int:
    """Return the number of keys that have the largest weight of a row; `head` counts from 1."""
    weights = result.weights[head - 1, row]
    return int((weights >= weights.max() * (1 - ALIKE)).sum())


def _mean(result: AttentionResult, name: str, view: View) -> float:
    """Average a statistic over the heads shown and the rows that may attend to some key."""
    heads = view.heads(result.weights.shape[0])
    return mean_over_heads(result, name, slice(heads[0] - 1, heads[-1]))


def _left_out(result: AttentionResult, view: View) -> tuple[int, int]:
    """Return the number of rows that are no distribution, and of all rows with a key, of the heads shown."""
    if result.broken is None:
        return 0, 1
    heads, rows = view.heads(result.weights.shape[0]), open_rows(result)
    broken = result.broken[heads[0] - 1 : heads[-1]]
    return int(broken.sum()), len(broken) * (broken.shape[1] if rows is None else int(rows.sum()))


def _of_distributions(said: list[Message], result: AttentionResult, view: View) -> list[Message]:
    """Say how many rows the means of a sentence leave out, or that nothing is left."""
    broken, rows = _left_out(result, view)
    if not broken:
        return said
    return [*(said if broken < rows else []), message("table.broken", broken=broken, rows=rows)]


def broken_row(result: AttentionResult, head: int, row: int) -> Message | None:
    """Say that a row is no distribution, and why; None if it is one. `head` counts from 1."""
    if result.broken is None or not result.broken[head - 1, row]:
        return None
    weights = result.weights[head - 1, row]
    weights = weights if result.mask is None else weights[result.mask[row]]
    nan, said = int(weights.isnan().sum()), {"head": head, "keys": len(weights)}
    if nan:
        return message("table.row_nan", **said, nan=nan)
    return message("table.row_sum", **said, total=float(weights.double().sum()))


def _say_heat_maps(result: AttentionResult, view: View) -> list[Message]:
    h, n_q, n_k = result.weights.shape
    own = f"_{result.config.mechanism}" if view.stage == "scores" else ""
    means = {"entropy": _mean(result, "entropy", view), "largest": _mean(result, "largest_weight", view)}
    stage = message(f"figure.stage.{view.stage}{own}")
    sizes = {"heads": len(view.heads(h)), "n_q": n_q, "n_k": n_k, "stage": stage}
    broken, rows = _left_out(result, view)
    if broken == rows:
        return [message("table.heat_maps.sizes", **sizes), *_of_distributions([], result, view)]
    return _of_distributions([message("table.heat_maps.summary", **sizes, **means)], result, view)


def _say_score_distribution(result: AttentionResult, view: View) -> list[Message]:
    infinite = infinite_scores(result)
    if infinite:
        cells = allowed_scores(result).numel()
        return [message("insight.format.scores", count=infinite, cells=cells, format=result.config.dtype)]
    mean, variance = pooled_moments(result)  # of all heads, like the bars, even if one head is shown large
    measured = {"mean": mean, "variance": variance, "share": 100 * saturated_share(result, View())}
    if result.broken is not None:
        return [message("table.score_distribution.moments", mean=mean, variance=variance)]
    if result.predicted_variance is None:
        return [message("table.score_distribution.summary", **measured)]
    predicted = exact(result.predicted_variance)
    return [message("table.score_distribution.summary_predicted", **measured, predicted=predicted)]


def _say_entropy(result: AttentionResult, view: View) -> list[Message]:
    means = {"entropy": _mean(result, "entropy", View()), "effective": _mean(result, "effective_keys", View())}
    said = message("table.entropy.summary", **means, ceiling=mean_ceiling(result))
    others = further_statistics(SPREAD_MEANS[2:], lambda each: _mean(result, each.name, View()))
    return _of_distributions([said, *others], result, View())


def _say_gradient(result: AttentionResult, view: View) -> list[Message]:
    means = {"norm": _mean(result, "jacobian_norm", View()), "trace": _mean(result, "jacobian_trace", View())}
    said = message("table.gradient.summary", **means, most=1 - 1 / float(result.ceiling.max().exp()))
    others = further_statistics(GRADIENT_BOXES[2:], lambda each: _mean(result, each.name, View()))
    return _of_distributions([said, *others], result, View())


def _say_row_weights(result: AttentionResult, view: View) -> list[Message]:
    h, n_q, n_k = result.weights.shape
    row, head = view.inspected(n_q), view.single(h)
    keys = n_k if result.mask is None else int(result.mask[row].sum())
    if not keys:
        return [message("table.row_weights.masked", query=row, head=head)]
    broken = broken_row(result, head, row)
    if broken is not None:
        return [message(broken.key, **broken.facts, query=row)]
    weights = result.weights[head - 1, row]
    key = int(weights.argmax())
    said: dict[str, Any] = {"query": row, "head": head, "keys": keys, "weight": float(weights[key])}
    said["entropy"] = float(result.entropy[head - 1, row])
    count = sharers(result, head, row)
    if count > 1:
        return [message("table.row_weights.tied", **said, count=count)]
    return [message("table.row_weights.summary", **said, key=key)]


def _say_jacobian(result: AttentionResult, view: View) -> list[Message]:
    h, n_q, _ = result.weights.shape
    row, head = view.inspected(n_q), view.single(h)
    broken = broken_row(result, head, row)
    if broken is not None:
        return [message(broken.key, **broken.facts, query=row)]
    norm, trace = (float(each[head - 1, row]) for each in (result.jacobian_norm, result.jacobian_trace))
    return [message("table.jacobian.summary", query=row, head=head, norm=norm, trace=trace)]


_SUMMARIES: Final[Mapping[str, Callable[[AttentionResult, View], list[Message]]]] = MappingProxyType(
    {
        "heat-maps": _say_heat_maps,
        "score-distribution": _say_score_distribution,
        "entropy": _say_entropy,
        "gradient": _say_gradient,
        "row-weights": _say_row_weights,
        "jacobian": _say_jacobian,
    }
)


def _brief_scores(result: AttentionResult, view: View) -> Message | None:
    return None if infinite_scores(result) else message("brief.score_distribution", variance=pooled_moments(result)[1])


def _brief_entropy(result: AttentionResult, view: View) -> Message:
    return message("brief.entropy", entropy=_mean(result, "entropy", View()), ceiling=mean_ceiling(result))


def _brief_gradient(result: AttentionResult, view: View) -> Message:
    norm, trace = _mean(result, "jacobian_norm", View()), _mean(result, "jacobian_trace", View())
    return message("brief.gradient", norm=norm, trace=trace)


def _brief_row(result: AttentionResult, view: View) -> Message:
    h, n_q, _ = result.weights.shape
    return message("brief.row_weights", effective=float(result.effective_keys[view.single(h) - 1, view.inspected(n_q)]))


def _brief_jacobian(result: AttentionResult, view: View) -> Message:
    h, n_q, _ = result.weights.shape
    return message("brief.jacobian", norm=float(result.jacobian_norm[view.single(h) - 1, view.inspected(n_q)]))


_BRIEFS: Final[Mapping[str, Callable[[AttentionResult, View], Message | None]]] = MappingProxyType(
    {
        "score-distribution": _brief_scores,
        "entropy": _brief_entropy,
        "gradient": _brief_gradient,
        "row-weights": _brief_row,
        "jacobian": _brief_jacobian,
    }
)
