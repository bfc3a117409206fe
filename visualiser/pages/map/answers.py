"""The requests about a kept map, and the answer if the server no longer has it."""

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


def with_gone_part(answer: Answer) -> Answer:
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


def withheld_while_posed(answer: Answer, shown: Callable[[PageRequest], bool] = lambda _: False) -> Answer:
    """Wrap an answer that would reveal what the link's question asks: while it is posed, yield a refusal in its place.

    `shown` returns True for a request that is answered all the same.
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
    "tiles": with_gone_part(tiles),
    "row": with_gone_part(withheld_while_posed(row)),
    "arithmetic": with_gone_part(withheld_while_posed(arithmetic_of)),
    "figure": with_gone_part(withheld_while_posed(files.figure, _of_map)),
    "csv": with_gone_part(withheld_while_posed(files.csv)),
    "npz": with_gone_part(withheld_while_posed(files.npz)),
    "reveal": with_gone_part(reveal),
    "forget": files.forget,
}
"""The requests of the page's script about a map, by name."""
