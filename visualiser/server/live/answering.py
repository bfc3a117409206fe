"""The answers of each page, from the `live` module of its package."""

import importlib
from typing import Final

from visualiser.server.live.page import Live
from visualiser.state.parameters import PAGES

LIVE: Final[dict[str, Live]] = {page: importlib.import_module(f"visualiser.pages.{page}.live").LIVE for page in PAGES}
"""Each page's answers, by the page's name."""
