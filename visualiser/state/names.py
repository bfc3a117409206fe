"""The names that `hide` and `focus` take in a link: figures, controls and parts of all pages.

A link keeps its names from page to page, so a page ignores quietly those that only others have.
"""

from collections.abc import Iterable
from dataclasses import fields
from functools import cache
from typing import Final

from visualiser.state import parameters
from visualiser.state.offered import settings
from visualiser.state.view import SHAPING, View

PARTS: Final = ("masthead", "menus", "insight", "controls", "tools")
"""Parts of every page: its name, its menus, the sentences, all controls, the menus of figures."""


@cache
def figures() -> tuple[str, ...]:
    """Return the figures of all pages, which `focus` takes."""
    return _each(name for page in parameters.PAGES for name in parameters.figures(page))


@cache
def hideable() -> tuple[str, ...]:
    """Return the names that `hide` takes."""
    parts = (name for page in parameters.PAGES for name in parts_of(page))
    return _each((*controls(), *figures(), *parts))


@cache
def controls() -> tuple[str, ...]:
    """Return the controls of all pages."""
    of_view = (field.name for field in fields(View) if field.name not in (*SHAPING, "theme"))
    own = (name for page in parameters.PAGES for name, item in parameters.own(page).items() if item.control)
    return _each((*settings(), "page", *of_view, *own))


def parts_of(page: str) -> tuple[str, ...]:
    """Return the parts of a page that `hide` takes besides its controls and figures."""
    return (*PARTS, *parameters.parts(page))


def _each(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
