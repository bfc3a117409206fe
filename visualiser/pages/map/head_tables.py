"""The tables of a finished map: each head's means, largest weight and spread of entropies."""

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from visualiser.listed_statistics import MAP_HEADS, mean_label
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.pages.map.facts import seeing
from visualiser.pages.map.geometry import keys
from visualiser.pages.map.kept import Kept
from visualiser.reasons import of_head
from visualiser.reasons.of_head import Made
from visualiser.reasons.of_result import averaged
from visualiser.tables import Column, Table


def heads_table(kept: Kept, lang: str) -> Table:
    """List for each head the means over the queries with keys, and its largest weight with its position."""
    known, seen = kept.statistics, seeing(kept)
    largest, query = known.largest_weight.max(-1)
    key = known.largest_at.gather(-1, query.unsqueeze(-1)).squeeze(-1)
    means = {each: known.statistic(each.name)[:, seen].double().mean(-1).numpy() for each in MAP_HEADS}
    columns = [
        _column(lang, "head", np.arange(1, len(largest) + 1)),
        *(
            Column(mean_label(lang, each), values, kind=each.name, made=_mean(kept, each.name, values))
            for each, values in means.items()
        ),
        _column(lang, "variance", known.score_variance.numpy(), "score_variance", _variance(kept)),
        _column(
            lang, "largest_weight", largest.numpy(), "largest_weight", lambda head: of_head.over(float(largest[head]))
        ),
        _column(lang, "at_query", query.numpy()),
        _column(lang, "at_key", key.numpy()),
    ]
    return Table(text(lang, "table.map.caption"), columns)


def strips_table(kept: Kept, lang: str) -> Table:
    """List for each head the least, middle and greatest entropy of the queries with keys, and where the least is."""
    where = seeing(kept).nonzero().flatten()
    entropy = kept.statistics.entropy[:, where]
    ordered = entropy.sort(-1).values

    def ranked(rank: int) -> Made:
        return lambda head: message(
            "reason.made.ranked", value=float(ordered[head, rank]), rank=rank + 1, rows=ordered.shape[1]
        )

    middle, last = (ordered.shape[1] - 1) // 2, ordered.shape[1] - 1
    columns = [
        _column(lang, "head", np.arange(1, len(entropy) + 1)),
        _column(lang, "least", ordered[:, 0].numpy(), "entropy", ranked(0)),
        _column(lang, "at_query", where[entropy.argmin(-1)].numpy()),
        _column(lang, "median", ordered[:, middle].numpy(), "entropy", ranked(middle)),
        _column(lang, "greatest", ordered[:, -1].numpy(), "entropy", ranked(last)),
    ]
    return Table(text(lang, "table.strips.caption"), columns)


def _mean(kept: Kept, name: str, values: NDArray) -> Made:
    seen = seeing(kept)

    def made(head: int) -> Message:
        return averaged(name, float(values[head]), kept.statistics.statistic(name)[head, seen].double()).made

    return made


def _variance(kept: Kept) -> Made:
    """Return the arithmetic of the variance of each head's scores, over the cells that the mask allows."""
    (_, n_q, _), n_k = kept.Q.shape, kept.K.shape[1]
    cells, known = int(keys(kept.config, n_q, n_k).sum()), kept.statistics

    def made(head: int) -> Message:
        average, value = float(known.score_mean[head]), float(known.score_variance[head])
        return of_head.summed("reason.made.variance_of_scores", value, cells, mean=average)

    return made


def _column(lang: str, key: str, values: NDArray, kind: str = "", made: Made | None = None) -> Column:
    return Column(text(lang, f"table.{key}"), values, kind=kind, made=made)


HEADS: Final[Mapping[str, Callable[[Kept, str], Table]]] = {"map": heads_table, "strips": strips_table}
"""The tables of a map by the figures that they stand behind."""
