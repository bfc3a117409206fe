"""The answers of the Explore page."""

from typing import Final

from visualiser.pages.explore import price
from visualiser.pages.explore.frame import frame, row
from visualiser.pages.explore.take_away import KINDS
from visualiser.server.live.page import Live

LIVE: Final = Live((frame, price.frame), questions={"row": (row, price.row)}, files=KINDS)
