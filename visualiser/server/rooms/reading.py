"""Bodies of requests, read field by field: of the right type and within its bounds, or refused by the field's name."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from anyio.to_thread import run_sync

from visualiser.locale import LANGUAGES
from visualiser.server.admission.refusal import Refusal
from visualiser.server.http.room_code import read_code
from visualiser.server.http.turns import QUICK
from visualiser.server.live.asking import READING
from visualiser.server.live.surrogates import read_whole
from visualiser.server.rooms.limits import LINK, TABS
from visualiser.server.rooms.record import Record
from visualiser.state import share

TITLE, WORDS = 160, 600
"""Characters of the title and of a step of a teacher's own lesson, in each language; as in lesson.schema.json."""

ADDRESS: Final = 300
"""Characters of the address in a QR code."""

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,60}")
_RIGHT: Final = re.compile(r"[0-9a-f]{64}")
_UNSEEN: Final = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Signs that are not seen: controls, and those that turn the direction of what follows."""

_CELLS: Final = 10**6
_STEPS: Final = 200


def wrong(field: str) -> Refusal:
    """Return the refusal of a body for this field."""
    return Refusal("error.room_field", 422, field=field)


def an_object(body: bytes) -> dict[str, Any]:
    """Return the JSON object of a body; an empty one of none. Raise `Refusal`."""
    try:
        said = read_whole(body) if body.strip() else {}
    except (ValueError, RecursionError) as broken:
        raise Refusal("error.bad_request", 400) from broken
    if not isinstance(said, dict):
        raise Refusal("error.bad_request", 400)
    return said


async def link(said: Mapping[str, Any], most: int = LINK) -> share.State:
    """Return the state of the field `link`, without what stays the student's: language, theme, columns, presenting."""
    written = said.get("link")
    if not isinstance(written, str):
        raise wrong("link")
    if len(written) > most:
        raise Refusal("error.room_link", 422, came=len(written), limit=most)
    found = await run_sync(_state, written, limiter=READING) if len(written) > QUICK else _state(written)
    if (came := len(share.canonical(found))) > most:
        raise Refusal("error.room_link", 422, came=came, limit=most)
    return found


def _state(written: str) -> share.State:
    state = share.read(written).state
    first = share.beginning(state.page).view
    view = replace(state.view, columns=first.columns, present=first.present, theme=first.theme)
    return replace(state, view=view, chosen_language=False)


async def stated(record: Record, said: Mapping[str, Any]) -> Record:
    """Return the room with the fields of a state in place of its own."""
    changes: dict[str, Any] = {}
    if "link" in said:
        state = await link(said)
        changes |= {"link": share.canonical(state), "page": state.page, "row": state.view.row}
        changes |= {"focus": state.view.focus, "hovered": None}
    if "hovered" in said:
        changes["hovered"] = _hovered(said["hovered"])
    if "lesson" in said:
        changes["lesson"] = _lesson(said["lesson"])
    if "locked" in said:
        changes["locked"] = flag(said, "locked")
    if "call" in said and flag(said, "call"):
        changes["calls"] = record.calls + 1
    return replace(record, **changes)


def a_name(said: Mapping[str, Any], field: str) -> str:
    """Return a name that the server may have made."""
    name = said.get(field)
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise wrong(field)
    return name


def a_round(said: Mapping[str, Any]) -> str:
    """Return the round that an answer is for, as a store knows it."""
    turn = said.get("round")
    if type(turn) is not int or turn not in (1, 2):
        raise wrong("round")
    return f"{a_name(said, 'question')} {turn}"


def address(said: Mapping[str, Any], code: str) -> str:
    """Return the address for students. It must be one of this room."""
    written = said.get("address")
    if not isinstance(written, str) or len(written) > ADDRESS or not written.isascii() or not written.isprintable():
        raise wrong("address")
    try:
        parts = urlsplit(written)
        rooms = [value for name, value in parse_qsl(parts.query) if name == "room"]
    except ValueError:
        raise wrong("address") from None
    if parts.scheme not in ("http", "https") or not parts.netloc or [read_code(room) for room in rooms] != [code]:
        raise wrong("address")
    return written


def right(said: Mapping[str, Any]) -> str:
    """Return the hash of the right of a lost room's remote: its teacher's tab knows it; empty without one."""
    written = said.get("remote", "")
    if not isinstance(written, str) or (written and not _RIGHT.fullmatch(written)):
        raise wrong("remote")
    return written


def flag(said: Mapping[str, Any], field: str) -> bool:
    """Return a field that is true or false."""
    if not isinstance(said.get(field), bool):
        raise wrong(field)
    return said[field]


def _hovered(given: Any) -> dict[str, Any] | None:
    if given is None:
        return None
    if not isinstance(given, dict) or not set(given) <= {"figure", "head", "row", "column"}:
        raise wrong("hovered")
    found: dict[str, Any] = {}
    for name, value in given.items():
        right = _NAME.fullmatch(value) if isinstance(value, str) else type(value) is int and 0 <= value <= _CELLS
        if not right or (name == "figure") != isinstance(value, str):
            raise wrong("hovered")
        found[name] = value
    return found


def _lesson(given: Any) -> dict[str, Any] | None:
    if given is None:
        return None
    if not isinstance(given, dict) or set(given) - {"words"} != {"name", "step"}:
        raise wrong("lesson")
    found = {"name": a_name(given, "name"), "step": a_step(given["step"])}
    return found if given.get("words") is None else found | {"words": _words(given["words"])}


def _words(given: Any) -> dict[str, Any]:
    """Return what a step of the teacher's own lesson says: nobody else has its file."""
    if not isinstance(given, dict) or set(given) - {"focus"} != {"title", "text", "steps"}:
        raise wrong("words")
    found = {"title": spoken(given["title"], TITLE, "words"), "text": spoken(given["text"], WORDS, "words")}
    focus = {"focus": a_name(given, "focus")} if given.get("focus") is not None else {}
    return {**found, "steps": a_step(given["steps"]), **focus}


def spoken(given: Any, most: int, field: str) -> dict[str, str]:
    """Return a text by its language."""
    if not isinstance(given, dict) or not given or set(given) - set(LANGUAGES):
        raise wrong(field)
    return {lang: text({field: one}, field, most, needed=True) for lang, one in given.items()}


def a_step(given: Any, field: str = "lesson") -> int:
    """Return the number of a lesson's step."""
    if type(given) is not int or not 0 <= given <= _STEPS:
        raise wrong(field)
    return given


def text(said: Mapping[str, Any], field: str, most: int, *, needed: bool = False) -> str:
    """Return a text without signs that are not seen."""
    written = said.get(field, "")
    if not isinstance(written, str) or len(written) > most:
        raise wrong(field)
    seen = _UNSEEN.sub(" ", written).strip()
    if needed and not seen:
        raise wrong(field)
    return seen


def place(value: Any, field: str) -> float:
    """Return a place on an axis."""
    # a bool is an int as well; NaN is in no range
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise wrong(field)
    return float(value)


def count(given: Any, field: str = "results") -> int:
    """Return a number of tabs."""
    if type(given) is not int or not 0 <= given <= TABS:
        raise wrong(field)
    return given
