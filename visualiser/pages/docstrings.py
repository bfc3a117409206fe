"""The choices of a page's parameters, written into the docstring of its endpoint."""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from attention_core import CHOICES
from visualiser.state import parameters

_NAMES: Final = ("mechanism", "mask")

Function = TypeVar("Function", bound=Callable[..., Any])


def naming_choices(page: str) -> Callable[[Function], Function]:
    """Replace `{mechanism}` and `{mask}` in a docstring by the page's choices: dot_product or additive."""

    def named(function: Function) -> Function:
        for name in _NAMES:
            choices = parameters.choices(page, name) or CHOICES[name]
            function.__doc__ = (function.__doc__ or "").replace(f"{{{name}}}", _in_words(choices))
        return function

    return named


def _in_words(choices: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(choices[:-1]), choices[-1])))
