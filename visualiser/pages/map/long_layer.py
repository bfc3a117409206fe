"""A layer of a folder's model over a long text: planned before it is read, then read as the first part of a run."""

import contextvars
import threading
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Final

from attention_core import stopping
from attention_core.learned import LongModel
from attention_core.threads import computing_with
from visualiser.models import long_texts
from visualiser.models.run_work import Work
from visualiser.server.admission.entry import admission
from visualiser.server.live import parts
from visualiser.server.live.runs import Run, threads

SECONDS: Final = 600.0
"""The longest expected time of reading; a longer text is read as far as that goes."""
_BEAT: Final = 0.25
"""Seconds between two reports of progress."""


@dataclass(frozen=True)
class Unread:
    """A layer that is still to be read: `layers` of the model, `heads` of the layer, `cut` if the text goes on."""

    layers: int
    heads: int
    cut: bool

    @property
    def own(self) -> dict[str, Any]:
        """What the page's script needs; the layer's mask is known once it has read."""
        return {"layers": self.layers, "mask": "none"}


def most_read(model: LongModel, layer: int, most: int) -> int:
    """Return the longest text that the model reads up to this layer here: its context, memory, time."""
    return long_texts.longest(model, most, admission().long.total, SECONDS, min(layer, model.layers), 1, 1)


def work(model: LongModel, layer: int, n: int) -> Work:
    """Return what reading a layer over n tokens takes."""
    return long_texts.work(model, n, min(layer, model.layers), 1, 1)


def told_by(work: Callable[[Callable[[float], object]], Any], run: Run, share: float) -> Generator[bytes, None, Any]:
    """Yield the progress of `work`, which is given a function that hears the share done; return what it returns.

    It has half of the run's cores: a pass in blocks is many short operations, and on a busy machine threads that wait
    for each other at each of them took eight times as long as one alone.
    """
    told: SimpleQueue[float | Exception | tuple[Any]] = SimpleQueue()

    def worked() -> None:
        try:
            with computing_with(max(1, threads() // 2)):
                told.put((work(told.put),))
        except Exception as problem:
            told.put(problem)

    with stopping(run.cancelled):
        context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(worked,), daemon=True)
    began = last = time.monotonic()
    thread.start()
    while not isinstance(found := told.get(), tuple):
        if isinstance(found, Exception):
            raise found
        now = time.monotonic()
        if now - last > _BEAT and found > 0:
            last = now
            yield parts.progress(max(1e-3, share * found), (now - began) * (1 / (share * found) - 1))
    thread.join()
    return found[0]
