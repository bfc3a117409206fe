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
from visualiser.locale import exact, text
from visualiser.row_statistics import MECHANISMS, mean_label
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


def insight(config: AttentionConfig, found: Results, lang: str) -> list[str]:
    """Describe the point, mechanism by mechanism."""
    first = text(
        lang, "why.unscaled", d_k=config.d_k, deviation=math.sqrt(_variance(found["unscaled"])),
        **_said(found["unscaled"]), ceiling=math.log(config.n),
    )  # fmt: skip
    second = text(lang, "why.scaled", factor=1 / math.sqrt(config.d_k), **_said(found["scaled"]))
    third = text(lang, "why.additive", **_said(found["additive"]))
    return [first, second, third]


def maps_table(found: Results, lang: str) -> Table:
    """List for each mechanism the means over the rows of its head."""
    columns = [
        *_names(found, lang),
        *(
            Column(mean_label(lang, each), np.array([float(one.statistic(each.name).mean()) for one in found.values()]))
            for each in MECHANISMS
        ),
    ]
    return Table(text(lang, "table.mechanism_maps.caption"), columns)


def scores_table(found: Results, lang: str) -> Table:
    """List the moments of the scores beside footnote 4's prediction, if it has one."""
    predicted = [np.nan if one.predicted_variance is None else one.predicted_variance for one in found.values()]
    columns = [
        *_names(found, lang),
        _column(lang, "mean", [float(one.score_mean) for one in found.values()]),
        _column(lang, "variance", [_variance(one) for one in found.values()]),
        _column(lang, "predicted_variance", predicted),
    ]
    return Table(text(lang, "table.mechanism_scores.caption"), columns)


def maps_summary(found: Results, lang: str) -> str:
    """Write the largest weight of a row, mechanism by mechanism."""
    return _sentence("table.mechanism_maps.summary", "table.mechanism_maps.item", found, lang)


def scores_summary(found: Results, lang: str) -> str:
    """Write the variance of the scores, mechanism by mechanism."""
    return _sentence("table.mechanism_scores.summary", "table.mechanism_scores.item", found, lang)


def temperature_table(found: Temperature, lang: str) -> Table:
    """List the measures of each factor."""
    means = {name: getattr(found, name).double().mean(-1).numpy() for name in MEASURES}
    columns = [Column(text(lang, "table.factor"), found.factors.double().numpy())]
    columns += [Column(mean_label(lang, statistic(name)), values) for name, values in means.items()]
    return Table(text(lang, "table.temperature.caption"), columns)


def temperature_summary(found: Temperature, config: AttentionConfig, lang: str) -> str:
    """Say which factors spread and which collapse the weights, and on which side the paper's and the page's lie."""
    root = 1 / math.sqrt(config.d_k)
    low, high = found.uniform_below, found.collapsed_above
    said = [
        text(lang, "why.factor.uniform" if low else "why.factor.never_uniform", below=low),
        text(lang, "why.factor.collapsed" if high else "why.factor.never_collapsed", above=high),
        text(lang, f"why.root.{_side(root, low, high)}", factor=exact(root)),
        text(lang, f"why.here.{_side(config.factor, low, high)}", factor=exact(config.factor)),
    ]
    return " ".join(said)


def _side(factor: float, low: float | None, high: float | None) -> str:
    if low is not None and factor <= low:
        return "uniform"
    return "collapsed" if high is not None and factor >= high else "between"


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


def _sentence(whole: str, item: str, found: Results, lang: str) -> str:
    items = [text(lang, item, name=text(lang, f"figure.mechanism.{k}"), **_said(one)) for k, one in found.items()]
    return text(lang, whole, items="; ".join(items))


def _names(found: Results, lang: str) -> list[Column]:
    names = [text(lang, f"figure.mechanism.{name}") for name in found]
    factors = [one.config.factor if SCALED[one.config.mechanism] else np.nan for one in found.values()]
    return [Column(text(lang, "table.mechanism"), names), Column(text(lang, "table.factor"), np.array(factors))]


def _column(lang: str, key: str, values: list[float]) -> Column:
    return Column(text(lang, f"table.{key}"), np.array(values))
