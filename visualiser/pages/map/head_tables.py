"""The tables of a finished map: each head's means, largest weight and spread of entropies."""

import numpy as np
from numpy.typing import NDArray

from visualiser.locale import text
from visualiser.pages.map.facts import seeing
from visualiser.pages.map.kept import Kept
from visualiser.row_statistics import MAP_HEADS, mean_label
from visualiser.tables import Column, Table


def heads_table(kept: Kept, lang: str) -> Table:
    """List for each head the means over the queries with keys, and its largest weight with its position."""
    known, seen = kept.statistics, seeing(kept)
    largest, query = known.largest_weight.max(-1)
    key = known.largest_at.gather(-1, query.unsqueeze(-1)).squeeze(-1)
    means = {each: known.statistic(each.name)[:, seen].double().mean(-1).numpy() for each in MAP_HEADS}
    columns = [
        _column(lang, "head", np.arange(1, len(largest) + 1)),
        *(Column(mean_label(lang, each), values) for each, values in means.items()),
        _column(lang, "variance", known.score_variance.numpy()),
        _column(lang, "largest_weight", largest.numpy()),
        _column(lang, "at_query", query.numpy()),
        _column(lang, "at_key", key.numpy()),
    ]
    return Table(text(lang, "table.map.caption"), columns)


def strips_table(kept: Kept, lang: str) -> Table:
    """List for each head the least, middle and greatest entropy of the queries with keys, and where the least is."""
    where = seeing(kept).nonzero().flatten()
    entropy = kept.statistics.entropy[:, where]
    ordered = entropy.sort(-1).values
    columns = [
        _column(lang, "head", np.arange(1, len(entropy) + 1)),
        _column(lang, "least", ordered[:, 0].numpy()),
        _column(lang, "at_query", where[entropy.argmin(-1)].numpy()),
        _column(lang, "median", ordered[:, (ordered.shape[1] - 1) // 2].numpy()),
        _column(lang, "greatest", ordered[:, -1].numpy()),
    ]
    return Table(text(lang, "table.strips.caption"), columns)


def _column(lang: str, key: str, values: NDArray) -> Column:
    return Column(text(lang, f"table.{key}"), values)
