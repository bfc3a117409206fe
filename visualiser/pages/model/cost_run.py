"""The runs of the page: what each head costs or carries, where that takes long; and to fetch or load a model."""

import time
from collections.abc import Callable, Iterator

from attention_core import InvalidInput
from attention_core.learned import Said
from visualiser import models
from visualiser.pages.model import loading, reading, second_text, without_heads
from visualiser.pages.model.reach import most_tokens
from visualiser.server.admission.cost import SMALL, Cost
from visualiser.server.live import parts
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.runs import Run


def run(request: PageRequest, run: Run) -> Iterator[bytes]:
    """Compute what each head costs, or carries of a second text, for a wish of the page; else load or fetch a model.

    Raises `InvalidInput` as `reading.read` and `models.patched` do, and `nothing_said` for a model that says no
    distribution.
    """
    if not _costs(request):
        yield from loading.load(request, run)
        return
    found, began = reading.read(request), time.monotonic()
    said = None if found.shown.saying is None else found.shown.saying.after
    if not isinstance(said, Said):
        name = found.state.config.model
        raise InvalidInput("nothing_said", f"The model {name} says nothing that a head could cost.", value=name)
    for done in loading.told(_computed(request, found, said.of_place), run):
        yield parts.progress(done, (time.monotonic() - began) * (1 - done) / done)
    yield parts.ended()


def _computed(
    request: PageRequest, found: reading.Read, of_place: bool
) -> Callable[[Callable[[float], object]], object]:
    """Return what computes what a link asks for, telling its progress."""
    config, most = found.state.config, most_tokens(found.state.config.model)
    if second_text.is_asked(found.state.own):
        second = second_text.asked(found.state.own)
        return lambda tell: models.patched(config, most, second, found.acting, progress=tell)
    place = found.shown.place(found.shown.row) if of_place else None
    heads = without_heads.heads_of(found.shown)
    return lambda tell: models.costs(config, most, request.upload, heads, found.acting, place, progress=tell)


def price(request: PageRequest) -> Cost:
    """Return the cost of a run: of all heads beside the frame that it reads, or of a load."""
    if not _costs(request):
        return loading.price(request)
    state = request.reading.state
    if second_text.is_asked(state.own):
        work = second_text.work(state.config, state.own)
    else:
        work = without_heads.costs_work(state.config, request.upload)
    return SMALL if work is None else Cost(work.seconds, work.memory, work.multiply_adds)


def _costs(request: PageRequest) -> bool:
    return request.extra.get("costs") is True
