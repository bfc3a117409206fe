"""A map of a long sequence: the subject of its figures, and the names that the page's script draws it with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from attention_core import AttentionConfig
from attention_core.cached import cached_property
from visualiser.listed_statistics import STRIPS, of_rows
from visualiser.listed_statistics import WEIGHTS as WEIGHTS_KIND
from visualiser.listed_statistics import label as statistic_label
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.maps.facts import Facts, facts
from visualiser.maps.kept import Kept, Sink
from visualiser.maps.sinks import SHARE
from visualiser.theme import WEIGHTS

_MOST_SINKS: Final = 2


@dataclass(frozen=True, eq=False)
class Window:
    """The visible part: rows × columns squares of head `head` (from 1), NaN if the mask forbids all cells of one.

    Square (i, j) holds queries row_edges[i] … row_edges[i + 1] − 1 and, likewise, keys between column_edges; `pooling`
    is average or maximum. `sinks` are the head's keys with a large share of its weight, each with it (0 … 1).
    """

    cells: NDArray[np.float32]
    row_edges: NDArray[np.int64]
    column_edges: NDArray[np.int64]
    head: int
    pooling: str = "average"
    tokens: Sequence[str] | None = None
    sinks: Sequence[tuple[int, float]] = ()

    @property
    def sinks_seen(self) -> list[tuple[int, float]]:
        """The sinks among the keys in view, from the first key."""
        first, last = int(self.column_edges[0]), int(self.column_edges[-1])
        return sorted((key, share) for key, share in self.sinks if first <= key < last)


@dataclass(frozen=True, eq=False)
class Mapped:
    """A kept map, the head that is drawn (from 1), the queries in view, and the window onto the map."""

    kept: Kept
    head: int = 1
    rows: slice = field(default_factory=lambda: slice(0, None))
    window: Callable[[], Window] | None = None

    @cached_property
    def facts(self) -> Facts:
        """The facts of the map's sentences; measured once."""
        return facts(self.kept)


def look(config: AttentionConfig, lang: str, tokens: bool) -> dict[str, Any]:
    """Return the names of the map's axes, colours and strips for the page, which draws the cells itself."""
    names = {pooling: text(lang, f"figure.map.{pooling}") for pooling in ("average", "maximum")}
    listed = of_rows(config, STRIPS, WEIGHTS_KIND)
    return {
        **names,
        "coloraxis": {"colorscale": WEIGHTS, "colorbar": {"title": {"text": names["average"]}}},
        "xaxis": {"title": {"text": text(lang, "figure.axis.key")}},
        "yaxis": {"title": {"text": text(lang, "figure.axis.query")}},
        "tokens": tokens,
        "strips": [{"name": each.name, "unit": each.unit, "label": statistic_label(lang, each)} for each in listed],
    }


def largest_sink_sentence(sinks: Sequence[Sink]) -> Message:
    head, share = sinks[0].most
    largest = {"key": sinks[0].key, "head": head, "share": 100 * share}
    return message("insight.map_sinks", count=len(sinks), least=round(100 * SHARE), **largest)


def sink_sentences(sinks: Sequence[Sink]) -> list[Message]:
    """Name every sink with its heads; of more than a few, their number and the largest."""
    if len(sinks) > _MOST_SINKS:
        return [largest_sink_sentence(sinks)]
    return [
        message(
            "insight.map_sink",
            key=sink.key,
            shares=[message("insight.map_sink_share", head=head, share=100 * share) for head, share in sink.shares],
        )
        for sink in sinks
    ]


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
