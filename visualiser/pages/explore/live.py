"""The answers of the Explore page."""

from typing import Final

from visualiser.pages.explore import price
from visualiser.pages.explore.frame import arithmetic_of, frame, reveal, row
from visualiser.pages.explore.take_away import KINDS
from visualiser.server.live.page import Live
from visualiser.server.live.page_request import PageRequest
from visualiser.state.parameters import EXPLORE


def _first() -> None:
    """Make one small frame and one small file that holds every kind of figure.

    plotly looks up a hundred descriptions of its layout for the first figure.
    """
    request = PageRequest("n=4&h=2&mask=causal", None, frozenset(), b"", None, "light", 0, "", {}, EXPLORE)
    for pieces in (frame(request), KINDS["html"].content(request)):
        for _ in pieces:
            pass


LIVE: Final = Live(
    (frame, price.frame),
    subrequests={
        "row": (row, price.row),
        "reveal": (reveal, price.reveal),
        "arithmetic": (arithmetic_of, price.arithmetic),
    },
    files=KINDS,
    prepare=_first,
)
