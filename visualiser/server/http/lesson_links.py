"""Redirects of links into a lesson: ``?lesson=NAME&step=N`` names neither the page nor the state of that step.

Without them the page of an empty link would be computed and painted before its script loads that of the step.
"""

import json
from collections.abc import Sequence
from functools import cache
from urllib.parse import parse_qsl, urlencode

from visualiser.asset_folder import ASSETS
from visualiser.state.parameters import EXPLORE, PAGES

_FOLDER = ASSETS / "lessons"
_OF_TAB = ("room", "lesson", "step", "aside", "held", "__theme", "__sign")
"""Parameters of a tab, as in assets/js/link/address.js."""
_OF_READER = ("lang", "present")

_Pairs = Sequence[tuple[str, str]]


@cache
def _names() -> frozenset[str]:
    """Return the names of the lessons that come with the app; no other name reaches a path."""
    return frozenset(file.stem for file in _FOLDER.glob("*.json") if not file.stem.endswith(".schema"))


@cache
def _steps(name: str) -> tuple[tuple[str, str | None], ...]:
    """Return the link of each step of a lesson, and the link that answers its question if it has one."""
    steps = json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8"))["steps"]
    return tuple((step["link"], step.get("question", {}).get("reveal")) for step in steps)


def _pairs(link: str) -> list[tuple[str, str]]:
    return parse_qsl(link, keep_blank_values=True)


def _page(pairs: _Pairs) -> str:
    page = dict(pairs).get("page", EXPLORE)
    return page if page in PAGES else EXPLORE


def _is_numbered(value: str) -> bool:
    return value.isascii() and value.isdigit()  # Anatomy's own steps have names


def step_query(pairs: _Pairs) -> str | None:
    """Return the query of the lesson's step that a link names.

    Parameters
    ----------
    pairs : sequence of (str, str)
        Those of the link.

    Returns
    -------
    str or None
        None if there is no redirect: the link names no step of a lesson that comes with the app, or it has a state
        of the step's page already. A state that a teacher has opened beside the lesson stays, and so does every
        state in a room, which leads its pages itself. The summary after the last step opens on that step's page, or
        beside any state.
    """
    of_tab = [pair for pair in pairs if pair[0] in _OF_TAB and (pair[0] != "step" or _is_numbered(pair[1]))]
    tab = dict(of_tab)
    name, step = tab.get("lesson"), int(tab.get("step", "0")[:4])
    if "aside" in tab:
        return None
    if name not in _names() or not 1 <= step <= len(_steps(name)) + 1:
        return None
    summary = step > len(_steps(name))
    link, reveal = _steps(name)[-1 if summary else step - 1]
    state = [pair for pair in pairs if pair not in of_tab and pair[0] not in _OF_READER]
    if state and (summary or "room" in tab):
        return None
    known = [link, link if reveal is None else reveal]
    if state and _page(state) in {_page(_pairs(one)) for one in known}:
        return None
    wanted = [pair for pair in _pairs(link) if pair[0] not in _OF_READER]
    if not state and not wanted:
        return None
    return urlencode([*wanted, *(pair for pair in pairs if pair[0] in _OF_READER), *of_tab])
