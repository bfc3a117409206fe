"""Choices and ranges of endpoints, from where they are declared: in their docstrings, and for programs."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from attention_core import Bound
from visualiser.state.link_values import written_as

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Several:
    """At most `most` values, each within a range."""

    bound: Bound
    most: int


Allowed = Bound | Several | tuple[str, ...]
"""What a parameter may be: a number of a range, several of them, or one of some words."""


def allowing(**allowed: Allowed) -> Callable[[Function], Function]:
    """Replace each `{name}` in a docstring by what this parameter may be, and keep that for `allowed_of`.

    Raise KeyError for a name that the docstring does not contain.
    """

    def documented(function: Function) -> Function:
        for name, one in allowed.items():
            if (mark := f"{{{name}}}") not in (function.__doc__ or ""):
                raise KeyError(f"The docstring of {function.__name__} has no {mark}.")
            function.__doc__ = (function.__doc__ or "").replace(mark, _words(one))
        vars(function)["allowed"] = allowed
        return function

    return documented


def allowed_of(function: Callable[..., Any]) -> Mapping[str, Allowed]:
    """Return what the parameters of an endpoint may be, for those that are bound."""
    return vars(function).get("allowed", {})


def _words(allowed: Allowed) -> str:
    if isinstance(allowed, Several):
        return f"at most {allowed.most} values from {between(allowed.bound)}"
    return between(allowed) if isinstance(allowed, Bound) else in_words(allowed)


def with_arguments(docstring: str, arguments: Iterable[str]) -> str:
    """Return a docstring without indentation, with these lines first in its section of arguments."""
    lines = "".join(f"    {line}\n" for line in arguments)
    if "\nArgs:\n" in docstring:
        return docstring.replace("\nArgs:\n", f"\nArgs:\n{lines}", 1)
    return docstring.replace("\nReturns:\n", f"\nArgs:\n{lines}\nReturns:\n", 1)


def in_words(choices: Collection[str]) -> str:
    """Return choices as text: dot_product or additive."""
    *first, last = choices
    return " or ".join(filter(None, (", ".join(first), last)))


def between(bound: Bound) -> str:
    """Return a range as text: 1 to 20."""
    return f"{written_as(bound.minimum)} to {written_as(bound.maximum)}"
