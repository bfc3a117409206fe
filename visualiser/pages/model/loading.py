"""Fetching a model of the Hub, and loading one: runs with progress, which a visitor may cancel.

The page starts the second when the first has ended: a fetch waits for a network, in a line of its own, and a load
computes. A load measures the model's heads over the corpus as well. One that fails or is cancelled leaves the page, the
loaded models and what was fetched as they were. The memory of models is bounded by `HEADLIGHT_MODEL_MB` and not by
admission, which bounds what measuring and answers need besides.
"""

import contextvars
import threading
import time
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import Final

from attention_core import stopping
from visualiser import models
from visualiser.locale.message import message
from visualiser.pages.model.reasons import of_files
from visualiser.reasons.explained import explained
from visualiser.server import settings
from visualiser.server.admission.cost import Cost
from visualiser.server.live import parts
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.runs import Run

_PACE: Final = 100.0
"""Megabytes a second of a slow disk, its model built."""
_SAYING: Final = 0.02
"""The share of a fetch after which its end can be told."""


def unloaded(request: PageRequest) -> Iterator[bytes]:
    """Yield that the model of a link has to be loaded first, or fetched and loaded, and how large it is."""
    state = request.reading.state
    name = state.config.model
    about = models.described(name)
    found = {"model": name, "megabytes": models.megabytes(name)}
    key = "model.unloaded"
    if not about.here:
        key = "model.unfetched" if about.to_fetch else "model.unfetched_unsized"
        found["to_fetch"] = max(1, round(about.to_fetch))
    yield parts.state(state, request.reading.notices)
    yield parts.values(
        "unloaded", {**found, "here": about.here, "key": key, "takes": about.takes}, parts.Structures(request.known)
    )
    said = [message(key, **found)]
    yield parts.figures({}, parts.Structures(request.known), insight=explained(said, request.lang, of_files))


def load(request: PageRequest, run: Run) -> Iterator[bytes]:
    """Load the model of a link and measure its heads over the corpus, which labels them; or fetch it."""
    name = request.reading.state.config.model
    fetches, began = _fetches(request), time.monotonic()
    step = models.fetch if fetches else models.load
    for done in told(lambda tell: step(name, tell), run):
        yield parts.progress(max(1e-3, done), _left(began, done) if fetches else None)
    yield parts.ended(megabytes=models.megabytes(name))


def told(step: Callable[[Callable[[float], None]], object], run: Run) -> Iterator[float]:
    """Do work that tells how much of it is done, and yield that.

    A cancelled run stops the work, and what it raises is raised.
    """
    said: SimpleQueue[float | Exception | None] = SimpleQueue()

    def work() -> None:
        try:
            step(said.put)
            said.put(None)
        except Exception as problem:
            said.put(problem)

    with stopping(run.cancelled):
        context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(work,), daemon=True)
    thread.start()
    while (found := said.get()) is not None:
        if isinstance(found, Exception):
            raise found
        yield found
    thread.join()


def _left(began: float, done: float) -> float | None:
    """Return the seconds that a fetch will still take, if it goes on as it did; None too early to say."""
    return None if done < _SAYING else (time.monotonic() - began) * (1 - done) / done


def price(request: PageRequest) -> Cost:
    """Return the cost of a fetch; or of a load, by the size of the files, with the most that measuring takes."""
    about = models.described(request.reading.state.config.model)
    if _fetches(request):
        return Cost(1 + about.to_fetch / _PACE, 0, computes=False)
    return Cost(1 + about.megabytes / _PACE, settings.run_memory())


def _fetches(request: PageRequest) -> bool:
    """Return True for the page's wish to fetch; that of a load fetches nothing, whatever has happened meanwhile."""
    return request.extra.get("fetch") is True
