"""The rules of all pages: which there are, their own parameters, their bounds, choices and defaults.

`AttentionConfig` and `View` hold what every page understands. What a page adds or changes stands in its package as
`RULES` (`visualiser.state.rules`); link, controls, API and docs ask for it here. A package under `visualiser.pages` is
a page.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from attention_core import BOUNDS, AttentionConfig, Bound
from visualiser import pages
from visualiser.state.rules import Parameter, Rules
from visualiser.state.view import View


def _found() -> dict[str, Rules]:
    names = [module.name for module in pkgutil.iter_modules(pages.__path__) if module.ispkg]
    rules = {name: importlib.import_module(f"{pages.__name__}.{name}").RULES for name in names}
    return dict(sorted(rules.items(), key=lambda item: item[1].place))


_RULES: Final[Mapping[str, Rules]] = MappingProxyType(_found())

PAGES: Final = tuple(_RULES)
"""The pages that exist, in the order of the navigation; a link to another opens the first, with a notice."""

EXPLORE: Final = PAGES[0]
"""The page of links that name none."""


def own(page: str) -> Mapping[str, Parameter]:
    """The parameters that only this page has."""
    return _RULES[page].own


@cache
def bounds(page: str) -> Mapping[str, Bound]:
    """The range of every number on this page."""
    numbers = {name: item.bound for name, item in own(page).items() if item.bound}
    return MappingProxyType({**BOUNDS, **_RULES[page].bounds, **numbers})


def choices(page: str, name: str) -> tuple[str, ...]:
    """The choices of a setting of all pages that this page offers; empty where it has no rule of its own."""
    return _RULES[page].choices.get(name, ())


@cache
def beginning(page: str) -> AttentionConfig:
    """The configuration with which this page begins."""
    return AttentionConfig(**_RULES[page].beginning)


@cache
def first_view(page: str) -> View:
    """The view with which this page begins."""
    return View(**_RULES[page].view)


def sized_elsewhere(page: str) -> tuple[str, ...]:
    """The sources that bring their number of tokens with them, so that a link cannot be checked against it."""
    return _RULES[page].sized_elsewhere


def begun(page: str) -> frozenset[str]:
    """The names whose default is this page's own."""
    return frozenset(_RULES[page].beginning)


def first_values(page: str) -> dict[str, Any]:
    """The defaults of the page's own parameters."""
    return {name: item.default for name, item in own(page).items()}
