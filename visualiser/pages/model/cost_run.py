"""The runs of the page: what each head costs, where that takes long; and to fetch or load a model."""

import time
from collections.abc import Iterator

from attention_core import InvalidInput
from attention_core.learned import Said
from visualiser import models
from visualiser.pages.model import loading, reading, without_heads
from visualiser.pages.model.reach import most_tokens
from visualiser.server.admission.cost import SMALL, Cost
from visualiser.server.live import parts
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.runs import Run


def run(request: PageRequest, run: Run) -> Iterator[bytes]:
    """Compute what each head costs, for a wish of the page; else load or fetch the model of a link.

    Raises `InvalidInput` as `reading.read` does, and `nothing_said` for a model that says no distribution.
    """
    if not _costs(request):
        yield from loading.load(request, run)
        return
    found, began = reading.read(request), time.monotonic()
    said = None if found.shown.saying is None else found.shown.saying.after
    if not isinstance(said, Said):
        name = found.state.config.model
        raise InvalidInput("nothing_said", f"The model {name} says nothing that a head could cost.", value=name)
    place = found.shown.place(found.shown.row) if said.of_place else None
    heads = without_heads.heads_of(found.shown)
    config, most = found.state.config, most_tokens(found.state.config.model)
    for done in loading.told(
        lambda tell: models.costs(config, most, request.upload, heads, found.acting, place, progress=tell), run
    ):
        yield parts.progress(done, (time.monotonic() - began) * (1 - done) / done)
    yield parts.ended()


def price(request: PageRequest) -> Cost:
    """Return the cost of a run: of all heads beside the frame that it reads, or of a load."""
    if not _costs(request):
        return loading.price(request)
    work = without_heads.costs_work(request.reading.state.config, request.upload)
    return SMALL if work is None else Cost(work.seconds, work.memory, work.multiply_adds)


def _costs(request: PageRequest) -> bool:
    return request.extra.get("costs") is True
