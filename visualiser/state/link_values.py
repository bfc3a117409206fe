"""Read the single values of a link by the rules of one page, with a notice for each change."""

import math
from collections.abc import Mapping
from typing import Any

from attention_core import BOUNDS, CHOICES, AttentionConfig, Bound, InvalidInput
from attention_core.text import beginning, shortened
from visualiser import models
from visualiser.locale import text
from visualiser.state import names, parameters
from visualiser.state.rules import OFFERED
from visualiser.state.view import VIEW_CHOICES, VIEW_SYNONYMS


def offered(page: str, name: str) -> tuple[str, ...]:
    """Return the choices of a setting on a page; empty for a number, a flag or a text."""
    if name == "page":
        return parameters.PAGES
    if name == "model":
        return models.offered()
    if own := parameters.own(page).get(name):
        return own.choices
    narrowed = parameters.choices(page, name)
    return narrowed or OFFERED.get(name) or VIEW_CHOICES.get(name) or CHOICES.get(name) or ()


def accepted(page: str, name: str) -> tuple[str, ...]:
    """Return what a link may write for a setting with choices; empty for a number or a text."""
    if isinstance(first_value(page, name), bool):
        return parameters.choices(page, name) or ("true", "false")
    return (*offered(page, name), *VIEW_SYNONYMS.get(name, ()))


def first_value(page: str, name: str) -> Any:
    """Return the value of a setting with which a page begins; None for `page` and `pin`."""
    if own := parameters.own(page).get(name):
        return own.default
    return getattr(parameters.beginning(page), name, getattr(parameters.first_view(page), name, None))


class Reader:
    """A reader of link values by the rules of one page; it notes each change in the visitor's language."""

    def __init__(self, page: str, lang: str, notices: list[str]) -> None:
        self.page, self.lang, self.notices = page, lang, notices
        self.own = parameters.own(page)
        self.beginning = parameters.beginning(page)

    def source(self, named: Mapping[str, str]) -> str:
        """Return the source of a link, by which its other values are read."""
        written = named.get("source", "")
        return written if written in offered(self.page, "source") else self.beginning.source

    def bounds(self, named: Mapping[str, str]) -> Mapping[str, Bound]:
        """Return the range of each number for a link: a trained model has layers of its own."""
        most = parameters.bounds(self.page)
        if self.source(named) != "model":
            return most
        name = named.get("model", "")
        found = models.known(name if models.is_offered(name) else self.beginning.model)
        return {**most, "layer": Bound(1, BOUNDS["layer"].maximum if found is None else found.layers, 1)}

    def values(self, named: Mapping[str, str], bounds: Mapping[str, Bound]) -> dict[str, Any]:
        """Return the values of these parameters; leave out what is invalid, so that its default is taken."""
        found = {name: self._value(name, written, bounds.get(name)) for name, written in named.items()}
        return {name: value for name, value in found.items() if value is not None}

    def config(self, values: dict[str, Any]) -> AttentionConfig:
        """Build the configuration from these values; cut or replace a text that cannot be used, with a notice."""
        given = {name: getattr(self.beginning, name) for name in parameters.own_defaults(self.page)} | values
        try:
            return self._short_enough(given)
        except InvalidInput as problem:
            self.notices.append(text(self.lang, f"error.{problem.code}", **problem.details))
            field = str(problem.details.get("field", "text"))
            written, split = values.get(field, ""), values.get("split", self.beginning.split)
            given = {key: value for key, value in given.items() if key != field}
            if problem.code == "text_too_long":
                given[field] = shortened(written, split, self._most_tokens)
            return self._short_enough(given)

    def _short_enough(self, given: Mapping[str, Any]) -> AttentionConfig:
        """Build the configuration; cut its text if it has more tokens than this page shows."""
        config = AttentionConfig(**given)
        if config.source == "model" and not beginning(config.text, "words", 1):
            raise InvalidInput("text_empty", "text must hold at least one word.", field="text", value="")
        if config.source != "text" or config.n <= self._most_tokens:
            return config
        details = {"value": config.n, "maximum": self._most_tokens, "unit": "tokens"}
        self.notices.append(text(self.lang, "error.text_too_long", **details))
        return AttentionConfig(**{**given, "text": shortened(config.text, config.split, self._most_tokens)})

    @property
    def _most_tokens(self) -> int:
        return int(parameters.bounds(self.page)["n"].maximum)

    def _value(self, name: str, written: str, bound: Bound | None) -> Any:
        """Return one parameter's value, or None with a notice if it is invalid."""
        own = self.own.get(name)
        if own and own.many:
            return self._several(name, written)
        if name == "model" and models.is_offered(written):
            return written  # one that is held has a name and is in no list
        if choices := accepted(self.page, name):
            return self._chosen(name, written, choices)
        if name == "hide":
            return self._known(name, written, names.hideable())
        if name == "focus":
            return next(iter(self._known(name, written, names.figures())), None)
        if bound is None:
            return written  # a text
        if name == "row" and written == "":
            return None
        return self._number(name, written, bound)

    def _chosen(self, name: str, written: str, choices: tuple[str, ...]) -> Any:
        if written in choices:
            if isinstance(first_value(self.page, name), bool):
                return written == "true"
            return VIEW_SYNONYMS.get(name, {}).get(written, written)
        self.unknown(name, written, first_value(self.page, name))
        return None

    def unknown(self, name: str, written: str, used: Any) -> None:
        """Note that `written` is no choice of `name`, and which value replaces it."""
        self.notices.append(text(self.lang, "notice.choice", name=name, value=cut(written), used=written_as(used)))

    def _several(self, name: str, written: str) -> tuple[Any, ...] | None:
        """Return the valid parts of a list, each once, in the order of the choices; None if there is none."""
        own = self.own[name]
        parts = [part for part in written.split(",") if part][:64]
        if own.bound:
            numbers = [self._number(name, part, own.bound) for part in parts]
            found = tuple(sorted({number for number in numbers if number is not None}))
        else:
            found = tuple(part for part in own.choices if part in parts)
        if found and (not own.choices or set(parts) <= set(own.choices)):
            return found
        self.unknown(name, written, found or own.default)
        return found or None

    def _known(self, name: str, written: str, known: tuple[str, ...]) -> tuple[str, ...]:
        """Return those of the `known` names that a list names, in their order; note the others."""
        parts = dict.fromkeys(part for part in written.split(",") if part)
        if unknown := [part for part in parts if part not in known]:
            self.notices.append(text(self.lang, "notice.unknown_name", name=name, value=cut(", ".join(unknown))))
        return tuple(one for one in known if one in parts)

    def _number(self, name: str, written: str, bound: Bound) -> float | int | None:
        try:
            given = float(written)
        except ValueError:
            given = math.nan
        if math.isnan(given):
            used = written_as(first_value(self.page, name)) or "–"
            self.notices.append(text(self.lang, "notice.not_a_number", name=name, value=cut(written), used=used))
            return None
        nearest = min(max(given, bound.minimum), bound.maximum)
        nearest = round(nearest) if isinstance(bound.step, int) else nearest
        if nearest != given:
            ends = {"low": written_as(bound.minimum), "high": written_as(bound.maximum)}
            shown = {"value": cut(written), "used": written_as(nearest)}
            self.notices.append(text(self.lang, "notice.nearest", name=name, **shown, **ends))
        return nearest


def written_as(value: Any) -> str:
    """Write a value as it stands in a link."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(map(written_as, value))
    return "" if value is None else repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def cut(value: str) -> str:
    """Cut a visitor's text short enough for a notice."""
    return value if len(value) <= 40 else value[:39] + "…"
