"""The sentences and tables of a finished map: heads that choose, a sink, a repeated phrase."""

from collections import Counter
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray

from attention_core.inputs.structured import heads_with, motif_length, motif_starts
from visualiser.locale import text
from visualiser.pages.map.kept import Kept
from visualiser.row_statistics import MAP_HEADS, mean_label
from visualiser.server.live import parts
from visualiser.tables import Column, Table

SINK: Final = 0.2
"""The mean share of a head's weight from which a strip of keys is a sink; a strip is under 1/256 of the keys."""


def summary(kept: Kept, lang: str, structures: parts.Structures) -> bytes:
    """Return the tables and sentences of a map."""
    h, n_q, _ = kept.Q.shape
    n_k = kept.K.shape[1]
    bins_q, bins_k = kept.overview.mean.shape[1:]
    entropy = _mean(kept.statistics.entropy)
    sizes = {"heads": h, "n_q": n_q, "n_k": n_k, "rows": bins_q, "columns": bins_k}
    sentences = {
        "map": text(lang, "table.map.summary", **sizes, entropy=float(entropy.mean())),
        "strips": text(
            lang,
            "table.strips.summary",
            low=float(entropy.min()),
            high=float(entropy.max()),
            ceiling=float(kept.statistics.ceiling.max()),
        ),
    }
    tables = {"map": _heads_table(kept, lang), "strips": _strips_table(kept, lang)}
    return parts.figures({}, structures, tables=tables, summaries=sentences, insight=insight(kept, lang))


def insight(kept: Kept, lang: str) -> list[str]:
    """Write one to three sentences: the heads that differ most, a sink if there is one, a repeated phrase."""
    h = kept.Q.shape[0]
    effective = _mean(kept.statistics.effective_keys)
    narrow, wide = int(effective.argmin()), int(effective.argmax())
    keys = kept.K.shape[1]
    if h == 1:
        found = [text(lang, "insight.map_one_head", effective=float(effective[0]), keys=keys)]
    else:
        ends = {"few": float(effective[narrow]), "many": float(effective[wide])}
        found = [text(lang, "insight.map_heads", narrow=narrow + 1, wide=wide + 1, keys=keys, **ends)]
    head, band, share = sink(kept)
    if share >= SINK:
        edges = kept.overview.column_edges
        first, last = int(edges[band]), int(edges[band + 1]) - 1
        found.append(text(lang, "insight.map_sink", head=head + 1, first=first, last=last, share=100 * share))
    if kept.config.source == "structured":
        starts = ", ".join(map(str, motif_starts(kept.config).tolist()))
        heads = ", ".join(str(head + 1) for head in heads_with("motif", h))
        found.append(text(lang, "insight.map_planted", starts=starts, length=motif_length(kept.config), heads=heads))
    elif kept.tokens is not None:
        token, count = Counter(kept.tokens).most_common(1)[0]
        if count > 1:
            found.append(text(lang, "insight.map_repeated", token=token, count=count))
    return found


def sink(kept: Kept) -> tuple[int, int, float]:
    """Return (head, strip of keys, share): the overview's strip with the largest share of a head's weight.

    Exact: the mean of a block times its cells is the weight in it, and every query distributes a weight of 1. If a map
    is no wider than its overview, every key is a strip of its own. Among so few keys a share says nothing: 0 there.
    """
    if kept.K.shape[1] < 64:
        return 0, 0, 0.0
    heights, widths = kept.overview.row_edges.diff(), kept.overview.column_edges.diff()
    shares = torch.einsum("hij,i->hj", kept.overview.mean, heights.float()) * widths / heights.sum()
    share, where = shares.flatten().max(0)
    return (*divmod(int(where), shares.shape[1]), float(share))


def _heads_table(kept: Kept, lang: str) -> Table:
    """List for each head the means over its queries, and its largest weight with its position."""
    known = kept.statistics
    largest, query = known.largest_weight.max(-1)
    key = known.largest_at.gather(-1, query.unsqueeze(-1)).squeeze(-1)
    columns = [
        _column(lang, "head", np.arange(1, len(largest) + 1)),
        *(Column(mean_label(lang, each), _mean(known.statistic(each.name))) for each in MAP_HEADS),
        _column(lang, "variance", known.score_variance.numpy()),
        _column(lang, "largest_weight", largest.numpy()),
        _column(lang, "at_query", query.numpy()),
        _column(lang, "at_key", key.numpy()),
    ]
    return Table(text(lang, "table.map.caption"), columns)


def _strips_table(kept: Kept, lang: str) -> Table:
    """List for each head the least, middle and greatest entropy of its queries, and the position of the least."""
    entropy = kept.statistics.entropy
    ordered = entropy.sort(-1).values
    columns = [
        _column(lang, "head", np.arange(1, len(entropy) + 1)),
        _column(lang, "least", ordered[:, 0].numpy()),
        _column(lang, "at_query", entropy.argmin(-1).numpy()),
        _column(lang, "median", ordered[:, (ordered.shape[1] - 1) // 2].numpy()),
        _column(lang, "greatest", ordered[:, -1].numpy()),
    ]
    return Table(text(lang, "table.strips.caption"), columns)


def _mean(values: torch.Tensor) -> NDArray:
    """Return h: the mean over the queries; queries without keys count with the statistics' values for them."""
    return values.double().mean(-1).numpy()


def _column(lang: str, key: str, values: NDArray) -> Column:
    return Column(text(lang, f"table.{key}"), values)
