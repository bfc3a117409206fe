"""Endpoints of one configuration: they take the fields of `AttentionConfig` as their page begins.

Names, types, defaults, ranges, choices and sentences come from the configuration and the page's rules, so a new field
reaches every endpoint that does not leave it out.
"""

import inspect
from collections.abc import Callable, Collection, Mapping
from functools import wraps
from typing import Any, Final, TypeVar

import gradio as gr

from attention_core import CHOICES, AttentionConfig, Bound, InvalidInput
from attention_core.config import MEANINGS, settings
from visualiser import models
from visualiser.pages.docstrings import between, in_words, with_arguments
from visualiser.state import parameters

_OPEN: Final = ("d_k", "tie", "text")
"""Fields that may stay open: None takes what follows from the others, or the core's text."""
_OF_A_MODEL: Final = ("model", "layer", "pictures", "target", "sound")
"""Fields of `source=model` alone."""

Answer = TypeVar("Answer")


def of_config(
    page: str, sources: tuple[str, ...], without: Collection[str] = ()
) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """Give an endpoint the fields of a configuration as its first arguments, except those in `without`
    and those that it declares itself.

    The decorated function gets the configuration instead. Raise `gr.Error` for a source that is not in `sources`, a
    number outside the bounds of `page` and whatever the core refuses.
    """

    def decorated(function: Callable[..., Answer]) -> Callable[..., Answer]:
        declared = inspect.signature(function)
        left_out = {*without, *declared.parameters, *(() if "model" in sources else _OF_A_MODEL)}
        taken = {name: _argument(page, name) for name in _ordered() if name not in left_out}
        own = list(declared.parameters.values())[1:]
        signature = declared.replace(parameters=[*taken.values(), *own])

        @wraps(function)
        def call(*given: Any, **named: Any) -> Answer:
            bound = signature.bind(*given, **named)
            bound.apply_defaults()
            own = {name: value for name, value in bound.arguments.items() if name not in taken}
            try:
                config = _config(page, sources, {name: bound.arguments[name] for name in taken})
                _require_bounds(page, config, own)
                return function(config, **own)
            except InvalidInput as problem:
                raise gr.Error(str(problem), print_exception=False) from problem

        described = [*taken, *(item.name for item in own if item.name in parameters.own(page))]
        allowed = {name: _allowed(page, name, sources) for name in described}
        arguments = [f"{name}: {_sentence(page, name, allowed[name])}" for name in described]
        call.__doc__ = with_arguments(inspect.getdoc(function) or "", arguments)
        vars(call)["allowed"] = {name: one for name, one in allowed.items() if one}
        call.__annotations__ = {item.name: item.annotation for item in signature.parameters.values()}
        call.__annotations__["return"] = declared.return_annotation
        vars(call)["__signature__"] = signature
        return call

    return decorated


def _ordered() -> list[str]:
    """Return the fields in the order of the published endpoints: the seed after the precision, new ones behind it."""
    names = list(settings())
    names.remove("seed")
    names.insert(names.index("dtype") + 1, "seed")
    return names


def _argument(page: str, name: str) -> inspect.Parameter:
    kind = AttentionConfig.__dataclass_fields__[name].type
    stays_open = name in _OPEN and name not in parameters.own_defaults(page)
    return inspect.Parameter(
        name,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        default=None if stays_open else getattr(parameters.beginning(page), name),
        annotation=kind | None if stays_open and isinstance(kind, type) else kind,
    )


def _allowed(page: str, name: str, sources: tuple[str, ...]) -> Bound | tuple[str, ...] | None:
    """Return the range or the choices of an argument; None if it may be anything of its type."""
    own = parameters.own(page).get(name)
    if name == "source":
        return sources
    if name == "model":
        return models.offered()
    choices = own.choices if own else parameters.choices(page, name) or CHOICES.get(name)
    return choices or parameters.bounds(page).get(name)


def _sentence(page: str, name: str, allowed: Bound | tuple[str, ...] | None) -> str:
    """Return the meaning of an argument with its range or its choices before the semicolon."""
    own = parameters.own(page).get(name)
    head, mark, rest = (own.meaning if own else MEANINGS[name]).partition("; ")
    if name == "source":
        return f"{head}: {in_words(allowed)}" if isinstance(allowed, tuple) else head
    if isinstance(allowed, tuple):
        return f"{head}: {in_words(allowed)}{mark}{rest}"
    return f"{head}, {between(allowed)}{mark}{rest}" if allowed else head + mark + rest


def _config(page: str, sources: tuple[str, ...], given: Mapping[str, Any]) -> AttentionConfig:
    """Build the configuration; an endpoint without the argument has the only one, or that of its page."""
    source = given.get("source", sources[0] if len(sources) == 1 else parameters.beginning(page).source)
    if source not in sources:
        raise gr.Error(f"source must be {in_words(sources)} here", print_exception=False)
    return AttentionConfig(**{**{name: value for name, value in given.items() if value is not None}, "source": source})


def _require_bounds(page: str, config: AttentionConfig, own: Mapping[str, Any]) -> None:
    """Raise `gr.Error` for a number out of bounds: Python takes any, but an endpoint is open to strangers.

    So it does for a choice that the page does not have.
    """
    lacking = parameters.lacking_choice(page, config)
    if lacking is not None:
        there, came = parameters.choices(page, lacking), getattr(config, lacking)
        raise gr.Error(f"{lacking} must be {in_words(there)} here, got {came!r}", print_exception=False)
    # a model has layers of its own, which the core counts
    held = {
        name: bound for name, bound in parameters.bounds(page).items() if name != "layer" or config.source != "model"
    }
    for name, bound in held.items():
        came = own.get(name, getattr(config, name, None))
        if came is not None and not bound.minimum <= came <= bound.maximum:
            raise gr.Error(
                f"{name} must be between {bound.minimum} and {bound.maximum}, got {came}", print_exception=False
            )
