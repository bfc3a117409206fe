"""Where a link into a lesson leads: ``?lesson=NAME&step=N`` alone names neither the page nor the state of that step.

Without this the page of an empty link would be made, compute and be painted before its script turned to the step's.
"""

import json
from collections.abc import Sequence
from functools import cache
from urllib.parse import parse_qsl, urlencode

from visualiser.asset_folder import ASSETS
from visualiser.state.parameters import EXPLORE, PAGES

_FOLDER = ASSETS / "lessons"
_OF_TAB = ("room", "lesson", "step", "aside", "__theme", "__sign")
"""What belongs to a tab: as in assets/js/link/address.js."""
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


def leads_to(pairs: _Pairs) -> str | None:
    """Return the query of the state of the lesson's step that a link names.

    Parameters
    ----------
    pairs : sequence of (str, str)
        Those of the link.

    Returns
    -------
    str or None
        None if the link names no step of a lesson that comes with the app, or names the step's page already: what is
        beside it, such as the state that answered a question, stays. So does what a teacher has brought beside it, and
        in a room every state: its pages are led by the room, and two that lead would load pages for ever. The summary
        after the last step opens on that step's page, and beside any state.
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
