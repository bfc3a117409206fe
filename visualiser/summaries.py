"""One sentence for each figure: the label that a screen reader reads instead of the picture."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from attention_core import AttentionResult
from visualiser.figures.boxes import mean_ceiling, mean_over_rows
from visualiser.figures.cells import quantity
from visualiser.figures.saturation import pooled_moments, saturated_share
from visualiser.locale import exact, text
from visualiser.row_statistics import GRADIENT_BOXES, SPREAD_MEANS, also_said
from visualiser.state.view import View


def summary(name: str, result: AttentionResult, view: View | None = None) -> str:
    """Return one sentence on what the figure `name` shows now. Raise KeyError if there is no such figure."""
    return _SUMMARIES[name](result, view or View())


def brief(name: str, result: AttentionResult, view: View) -> str:
    """Return the few numbers beside the title of the figure `name`; empty if it has none."""
    return _BRIEFS[name](result, view) if name in _BRIEFS else ""


def _mean(result: AttentionResult, name: str, view: View) -> float:
    """Average a statistic over the heads shown and the rows that may attend to some key."""
    means = mean_over_rows(result, name)
    heads = view.heads(len(means))
    return float(means[heads[0] - 1 : heads[-1]].mean())


def _say_heat_maps(result: AttentionResult, view: View) -> str:
    h, n_q, n_k = result.weights.shape
    return text(
        view.lang,
        "table.heat_maps.summary",
        heads=len(view.heads(h)),
        n_q=n_q,
        n_k=n_k,
        stage=quantity(result, view),
        entropy=_mean(result, "entropy", view),
        largest=_mean(result, "largest_weight", view),
    )


def _say_score_distribution(result: AttentionResult, view: View) -> str:
    mean, variance = pooled_moments(result)  # of all heads, like the bars, even if one head is shown large
    measured = {"mean": mean, "variance": variance, "share": 100 * saturated_share(result, View())}
    if result.predicted_variance is None:
        return text(view.lang, "table.score_distribution.summary", **measured)
    predicted = exact(result.predicted_variance)
    return text(view.lang, "table.score_distribution.summary_predicted", **measured, predicted=predicted)


def _say_entropy(result: AttentionResult, view: View) -> str:
    lang = view.lang
    sentence = text(
        lang,
        "table.entropy.summary",
        entropy=_mean(result, "entropy", View()),
        ceiling=mean_ceiling(result),
        effective=_mean(result, "effective_keys", View()),
    )
    return also_said(lang, sentence, SPREAD_MEANS[2:], lambda each: _mean(result, each.name, View()))


def _say_gradient(result: AttentionResult, view: View) -> str:
    keys = float(result.ceiling.max().exp())
    lang = view.lang
    sentence = text(
        lang,
        "table.gradient.summary",
        norm=_mean(result, "jacobian_norm", View()),
        trace=_mean(result, "jacobian_trace", View()),
        most=1 - 1 / keys,
    )
    return also_said(lang, sentence, GRADIENT_BOXES[2:], lambda each: _mean(result, each.name, View()))


def _say_row_weights(result: AttentionResult, view: View) -> str:
    h, n_q, n_k = result.weights.shape
    row, head = view.inspected(n_q), view.single(h)
    weights = result.weights[head - 1, row]
    key = int(weights.argmax())
    return text(
        view.lang,
        "table.row_weights.summary",
        query=row,
        head=head,
        keys=n_k if result.mask is None else int(result.mask[row].sum()),
        key=key,
        weight=float(weights[key]),
        entropy=float(result.entropy[head - 1, row]),
    )


def _say_jacobian(result: AttentionResult, view: View) -> str:
    h, n_q, _ = result.weights.shape
    row, head = view.inspected(n_q), view.single(h)
    return text(
        view.lang,
        "table.jacobian.summary",
        query=row,
        head=head,
        norm=float(result.jacobian_norm[head - 1, row]),
        trace=float(result.jacobian_trace[head - 1, row]),
    )


_SUMMARIES: Final[Mapping[str, Callable[[AttentionResult, View], str]]] = MappingProxyType(
    {
        "heat-maps": _say_heat_maps,
        "score-distribution": _say_score_distribution,
        "entropy": _say_entropy,
        "gradient": _say_gradient,
        "row-weights": _say_row_weights,
        "jacobian": _say_jacobian,
    }
)


def _brief_scores(result: AttentionResult, view: View) -> str:
    return text(view.lang, "brief.score_distribution", variance=pooled_moments(result)[1])


def _brief_entropy(result: AttentionResult, view: View) -> str:
    entropy = _mean(result, "entropy", View())
    return text(view.lang, "brief.entropy", entropy=entropy, ceiling=mean_ceiling(result))


def _brief_gradient(result: AttentionResult, view: View) -> str:
    norm, trace = _mean(result, "jacobian_norm", View()), _mean(result, "jacobian_trace", View())
    return text(view.lang, "brief.gradient", norm=norm, trace=trace)


def _brief_row(result: AttentionResult, view: View) -> str:
    h, n_q, _ = result.weights.shape
    effective = float(result.effective_keys[view.single(h) - 1, view.inspected(n_q)])
    return text(view.lang, "brief.row_weights", effective=effective)


def _brief_jacobian(result: AttentionResult, view: View) -> str:
    h, n_q, _ = result.weights.shape
    norm = float(result.jacobian_norm[view.single(h) - 1, view.inspected(n_q)])
    return text(view.lang, "brief.jacobian", norm=norm)


_BRIEFS: Final[Mapping[str, Callable[[AttentionResult, View], str]]] = MappingProxyType(
    {
        "score-distribution": _brief_scores,
        "entropy": _brief_entropy,
        "gradient": _brief_gradient,
        "row-weights": _brief_row,
        "jacobian": _brief_jacobian,
    }
)
