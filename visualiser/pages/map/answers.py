"""The questions about a map, and the answer if the server no longer has it."""

from collections.abc import Callable, Iterator, Mapping
from functools import wraps

from visualiser.locale import text
from visualiser.pages.map import MAP, files
from visualiser.pages.map.predicted import covers, reveal
from visualiser.pages.map.rows import arithmetic_of, row
from visualiser.pages.map.store import IDLE_MINUTES, Gone
from visualiser.pages.map.tiles import tiles
from visualiser.server.live import parts
from visualiser.server.live.page_request import PageRequest

Answer = Callable[[PageRequest], Iterator[bytes]]


def finding(answer: Answer) -> Answer:
    """Wrap `answer`: if its map is gone, yield a part that says so, so that the page can offer to recompute."""

    @wraps(answer)
    def found(request: PageRequest) -> Iterator[bytes]:
        try:
            yield from answer(request)
        except Gone as gone:
            code = f"map_gone_{gone.reason}"
            yield parts.failure(
                text(request.lang, f"error.{code}", minutes=IDLE_MINUTES), gone=True, reason=gone.reason
            )

    return found


def waiting(answer: Answer, shown: Callable[[PageRequest], bool] = lambda _: False) -> Answer:
    """Wrap an answer that would answer the question of a link: a sentence says that it waits.

    `shown` is True for what the page shows all the same.
    """

    @wraps(answer)
    def held(request: PageRequest) -> Iterator[bytes]:
        if covers(request) and not shown(request):
            yield parts.failure(text(request.lang, "predict.files_wait"))
        else:
            yield from answer(request)

    return held


def _of_map(request: PageRequest) -> bool:
    return request.extra.get("figure") == MAP.name


QUESTIONS: Mapping[str, Answer] = {
    "tiles": finding(tiles),
    "row": finding(waiting(row)),
    "arithmetic": finding(waiting(arithmetic_of)),
    "figure": finding(waiting(files.figure, _of_map)),
    "csv": finding(waiting(files.csv)),
    "npz": finding(waiting(files.npz)),
    "reveal": finding(reveal),
    "forget": files.forget,
}
"""The questions that the page's script may ask about a map, by its id."""
