"""Marks in a page, `<!-- made: NAME -->`, and the generated text that replaces them."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from docs.made import decisions, endpoints, pages, parameters, public_names, statistics

_ROOT = Path(__file__).parents[2]


def _changelog() -> str:
    return (_ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


MADE: Mapping[str, Callable[[], str]] = {
    "changelog": _changelog,
    "decisions": decisions.index,
    "endpoints": endpoints.sections,
    "pages": pages.links,
    "names on a page": parameters.names_table,
    "parameters of a page": parameters.own_table,
    "parameters of a result": parameters.result_table,
    "parameters of the eye": parameters.view_table,
    "public names": public_names.sections,
    "ranges of a page": parameters.ranges_table,
    "statistics": statistics.rows,
}
"""The function behind each mark."""

_MARK = re.compile(r"^<!-- made: (.*?) -->$", re.MULTILINE)


def filled(markdown: str) -> str:
    """Return a page with every mark replaced by its text. Raise `KeyError` for an unknown mark."""
    return _MARK.sub(lambda mark: MADE[mark[1]](), markdown)
