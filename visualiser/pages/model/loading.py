"""Loading a model of the folder: a run with progress, which a visitor may cancel.

A load that fails or is cancelled leaves the page and the loaded models as they were. The memory of models is bounded by
`HEADLIGHT_MODEL_MB` and not by admission, which bounds what answers need besides.
"""

import contextvars
import threading
from collections.abc import Iterator
from queue import SimpleQueue
from typing import Final

from attention_core import stopping
from visualiser import models
from visualiser.locale.message import message
from visualiser.pages.model.reasons import of_files
from visualiser.reasons.explained import explained
from visualiser.server.admission.cost import MEBIBYTE, Cost
from visualiser.server.live import parts
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.runs import Run

_READING: Final = 0.8
"""The share of the progress that is reading the model; the rest is reading the corpus with it."""

_PACE: Final = 100.0
"""Megabytes a second of a slow disk, its model built."""


def unloaded(request: PageRequest) -> Iterator[bytes]:
    """Yield that the model of a link has to be loaded first, and how large it is."""
    state = request.reading.state
    name = state.config.model
    found = {"model": name, "megabytes": models.megabytes(name)}
    yield parts.state(state, request.reading.notices)
    yield parts.values("unloaded", found, parts.Structures(request.known))
    said = [message("model.unloaded", **found)]
    yield parts.figures({}, parts.Structures(request.known), insight=explained(said, request.lang, of_files))


def load(request: PageRequest, run: Run) -> Iterator[bytes]:
    """Load the model of a link and measure its heads over the corpus, which labels them."""
    name = request.reading.state.config.model
    told: SimpleQueue[float | Exception | None] = SimpleQueue()

    def work() -> None:
        try:
            models.load(name, lambda share: told.put(_READING * share))
            models.measure(name, lambda done, of: told.put(_READING + (1 - _READING) * done / of))
            told.put(None)
        except Exception as problem:
            told.put(problem)

    with stopping(run.cancelled):
        context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(work,), daemon=True)
    thread.start()
    while (found := told.get()) is not None:
        if isinstance(found, Exception):
            raise found
        yield parts.progress(max(1e-3, found))
    thread.join()
    yield parts.ended()


def price(request: PageRequest) -> Cost:
    """Return the cost of a load, by the size of the model's files."""
    megabytes = models.megabytes(request.reading.state.config.model)
    return Cost(1 + megabytes / _PACE, 16 * MEBIBYTE)
