"""The rules of all pages: their order, own parameters, bounds, choices and defaults.

`AttentionConfig` and `View` hold what every page understands. A page's package declares its additions and changes as
`RULES` (`visualiser.state.rules`); link, controls, API and docs read them here. Every package under `visualiser.pages`
is a page.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from attention_core import BOUNDS, CHOICES, AttentionConfig, Bound
from attention_core.config import settings
from visualiser import pages
from visualiser.state.rules import ANY, OFFERED, Parameter, Rules
from visualiser.state.view import View


def _found() -> dict[str, Rules]:
    names = [module.name for module in pkgutil.iter_modules(pages.__path__) if module.ispkg]
    rules = {name: importlib.import_module(f"{pages.__name__}.{name}").RULES for name in names}
    return dict(sorted(rules.items(), key=lambda item: item[1].place))


_RULES: Final[Mapping[str, Rules]] = MappingProxyType(_found())

PAGES: Final = tuple(_RULES)
"""The pages in the order of the navigation; a link to an unknown page opens the first, with a notice."""

EXPLORE: Final = PAGES[0]
"""The page of a link that names none."""


def own(page: str) -> Mapping[str, Parameter]:
    """Return the parameters that only this page has."""
    return _RULES[page].own


@cache
def bounds(page: str) -> Mapping[str, Bound]:
    """Return the range of every number on this page."""
    numbers = {name: item.bound for name, item in own(page).items() if item.bound}
    return MappingProxyType({**BOUNDS, **_RULES[page].bounds, **numbers})


def draws_layers(page: str) -> bool:
    """Return True if `layer` also counts drawn layers on this page, so that it means something without a model."""
    return "layer" in {**_RULES[page].own, **_RULES[page].bounds}


def choices(page: str, name: str) -> tuple[str, ...]:
    """Return this page's own choices for a common setting; empty if it has no rule of its own."""
    return _RULES[page].choices.get(name, ())


def lacking_choice(page: str, config: AttentionConfig) -> str | None:
    """Return the name of a setting whose choice this page does not have; None if it has them all."""
    return next(
        (name for name in CHOICES if choices(page, name) and getattr(config, name) not in choices(page, name)), None
    )


@cache
def reach() -> dict[str, dict[str, dict[str, list[Any]]]]:
    """Return ranges and choices of common settings by page, as JSON; "" holds those of pages without their own.

    Scripts read them when the page changes, and drop a value that the next page lacks.
    """
    # the layers of a model go beyond those that a page draws
    bounds = {"": BOUNDS} | {
        page: {name: bound for name, bound in rules.bounds.items() if name != "layer"} for page, rules in _RULES.items()
    }
    common = {name: OFFERED.get(name, among) for name, among in CHOICES.items() if name in settings()}
    choices = {"": common, **{page: rules.choices for page, rules in _RULES.items()}}
    return {
        "bounds": {
            page: {name: [bound.minimum, bound.maximum] for name, bound in own.items()} for page, own in bounds.items()
        },
        "choices": {page: {name: list(among) for name, among in own.items()} for page, own in choices.items()},
    }


@cache
def beginning(page: str) -> AttentionConfig:
    """Return the configuration with which this page begins."""
    return AttentionConfig(**_RULES[page].beginning)


@cache
def first_view(page: str) -> View:
    """Return the view with which this page begins."""
    return View(**_RULES[page].view)


def sized_elsewhere(page: str) -> tuple[str, ...]:
    """Return the sources that bring their own number of tokens, so that a link cannot be checked against it."""
    return _RULES[page].sized_elsewhere


def figures(page: str) -> tuple[str, ...]:
    """Return the names of this page's figures."""
    return tuple(figure.name for figure in _RULES[page].figures)


def questions(page: str) -> tuple[str, ...]:
    """Return the names of the predictions that this page may ask for."""
    wish = own(page).get("question")
    return tuple(name for name in wish.choices if name != ANY) if wish else _RULES[page].questions


def unread(page: str) -> tuple[str, ...]:
    """Return the settings that change nothing on this page; it compares with a pinned state if it has that part."""
    return (*_RULES[page].unread, *(() if "pin" in parts(page) else ("pin",)))


def parts(page: str) -> tuple[str, ...]:
    """Return the elements of this page that `hide` may name besides its controls and figures."""
    return _RULES[page].parts


def lesson(page: str) -> tuple[str, ...]:
    """Return the controls that stay while this page is presented."""
    return _RULES[page].lesson


def own_defaults(page: str) -> frozenset[str]:
    """Return the names of the settings with a default of this page's own."""
    return frozenset(_RULES[page].beginning)


def first_values(page: str) -> dict[str, Any]:
    """Return the defaults of the page's own parameters."""
    return {name: item.default for name, item in own(page).items()}
