"""The table of pages, from their packages."""

import importlib
import inspect

from docs.made.tables import code, table
from visualiser import pages
from visualiser.locale import text
from visualiser.state.parameters import EXPLORE, PAGES


def links() -> str:
    """Return a table of all pages: link, name, and the package's own sentence behind its colon."""
    return table(("link", "page", "what it shows"), map(_row, PAGES))


def _row(page: str) -> tuple[str, str, str]:
    package = importlib.import_module(f"{pages.__name__}.{page}")
    sentence = (inspect.getdoc(package) or "").splitlines()[0].partition(": ")[2].rstrip(".")
    if not sentence:
        raise KeyError(f"the docstring of the page {page} says nothing behind a colon")
    return code("/" if page == EXPLORE else f"?page={page}"), text("en", f"choice.page.{page}"), sentence
