"""Texts with fields, filled in as a language's grammar asks (docs/decisions/messages.md).

    {name}                                 the value; a list is joined as the language joins lists: "1, 2 and 4"
    {seeds|one:# seed|other:# seeds}       the form for this number by CLDR's plural rules; # is the number
    {d_k|은/는}                            the value and the Korean particle that its sound asks for
    {{ and }}                              braces

The categories and the lists come from CLDR (https://cldr.unicode.org), through Babel.
`assets/js/words/message_format.js` does the same in the browser.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any, Final, NamedTuple

from babel import Locale
from babel.lists import format_list

from visualiser.locale.particles import with_particle


class Value(NamedTuple):
    """A value as it is written: the name of its field, and its place in a list."""

    name: str
    place: int
    text: str


class Inner(NamedTuple):
    """A value that is a filled template itself: its parts, each a text or something with a `text`."""

    parts: Sequence[Any]


_PIECE: Final = re.compile(r"\{\{|\}\}|\{(\w+)(?:\|([^{}]*))?\}|[{}]")


@dataclass(frozen=True)
class Field:
    """A place to be filled: the field's name and, if any, the forms of its plural or its particle."""

    name: str
    forms: Mapping[str, str]
    particle: str


@cache
def pieces(template: str) -> tuple[str | Field, ...]:
    """Return the fixed texts and the fields of a template, in their order. Raise ValueError at a lone brace."""
    found: list[str | Field] = []
    end = 0
    for match in _PIECE.finditer(template):
        found.append(template[end : match.start()])
        end = match.end()
        name, how = match.groups()
        if name:
            found.append(_field(name, how or ""))
        elif len(match[0]) == 2:
            found.append(match[0][0])
        else:
            raise ValueError(f"a lone {match[0]} in {template!r}")
    return tuple(piece for piece in (*found, template[end:]) if piece != "")


def fields(template: str) -> set[str]:
    """Return the names of a template's fields."""
    return {piece.name for piece in pieces(template) if isinstance(piece, Field)}


def fill(template: str, lang: str, values: Mapping[str, object], write: Callable[[object], str]) -> list[Any]:
    """Return the template with its fields filled in, as parts: texts, `Value`s, and the parts of each `Inner`.

    `write` writes a value that is no list. Raise KeyError if a field has no value, or a number no form.
    """
    found: list[Any] = []
    for piece in pieces(template):
        found += [piece] if isinstance(piece, str) else _filled(piece, lang, values[piece.name], write)
    return found


def plain(parts: Iterable[Any]) -> str:
    """Return filled parts as one text."""
    return "".join(part if isinstance(part, str) else part.text for part in parts)


def _field(name: str, how: str) -> Field:
    if ":" not in how:
        return Field(name, {}, how)
    forms = dict(form.split(":", 1) for form in how.split("|"))
    if "other" not in forms:
        raise ValueError(f"{name} lacks the form “other”")
    return Field(name, forms, "")


def _filled(field: Field, lang: str, value: object, write: Callable[[object], str]) -> list[Any]:
    several = value if isinstance(value, list | tuple) and not isinstance(value, Inner) else None
    members = [
        [*each.parts] if isinstance(each, Inner) else [Value(field.name, place, write(each))]
        for place, each in enumerate([value] if several is None else several)
    ]
    parts = _between(_separators(len(members), lang), members)
    if not field.forms and not field.particle:
        return parts
    written = plain(parts)
    if field.particle:
        return [*parts, with_particle(written, field.particle)[len(written) :]]
    form = field.forms.get(_category(lang, value if several is None else len(several), written), field.forms["other"])
    texts = form.split("#")
    return _between(texts, [parts] * (len(texts) - 1))


def _between(texts: Sequence[str], members: Sequence[Sequence[Any]]) -> list[Any]:
    """Return the members with a text before, between and after them."""
    first, *others = texts
    return [first, *(part for member, after in zip(members, others, strict=True) for part in (*member, after))]


def _category(lang: str, number: object, written: str) -> str:
    """Return the plural category of a number as it is written: "1" is one. A list counts its members."""
    if isinstance(number, int):
        return _locale(lang).plural_form(number)
    try:
        return _locale(lang).plural_form(Decimal(written))
    except ArithmeticError:  # ∞, 1.2×10⁻⁷
        return "other"


_COMMAS: Final = frozenset({"ko"})
"""Languages whose lists have commas alone: CLDR's 및 belongs to laws and forms, and joins no clauses."""


@cache
def _separators(count: int, lang: str) -> list[str]:
    """Return the texts before, between and after so many members of a list."""
    if lang in _COMMAS:
        return ["", *[", "] * (count - 1), *[""] * min(count, 1)]
    # British lists have no comma before "and", as the texts
    joined = format_list(["#"] * count, locale="en_GB" if lang == "en" else lang) if count else ""
    return joined.split("#")


@cache
def _locale(lang: str) -> Locale:
    return Locale(lang)
