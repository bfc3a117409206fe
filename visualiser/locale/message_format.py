"""Texts with fields, filled in as a language's grammar asks (docs/decisions/messages.md).

    {name}                                 the value; a list is joined as the language joins lists: "1, 2 and 4"
    {seeds|one:# seed|other:# seeds}       the form for this number by CLDR's plural rules; # is the number
    {d_k|은/는}                            the value and the Korean particle that its sound asks for
    {{ and }}                              braces

The categories and the lists come from CLDR (https://cldr.unicode.org), through Babel.
`assets/js/words/message_format.js` does the same in the browser.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Final

from babel import Locale
from babel.lists import format_list

from visualiser.locale.particles import with_particle

Mark = Callable[[str, int, str], str]
"""Return a value as it is written, with the marks around it that its field's name and its place in a list ask for."""

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


def fill(
    template: str, lang: str, values: Mapping[str, object], write: Callable[[object], str], mark: Mark | None = None
) -> str:
    """Return the template with its fields filled in; `write` writes a value that is no list, `mark` marks it.

    Plural forms and particles are those of the value without its marks. Raise KeyError if a field has no value, or a
    number no form.
    """
    marked = mark or _unmarked
    return "".join(
        piece if isinstance(piece, str) else _fill(piece, lang, values, write, marked) for piece in pieces(template)
    )


def _unmarked(name: str, place: int, written: str) -> str:
    return written


def _field(name: str, how: str) -> Field:
    if ":" not in how:
        return Field(name, {}, how)
    forms = dict(form.split(":", 1) for form in how.split("|"))
    if "other" not in forms:
        raise ValueError(f"{name} lacks the form “other”")
    return Field(name, forms, "")


def _fill(field: Field, lang: str, values: Mapping[str, object], write: Callable[[object], str], mark: Mark) -> str:
    value = values[field.name]
    several = isinstance(value, list | tuple)
    members = [write(each) for each in (value if several else [value])]
    written = _joined(members, lang) if several else members[0]
    shown = [mark(field.name, place, member) for place, member in enumerate(members)]
    marked = _joined(shown, lang) if several else shown[0]
    if field.forms:
        number = len(value) if several else value
        return field.forms.get(_category(lang, number, written), field.forms["other"]).replace("#", marked)
    return marked + with_particle(written, field.particle)[len(written) :] if field.particle else marked


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


def _joined(members: list[str], lang: str) -> str:
    if lang in _COMMAS:
        return ", ".join(members)
    # British lists have no comma before "and", as the texts
    return format_list(members, locale="en_GB" if lang == "en" else lang) if members else ""


@cache
def _locale(lang: str) -> Locale:
    return Locale(lang)
