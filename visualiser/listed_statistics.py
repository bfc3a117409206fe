"""The row statistics that each place of the page lists, their order and their labels."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from attention_core import AttentionConfig, RowStatistic, normalisations
from attention_core.blocks.row_statistics import public_statistics, statistic
from visualiser.locale import text
from visualiser.locale.message import Message, message

WEIGHTS, GRADIENT = "weights", "gradient"


def listed(*first: str, kinds: Sequence[str] = (WEIGHTS, GRADIENT), without: Sequence[str] = ()) -> list[RowStatistic]:
    """Return the statistics `first`, in this order, then all others of these kinds except those in `without`.

    A new entry of the core's table thereby appears wherever statistics are listed.
    """
    named = [statistic(name) for name in (*first, *without)]
    return named[: len(first)] + [each for each in public_statistics(*kinds) if each not in named]


PER_HEAD: Final = listed()
"""The numbers that endpoints return for each head."""

IN_FILES: Final = public_statistics()
"""The columns of CSV and npz files, ceiling included."""

SPREAD_BOXES: Final = listed("entropy", kinds=[WEIGHTS], without=["effective_keys", "largest_weight"])
"""Boxes of Explore's figure of entropies. Effective keys are its right axis; the maps show the largest weights."""

GRADIENT_BOXES: Final = listed("jacobian_norm", "jacobian_trace", kinds=[GRADIENT])
"""Boxes of Explore's figure of the softmax's Jacobian."""

SPREAD_MEANS: Final = listed("entropy", "effective_keys", kinds=[WEIGHTS], without=["largest_weight"])
"""Means in the table of Explore's figure of entropies."""

MECHANISMS: Final = listed("entropy", "effective_keys", "largest_weight", "jacobian_norm", "jacobian_trace")
"""Means in the table of the Why page's maps."""

MAP_HEADS: Final = listed("entropy", "effective_keys", "jacobian_norm", without=["jacobian_trace", "largest_weight"])
"""Means in the Map page's table of heads, which also shows the largest weight and its position."""

STRIPS: Final = listed("entropy", "largest_weight", "effective_keys", without=["jacobian_norm", "jacobian_trace"])
"""Strips along the Map page's queries."""

ROW_FACTS: Final = listed(
    "entropy", "ceiling", "effective_keys", "jacobian_norm", "largest_weight", without=["jacobian_trace"]
)
"""Numbers of the open row on the Map page."""


def of_rows(config: AttentionConfig, statistics: Sequence[RowStatistic], *kinds: str) -> list[RowStatistic]:
    """Return those of `statistics` that the config's rows have, then their further ones of these kinds, or of all.

    For a softmax they are `statistics`; a sink adds its weight, gates have a mass and no entropy. Raises `InvalidInput`
    (`unknown_choice`) for a normalisation without any.
    """
    normalisations.part(config, lambda one: one.kind, "here")
    return among(normalisations.of(config).statistics, statistics, *kinds)


def among(names: Iterable[str], statistics: Sequence[RowStatistic], *kinds: str) -> list[RowStatistic]:
    """Return those of `statistics` that are in `names`, then of these the further ones, as `of_rows` does."""
    there = [statistic(name) for name in names]
    further = [each for each in there if not each.common and (not kinds or each.kind in kinds)]
    return [*(each for each in statistics if each in there), *further]


def named(each: RowStatistic) -> Message:
    """Return the statistic's name with its unit: entropy (nats)."""
    return message(f"statistic.in.{each.unit}", name=message(f"statistic.{each.name}"))


def label(lang: str, each: RowStatistic) -> str:
    """Return the statistic's name with its unit in a language."""
    return named(each).written(lang)


def mean_label(lang: str, each: RowStatistic) -> str:
    """Return the name of its mean over rows: mean entropy (nats)."""
    return text(lang, "statistic.mean", name=label(lang, each))


def median_label(lang: str, each: RowStatistic) -> str:
    """Return the name of its median over rows."""
    return text(lang, "statistic.median", name=label(lang, each))


def locked_label(lang: str, each: RowStatistic) -> str:
    """Return the name of its value in the locked row."""
    return text(lang, "statistic.locked", name=label(lang, each))


def further_statistics(others: Sequence[RowStatistic], value: Callable[[RowStatistic], float]) -> list[Message]:
    """Say the statistics that no other sentence mentions."""
    return [message("statistic.said", name=named(each), value=value(each)) for each in others]
