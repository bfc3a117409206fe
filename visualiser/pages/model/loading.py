"""Fetching a model of the Hub, loading one, measuring its heads and reading texts: runs with progress and a cancel.

The page starts each when the one before has ended. A fetch waits for a network, in a line of its own; the others
compute. A run that fails or is cancelled leaves the page, the loaded models and what was fetched as they were. The
memory of models is bounded by `HEADLIGHT_MODEL_MB` and not by admission, which bounds what measuring and answers need
besides.
"""

import contextvars
import threading
import time
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import Final, Literal

from attention_core import stopping
from visualiser import models
from visualiser.locale.message import message
from visualiser.models.hub import HUB
from visualiser.pages.model.reasons import of_files
from visualiser.reasons.explained import explained
from visualiser.server import settings
from visualiser.server.admission.cost import Cost
from visualiser.server.live import parts
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.runs import Run

_PACE: Final = 100.0
"""Megabytes a second of a slow disk, its model built."""
_LIGHT: Final = 200
"""Megabytes below which a model of a link is fetched and loaded without a press, whoever is served."""
_SAYING: Final = 0.02
"""The share of a fetch, or of measuring, after which its end can be told."""

Wish = Literal["fetch", "load", "measure", "read"]


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
    listed = HUB.about(name)
    further = {
        "here": about.here,
        "key": key,
        "takes": about.takes,
        "layers": about.layers or 0,
        "h": about.h or 0,
        "licence": "" if listed is None else listed.licence,
        "auto": loads_by_itself(about),
    }
    yield parts.state(state, request.reading.notices)
    yield parts.values("unloaded", {**found, **further}, parts.Structures(request.known))
    said = [message(key, **found)]
    yield parts.figures({}, parts.Structures(request.known), insight=explained(said, request.lang, of_files))


def loads_by_itself(about: models.Described, own: bool | None = None) -> bool:
    """Return True for a model that a link alone loads: what an owner has, and for strangers what is light.

    A fetch that is not light waits for a press of an owner, too: it takes a network that may cost.
    """
    own = settings.is_own() if own is None else own
    is_light = 0 < about.megabytes < _LIGHT and about.to_fetch < _LIGHT
    return (own and about.here) or is_light


def load(request: PageRequest, run: Run) -> Iterator[bytes]:
    """Fetch the model of a link, load it, measure its heads over the corpus or read texts with it, as the page wishes.

    One of these is done at a time. While another visitor's run does so this one follows it, in a line of its
    own, and says at its end if the page has to ask `again`: who waits takes no place from those that compute.
    """
    name, texts, wish, began = *_what(request), _wish(request), time.monotonic()
    if run.computes or wish == "fetch":
        steps: dict[Wish, Callable[[Callable[[float], None]], object]] = {
            "fetch": lambda tell: models.fetch(name, tell),
            "load": lambda tell: models.load(name, tell),
            "measure": lambda tell: models.measure(name, tell),
            "read": lambda tell: models.read_over(name, texts, tell),
        }
        for done in told(steps[wish], run):
            yield parts.progress(max(1e-3, done), None if wish == "load" else _left(began, done))
    else:
        yield from _followed((wish, name, texts if wish == "read" else ""))
    again = wish != "fetch" and not _is_done(wish, name, texts)
    yield parts.ended(megabytes=models.megabytes(name), again=again)


def _what(request: PageRequest) -> tuple[str, str]:
    """Return the model of a request, and the texts that it wishes to have read."""
    state = request.reading.state
    return state.config.model, str(state.own["texts"])


def _followed(wished: tuple[Wish, str, str]) -> Iterator[bytes]:
    """Yield how far another visitor's run is with the same, or that something else has to end before."""
    told = False
    for done in models.follow():
        if models.under_way() == wished:
            yield parts.progress(max(1e-3, done), None)
        elif not told:
            told = True
            yield parts.waiting(1, 1)


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
    """Return the seconds that a run will still take, if it goes on as it did; None too early to say."""
    return None if done < _SAYING else (time.monotonic() - began) * (1 - done) / done


def price(request: PageRequest) -> Cost:
    """Return the cost of a fetch; of a load, by the size of the files; or of measuring, by the most that it takes."""
    (name, texts), wish = _what(request), _wish(request)
    about = models.described(name)
    if wish == "fetch":
        return Cost(1 + about.to_fetch / _PACE, 0, line="fetches")
    if models.under_way() is not None:
        return Cost(1.0, 0, line="followers")
    if wish == "read":
        return Cost(1 + models.reading_seconds(name, texts), settings.run_memory())
    return Cost(1 + about.megabytes / _PACE, settings.run_memory())


def _wish(request: PageRequest) -> Wish:
    """Return what the page wishes: a load fetches nothing, whatever has happened meanwhile."""
    if request.extra.get("fetch") is True:
        return "fetch"
    if request.extra.get("read") is True:
        return "read"
    return "measure" if request.extra.get("measure") is True else "load"


def _is_done(wish: Wish, name: str, texts: str) -> bool:
    """Return True if a model is loaded; is measured as far as it can be, as is one that has left meanwhile; or has read
    texts that it can read."""
    if wish == "load":
        return models.is_loaded(name)
    if wish == "read":
        return models.text_reading(name, texts) is not None or texts not in models.offered_texts(name)
    return models.is_measured(name) or models.unmeasurable(name) is not None
