"""Tables of every control, made from the code: names, values, defaults and meanings."""

from collections.abc import Iterable, Mapping
from typing import Any

from attention_core import BOUNDS, CHOICES, AttentionConfig, Bound
from attention_core.config import MEANINGS, settings
from docs.made.tables import code, table
from visualiser.state import names, parameters, share
from visualiser.state.link_values import written_as
from visualiser.state.rules import Parameter
from visualiser.state.view import MOST_COLUMNS, VIEW_CHOICES, VIEW_MEANINGS, View

_SHARED_MEANINGS: Mapping[str, str] = {
    **MEANINGS,
    **VIEW_MEANINGS,
    "page": "the page; `model` is still to come",
    "pin": "state A, to compare with",
}
"""A sentence for each name in the link of any page."""

_DEPENDENT: Mapping[str, str] = {
    "pictures": "names with commas: lighthouse, cat, poster, own",
    "sound": "`tones`, `own`",
    "text": "up to 512 tokens",
    "target": "up to 512 tokens",
    "other": "up to 512 tokens",
    "answer": "a word",
    "patch_at": "whole numbers with commas",
    "texts": "`english`, `korean`, `manual`, `synthetic`, a file",
    "changes": "items with commas: [change a model](change-a-model.md)",
    "against": "items as in `changes`",
    "model": "`headlight`, `headlight-one-layer`",
    "head": "0 … h",
    "row": "0 … n − 1",
    "pin": "a link's parameters",
    "hide": "names with commas",
    "focus": "a figure",
}
"""Words for values that depend on other parameters."""

_HEAD = ("name", "values", "default", "what it is")


def result_table() -> str:
    """Return the table of parameters that change the computation."""
    return table(_HEAD, (_row(name) for name in _of_a_result()))


def view_table() -> str:
    """Return the table of parameters that change no number."""
    return table(_HEAD, (_row(name) for name in _of_the_eye()))


def own_table() -> str:
    """Return the table of settings that only some pages have."""
    return table(("name", "page", *_HEAD[1:]), (row for name in sorted(_pages_of()) for row in _own_rows(name)))


def ranges_table() -> str:
    """Return the table of ranges and choices that differ by page."""
    return table(("page", "name", "values", "default"), _other_ranges())


def names_table() -> str:
    """Return the table of figures and parts of each page, and of the controls that stay while it is presented."""
    head = ("page", "figures", "other parts", "controls of a lesson")
    return table(head, map(_names_row, parameters.PAGES))


def _names_row(page: str) -> tuple[str, ...]:
    of = (parameters.figures(page), names.parts_of(page), parameters.lesson(page))
    return page, *(", ".join(map(code, listed)) for listed in of)


def _shared() -> list[str]:
    """Return the names in the link of any page, in its order; the theme is a control but never in a link."""
    state = share.read("").state
    return [name for name in (*share.as_values(state), "theme") if name not in state.own]


def _of_a_result() -> list[str]:
    return [name for name in _shared() if name in settings()]


def _of_the_eye() -> list[str]:
    return [name for name in _shared() if name not in _of_a_result()]


def _pages_of() -> dict[str, list[str]]:
    """Return the pages of each setting."""
    found: dict[str, list[str]] = {}
    for page in parameters.PAGES:
        for name in parameters.own(page):
            found.setdefault(name, []).append(page)
    return found


def _row(name: str) -> tuple[str, ...]:
    default = share.as_values(share.beginning(parameters.EXPLORE)).get(name, View().theme)
    return code(name), _shared_values(name, default), _default(default), _SHARED_MEANINGS[name]


def _shared_values(name: str, default: Any) -> str:
    choices = parameters.PAGES if name == "page" else CHOICES.get(name) or VIEW_CHOICES.get(name) or ()
    bound = {"columns": Bound(0, MOST_COLUMNS, 0), "present": Bound(0, 1, 0)}.get(name) or BOUNDS.get(name)
    return _values(name, default, bound, choices)


def _own_rows(name: str) -> Iterable[tuple[str, ...]]:
    """Yield a row for each way in which pages declare a setting; its meaning is the same on all of them."""
    items: dict[Parameter, list[str]] = {}
    for page in _pages_of()[name]:
        items.setdefault(parameters.own(page)[name], []).append(page)
    assert len({item.meaning for item in items}) == 1, f"{name} means several things"
    for item, pages in items.items():
        values = _values(name, item.default, item.bound, item.choices) + (", with commas" if item.many else "")
        default = "all" if item.many and tuple(item.default) == item.choices else _default(item.default)
        yield code(name), ", ".join(pages), values, default, item.meaning


def _other_ranges() -> Iterable[tuple[str, ...]]:
    for page in parameters.PAGES:
        beginning, view = parameters.beginning(page), parameters.first_view(page)
        for name in _shared():
            bound, choices = parameters.bounds(page).get(name), parameters.choices(page, name)
            default = getattr(beginning, name, getattr(view, name, None))
            usual = getattr(AttentionConfig(), name, getattr(View(), name, None))
            begins = name in parameters.own_defaults(page) or (hasattr(view, name) and default != usual)
            if bound != BOUNDS.get(name) or choices or begins:
                shown = _values(name, default, bound, choices) if bound or choices else _shared_values(name, usual)
                yield page, code(name), shown, _default(default)


def _values(name: str, default: Any, bound: Bound | None, choices: Iterable[str]) -> str:
    if name in _DEPENDENT:
        return _DEPENDENT[name]
    if choices or isinstance(default, bool):
        return ", ".join(map(code, choices or ("true", "false")))
    if bound is None:
        raise KeyError(
            f"docs/made/parameters.py has no words for the values of {name}, which has no bound and no choices"
        )
    return f"{written_as(bound.minimum)} … {written_as(bound.maximum)}"


def _default(value: Any) -> str:
    return code(written_as(value)) if value not in (None, "") else "none"
