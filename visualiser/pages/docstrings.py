"""Choices and ranges in the docstrings of endpoints, from where they are declared."""

from collections.abc import Callable, Collection, Iterable
from typing import Any, TypeVar

from attention_core import Bound
from visualiser.state import parameters
from visualiser.state.link_values import written_as

Function = TypeVar("Function", bound=Callable[..., Any])


def naming(**words: str) -> Callable[[Function], Function]:
    """Replace each `{name}` in a docstring by its words. Raise KeyError for a name that it does not contain."""

    def named(function: Function) -> Function:
        for name, said in words.items():
            if (mark := f"{{{name}}}") not in (function.__doc__ or ""):
                raise KeyError(f"The docstring of {function.__name__} has no {mark}.")
            function.__doc__ = (function.__doc__ or "").replace(mark, said)
        return function

    return named


def with_arguments(docstring: str, said: Iterable[str]) -> str:
    """Return a docstring without indentation, with these lines first in its section of arguments."""
    lines = "".join(f"    {line}\n" for line in said)
    if "\nArgs:\n" in docstring:
        return docstring.replace("\nArgs:\n", f"\nArgs:\n{lines}", 1)
    return docstring.replace("\nReturns:\n", f"\nArgs:\n{lines}\nReturns:\n", 1)


def in_words(choices: Collection[str]) -> str:
    """Return choices as text: dot_product or additive."""
    *first, last = choices
    return " or ".join(filter(None, (", ".join(first), last)))


def span(page: str, name: str) -> str:
    """Return the range of a number on this page as text: 2 to 512."""
    return between(parameters.bounds(page)[name])


def between(bound: Bound) -> str:
    """Return a range as text: 1 to 20."""
    return f"{written_as(bound.minimum)} to {written_as(bound.maximum)}"
