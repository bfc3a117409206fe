"""One d_k on the Why √d_k page: each mechanism's result, with its tables and sentences."""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from attention_core import AttentionConfig, AttentionResult, Temperature, compute
from attention_core.blocks.row_statistics import statistic
from attention_core.config import SCALED
from attention_core.studies.sweep import WAYS
from attention_core.studies.temperature import MEASURES
from visualiser.gpu import page_device
from visualiser.listed_statistics import MECHANISMS, mean_label
from visualiser.locale import exact, text
from visualiser.locale.message import Message, message
from visualiser.pages.why import cells as why_cells
from visualiser.reasons.of_head import Made
from visualiser.tables import Column, Table

Results = Mapping[str, AttentionResult]
_OWN = "own"


def results(config: AttentionConfig) -> dict[str, AttentionResult]:
    """Return scaled, unscaled and additive results and, if the page's factor is another one, its own."""
    found = {
        name: compute(replace(config, mechanism=mechanism, scaling=scaling), device=page_device())
        for name, (mechanism, scaling) in WAYS.items()
    }
    if config.factor not in (1.0, 1 / math.sqrt(config.d_k)):
        found[_OWN] = compute(config, device=page_device())
    return found


def present(config: AttentionConfig, found: Results) -> AttentionResult:
    """Return the dot products with the page's own factor."""
    return found.get(_OWN) or found["unscaled" if config.factor == 1 else "scaled"]


def insight(config: AttentionConfig, found: Results) -> list[Message]:
    """Say what scaling does to the largest weight, then describe the point, mechanism by mechanism."""
    deviation, ceiling = math.sqrt(_variance(found["unscaled"])), math.log(config.n)
    largest = {name: float(found[name].largest_weight.mean()) for name in ("unscaled", "scaled")}
    return [
        message("short.why.scaling", **largest),
        message("why.unscaled", d_k=config.d_k, deviation=deviation, ceiling=ceiling, **_said(found["unscaled"])),
        message("why.scaled", factor=1 / math.sqrt(config.d_k), **_said(found["scaled"])),
        message("why.additive", **_said(found["additive"])),
    ]


def maps_table(found: Results, lang: str) -> Table:
    """List for each mechanism the means over the rows of its head."""
    columns = [
        *_names(found, lang),
        *(
            Column(
                mean_label(lang, each),
                np.array([float(one.statistic(each.name).mean()) for one in found.values()]),
                kind=each.name,
                made=why_cells.mean(found, each.name),
            )
            for each in MECHANISMS
        ),
    ]
    return Table(text(lang, "table.mechanism_maps.caption"), columns)


def scores_table(found: Results, lang: str) -> Table:
    """List the moments of the scores beside footnote 4's prediction, if it has one."""
    predicted = [np.nan if one.predicted_variance is None else one.predicted_variance for one in found.values()]
    columns = [
        *_names(found, lang),
        _column(
            lang, "mean", [float(one.score_mean) for one in found.values()], "score_mean", why_cells.score_mean(found)
        ),
        _column(
            lang,
            "variance",
            [_variance(one) for one in found.values()],
            "score_variance",
            why_cells.score_variance(found),
        ),
        _column(lang, "predicted_variance", predicted, "predicted_variance", why_cells.predicted(found)),
    ]
    return Table(text(lang, "table.mechanism_scores.caption"), columns)


def maps_summary(found: Results) -> list[Message]:
    """Say the largest weight and the entropy of a row, mechanism by mechanism."""
    return _items("table.mechanism_maps.item", found)


def scores_summary(found: Results) -> list[Message]:
    """Say the variance of the scores, mechanism by mechanism."""
    return _items("table.mechanism_scores.item", found)


def temperature_table(found: Temperature, n: int, lang: str) -> Table:
    """List the measures of each factor, over some of the rows of `n` queries."""
    means = {name: getattr(found, name).double().mean(-1).numpy() for name in MEASURES}
    factors = found.factors.double().numpy()
    columns = [Column(text(lang, "table.factor"), factors, kind="factor", made=why_cells.tried(factors))]
    columns += [
        Column(mean_label(lang, statistic(name)), values, kind=name, made=why_cells.mean_of(values, found.queries))
        for name, values in means.items()
    ]
    whole = found.queries == n
    caption = "table.temperature.caption" if whole else "table.temperature.caption_some"
    return Table(text(lang, caption, rows=found.queries, n=n), columns)


def temperature_summary(found: Temperature, config: AttentionConfig) -> list[Message]:
    """Say which factors spread and which collapse the weights, and on which side the paper's and the page's lie."""
    low, high = found.uniform_below, found.collapsed_above
    ends = [
        message("why.factor.never_uniform") if low is None else message("why.factor.uniform", below=low),
        message("why.factor.never_collapsed") if high is None else message("why.factor.collapsed", above=high),
    ]
    if low is None and high is None:
        return ends
    named = {"root": 1 / math.sqrt(config.d_k), "here": config.factor}
    return [
        *ends,
        *(message(f"why.{which}.{_side(factor, low, high)}", factor=exact(factor)) for which, factor in named.items()),
    ]


def _side(factor: float, low: float | None, high: float | None) -> str:
    if low is not None and factor <= low:
        return "uniform"
    if high is not None and factor >= high:
        return "collapsed"
    return "neither" if low is None or high is None else "between"


def _variance(one: AttentionResult) -> float:
    return float(one.score_variance)


def _said(one: AttentionResult) -> dict[str, float]:
    return {
        "variance": _variance(one),
        "largest": float(one.largest_weight.mean()),
        "entropy": float(one.entropy.mean()),
        "effective": float(one.effective_keys.mean()),
        "norm": float(one.jacobian_norm.mean()),
    }


def _items(key: str, found: Results) -> list[Message]:
    return [message(key, name=message(f"figure.mechanism.{name}"), **_said(one)) for name, one in found.items()]


def _names(found: Results, lang: str) -> list[Column]:
    names = [text(lang, f"figure.mechanism.{name}") for name in found]
    factors = [one.config.factor if SCALED[one.config.mechanism] else np.nan for one in found.values()]
    return [
        Column(text(lang, "table.mechanism"), names),
        Column(text(lang, "table.factor"), np.array(factors), kind="factor", made=why_cells.factor(found)),
    ]


def _column(lang: str, key: str, values: list[float], kind: str, made: Made) -> Column:
    return Column(text(lang, f"table.{key}"), np.array(values), kind=kind, made=made)
