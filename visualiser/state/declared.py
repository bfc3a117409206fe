"""The declarations of all pages as JSON: by them the scripts check the links and figures of a lesson's file.

They are those of `parameters` and `names`, in the form in which `share.read` applies them to a link.
"""

from dataclasses import fields
from typing import Any

from attention_core import Bound
from attention_core.config import settings
from visualiser.state import names, parameters, share
from visualiser.state.link_values import accepted, written_as
from visualiser.state.rules import BROUGHT
from visualiser.state.view import View


def declared() -> dict[str, Any]:
    """Return every page's figures, questions, first values and parameters.

    `brought` are the sources with heads of their own. `unread` are those of a page that change nothing on it. A
    parameter is a list of choices, several of a list, a number in a range, a link, or (with nothing) a text.
    """
    return {"first": parameters.EXPLORE, "brought": BROUGHT, "pages": {page: _page(page) for page in parameters.PAGES}}


def _page(page: str) -> dict[str, Any]:
    beginning = share.as_values(share.beginning(page))
    first = {name: written_as(beginning[name]) for name in ("h", "n", "source", "predict")}
    return {
        "figures": parameters.figures(page),
        "questions": parameters.questions(page),
        "first": first,
        "sized_elsewhere": parameters.sized_elsewhere(page),
        "unread": parameters.unread(page),
        "parameters": {name: _parameter(page, name) for name in _names(page)},
    }


def _names(page: str) -> tuple[str, ...]:
    of_view = (field.name for field in fields(View) if field.name != "theme")
    return tuple(dict.fromkeys((*settings(), *of_view, "page", "pin", *parameters.own(page))))


def _parameter(page: str, name: str) -> dict[str, Any]:
    own, among = parameters.own(page).get(name), accepted(page, name)
    if own and own.many:
        return {"several": True, **({"choices": among} if among else _range(own.bound))}
    if among:
        return {"choices": among}
    match name:
        case "hide":
            return {"several": True, "choices": names.hideable(), "empty": True}
        case "focus":
            return {"choices": ("", *names.figures())}
        case "pin":
            return {"link": True, "without": share.not_pinned(page)}
        case _:
            return _range(parameters.bounds(page).get(name) or share.view_bounds(page).get(name))


def _range(bound: Bound | None) -> dict[str, Any]:
    if bound is None:
        return {}
    return {"least": bound.minimum, "most": bound.maximum, "whole": isinstance(bound.step, int)}
