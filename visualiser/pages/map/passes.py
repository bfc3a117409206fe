"""The long run of the Map page: one pass over the sequence; overview and strips go out as rows become final."""

import time
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from attention_core import AttentionConfig, Overview, Step, attention_passes, normalisations
from attention_core.blocks.row_statistics import derived
from attention_core.threads import computing_with
from visualiser.figures.mapped import Mapped, look
from visualiser.listed_statistics import STRIPS, WEIGHTS, of_rows
from visualiser.maps.geometry import cells, hidden, keys, options
from visualiser.maps.kept import BINS, Kept
from visualiser.pages.map import every_head
from visualiser.pages.map.fitting import Fitting, fitting
from visualiser.pages.map.reasons import of_plan
from visualiser.pages.map.sequence import Subject, read_first, subject
from visualiser.pages.map.store import STORE
from visualiser.pages.map.summary import summary
from visualiser.pages.of_model import vocabulary
from visualiser.reasons.explained import explained
from visualiser.reasons.kinds import KINDS, formula, kind_of
from visualiser.server.instance import new_name
from visualiser.server.live import parts, wire
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.runs import Run, threads

BEAT: Final = 0.25
"""Seconds between two parts of new rows."""

PRIOR: Final = 0.1
"""The share of a pass that its plan's estimate weighs as much as, in the estimate of the time left."""


def run(request: PageRequest, run: Run) -> Iterator[bytes]:
    """Run the pass for the state of `request`; if cancelled, end after at most one more block of queries.

    A request that wants every head's numbers gets the run of those.
    """
    if request.extra.get("wanted") == every_head.WANTED:
        yield from every_head.run(request, run)
        return
    _, _, requested = subject(request)
    STORE.drop(request.extra.get("replaces"))
    fitted = fitting(requested)
    before = 0.0
    if fitted.unread:
        before = fitted.reading / (fitted.reading + fitted.seconds)
        fitted = fitting((yield from read_first(fitted.shown, request, run, before)))
    shown = fitted.shown
    Q, K = (tensor.to(fitted.device) for tensor in shown.tensors())
    name, sending, statistics = new_name(), Sending(fitted, request, before), None
    yield sending.opening(name)
    with computing_with(threads()), closing(_steps(Q, K, shown)) as steps:
        for step in steps:
            if run.cancelled():
                return
            statistics = step.statistics
            if statistics or sending.due:
                yield from sending.new_rows(step)
    assert statistics is not None  # the last step brings them
    mapped = Mapped(Kept(shown.config, Q, K, shown.tokens, statistics, line=shown.line))
    yield summary(mapped, request.lang, sending.structures)
    STORE.put(name, replace(mapped.kept, sinks=mapped.facts.sinks), request.client)
    yield parts.ended(id=name)


def _steps(Q: Tensor, K: Tensor, shown: Subject) -> Generator[Step, None, None]:
    return attention_passes(Q, K, overview=BINS, **options(shown.config))


