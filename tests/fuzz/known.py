"""The first requests of every run: those of finding 45, which once gave a 500, a traceback or a broken answer."""

from typing import Any, Final

from tests.fuzz.draws import MARK

PAGES: Final = ("why", "anatomy", "cost", "train")
_WALK: Final = [
    4,
    8,
    2,
    None,
    None,
    "dot_product",
    "none",
    1.0,
    "none",
    1,
    "text",
    "a b",
    "words",
    False,
    0,
    False,
    True,
]

KNOWN: Final[tuple[tuple[str, Any, str | None], ...]] = (
    ("take-away/explore/html", {"query": "n=8", "address": f"\ud800{MARK}"}, None),
    ("take-away/explore/figure", {"query": "n=8", "figure": f"\ud800{MARK}"}, None),
    ("page/explore", {"query": f"n=8&pin=\ud800{MARK}"}, None),
    ("page/explore", {"query": f"n=\ud800{MARK}"}, None),
    ("page/explore", {"query": f"n=8&text=\ud800{MARK}&source=text", "previous": "\ud800", "known": ["\ud800"]}, None),
    *((f"page/{page}", {"query": f"page=map&n=8&x={MARK}"}, None) for page in PAGES),
    *((f"page/{page}", {"query": f"x={MARK}"}, None) for page in PAGES),
    *((f"run/{page}", {"query": f"page=explore&n=8&x={MARK}"}, None) for page in ("cost", "train", "map")),
    ("page/why/curves", {"query": f"page=train&n=8&seeds=1&x={MARK}"}, None),
    ("take-away/explore/rows", {"query": f"page=map&n=8&x={MARK}"}, None),
    ("call/cost", ["n", "0", 32, 8, 0], "cost"),
    ("call/cost", ["n", ["0"], 32, 8, 0], "cost"),
    ("call/why", [8, 0, 1, 3], "why"),
    ("call/anatomy", [*_WALK, 1, "x", 0], "anatomy"),
    ("call/anatomy", [*_WALK, 1, 1, "x"], "anatomy"),
    ("/?page=x", None, None),
)
"""Route, JSON, and the endpoint's name for a call of the API; routes that begin with a slash are asked by HEAD."""