class Sending:
    """The parts of one pass for the browser: each final row of overview and strips once.

    `before` is the share of the run that was over when the pass began.
    """

    def __init__(self, fitted: Fitting, request: PageRequest, before: float = 0.0) -> None:
        self.structures = parts.Structures(request.known)
        self._fitted, self._shown, self._lang, self._before = fitted, fitted.shown, request.lang, before
        shown = self._shown
        n_q, n_k = shown.n_q, shown.n_k
        self._row_edges, self._column_edges = (edges(n, BINS) for n in (n_q, n_k))
        self._hidden = hidden(shown.config, self._row_edges, self._column_edges, n_q, n_k)
        counts = keys(shown.config, n_q, n_k)
        outcomes = counts.clamp_min(1) + ("sink_weight" in normalisations.of(shown.config).statistics)
        self._ceiling = outcomes.double().log().float()
        self._cells = float(counts.sum())
        self._bands = self._rows = 0
        self._began = self._last = time.monotonic()

    @property
    def due(self) -> bool:
        """True if it is time to send new rows."""
        return time.monotonic() - self._last >= BEAT

    def opening(self, name: str) -> bytes:
        """Return the part before the first rows: sizes, edges, tokens, names of the axes."""
        shown = self._shown
        part = wire.Part()
        tree = {
            "tokens": None if shown.tokens is None else list(shown.tokens),
            **vocabulary(shown.line),
            "look": _look(shown.config, self._lang, shown.tokens is not None),
            "ceiling": self._ceiling.numpy(),
        }
        header = {
            "part": "map",
            "id": name,
            "heads": shown.h,
            "n_q": shown.n_q,
            "n_k": shown.n_k,
            "bins_q": len(self._row_edges) - 1,
            "bins_k": len(self._column_edges) - 1,
            "row_edges": self._row_edges.tolist(),
            "column_edges": self._column_edges.tolist(),
            "cut": explained(self._fitted.sentences(), self._lang, of_plan(shown.config.source)),
            "values": self.structures.entry(part, tree),
        }
        return part.close(header)

    def new_rows(self, step: Step) -> Iterator[bytes]:
        """Yield the rows that became final since the last call, and the progress."""
        self._last = time.monotonic()
        bands = int(np.searchsorted(self._row_edges, step.done, side="right")) - 1
        if bands > self._bands and step.picture is not None:
            yield self._overview(step.picture(), slice(self._bands, bands))
            self._bands = bands
        yield self._strips(step, slice(self._rows, step.done))
        self._rows = step.done
        done = cells(self._shown.config, self._shown.n_q, self._shown.n_k, step.done) / max(1.0, self._cells)
        spent = time.monotonic() - self._began
        whole = self._before + (1 - self._before) * done
        yield parts.progress(whole, seconds_left(done, spent, self._fitted.seconds))

    def _overview(self, picture: Overview, bands: slice) -> bytes:
        mean, maximum = (
            np.where(self._hidden[bands], np.float32(np.nan), tensor[:, bands].numpy())
            for tensor in (picture.mean, picture.maximum)
        )
        tree = {"first": bands.start, "last": bands.stop, "mean": mean, "maximum": maximum}
        return parts.values("overview", _as_data(tree), self.structures)

    def _strips(self, step: Step, rows: slice) -> bytes:
        known = step.rows(rows)
        listed = of_rows(self._shown.config, STRIPS, WEIGHTS)
        values = {each.name: derived(each.name, known).numpy() for each in listed}
        tree = {"first": rows.start, "last": rows.stop, **values}
        return parts.values("strips", _as_data(tree), self.structures)


def seconds_left(done: float, spent: float, expected: float) -> float:
    """Return the seconds that a pass will still take after `spent` seconds, `done` (0 … 1) of it being over.

    It begins as its plan's estimate, `expected`, and the pass's own speed counts more and more: its first rows come
    after a preparation, and alone would announce many times its real end.
    """
    return (1 - done) * (PRIOR * expected + spent) / (PRIOR + done)


def edges(n: int, bins: int) -> NDArray[np.int64]:
    """Return the edges of the overview's blocks, equal to those of `attention_overview`."""
    width = -(-n // bins)
    return np.minimum(np.arange(-(-n // width) + 1) * width, n)


def _as_data(tree: dict[str, Any]) -> dict[str, Any]:
    """Turn whole numbers into numpy's, so that they are data of an entry and not a structure of its own."""
    return {key: np.int64(value) if isinstance(value, int) else value for key, value in tree.items()}


def _look(config: AttentionConfig, lang: str, tokens: bool) -> dict[str, Any]:
    """Return the names of axes, colours and strips, and the formula and section of what each strip shows."""
    found = look(config, lang, tokens)
    kinds = [kind_of(config, one["name"]) for one in found["strips"]]
    asked = [[formula(lang, kind), KINDS[kind].section] for kind in kinds]
    return {**found, "strips": [{**one, "asked": each} for one, each in zip(found["strips"], asked, strict=True)]}
