"""The parser of bodies, field by field: each has the right type and range, or is refused by its name."""

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
from visualiser.server.live.body import PARSERS
from visualiser.server.live.surrogates import load_json
from visualiser.server.rooms.record import Record
from visualiser.server.rooms.room_limits import LINK, TABS
from visualiser.state import share

TITLE, WORDS = 160, 600
"""Characters of the title and of a step of a teacher's own lesson, in each language; as in lesson.schema.json."""

ADDRESS: Final = 300
"""Characters of the address in a QR code."""

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,60}")
_RIGHT: Final = re.compile(r"[0-9a-f]{64}")
_UNSEEN: Final = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Invisible signs: controls, and those that turn the direction of the text after them."""

_CELLS: Final = 10**6
_STEPS: Final = 200


def wrong_field(field: str) -> Refusal:
    """Return the refusal of a body for this field."""
    return Refusal("error.room_field", 422, field=field)


def parse_object(body: bytes) -> dict[str, Any]:
    """Return the JSON object of a body; an empty one of none. Raise `Refusal`."""
    try:
        payload = load_json(body) if body.strip() else {}
    except (ValueError, RecursionError) as broken:
        raise Refusal("error.bad_request", 400) from broken
    if not isinstance(payload, dict):
        raise Refusal("error.bad_request", 400)
    return payload


async def parse_link(payload: Mapping[str, Any], most: int = LINK) -> share.State:
    """Return the state in the field `link`, without the student's own language, theme, columns and presenting."""
    written = payload.get("link")
    if not isinstance(written, str):
        raise wrong_field("link")
    if len(written) > most:
        raise Refusal("error.room_link", 422, came=len(written), limit=most)
    found = await run_sync(_state, written, limiter=PARSERS) if len(written) > QUICK else _state(written)
    if (came := len(share.canonical(found))) > most:
        raise Refusal("error.room_link", 422, came=came, limit=most)
    return found


def _state(written: str) -> share.State:
    state = share.read(written).state
    first = share.beginning(state.page).view
    view = replace(state.view, columns=first.columns, present=first.present, theme=first.theme)
    return replace(state, view=view, chosen_language=False)


async def with_state(record: Record, payload: Mapping[str, Any]) -> Record:
    """Return the room with the fields of a state in place of its own."""
    changes: dict[str, Any] = {}
    if "link" in payload:
        state = await parse_link(payload)
        changes |= {"link": share.canonical(state), "page": state.page, "row": state.view.row}
        changes |= {"focus": state.view.focus, "hovered": None}
    if "hovered" in payload:
        changes["hovered"] = _parse_hovered(payload["hovered"])
    if "lesson" in payload:
        changes["lesson"] = _parse_lesson(payload["lesson"])
    if "locked" in payload:
        changes["locked"] = parse_flag(payload, "locked")
    if "call" in payload and parse_flag(payload, "call"):
        changes["calls"] = record.calls + 1
    return replace(record, **changes)


def parse_name(payload: Mapping[str, Any], field: str) -> str:
    """Return the name in a field. Raise `Refusal` unless it has the form of the server's names."""
    name = payload.get(field)
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise wrong_field(field)
    return name


def parse_round(payload: Mapping[str, Any]) -> str:
    """Return the round that an answer is for, as a store knows it."""
    turn = payload.get("round")
    if type(turn) is not int or turn not in (1, 2):
        raise wrong_field("round")
    return f"{parse_name(payload, 'question')} {turn}"


def parse_address(payload: Mapping[str, Any], code: str) -> str:
    """Return the address for students. It must be one of this room."""
    written = payload.get("address")
    if not isinstance(written, str) or len(written) > ADDRESS or not written.isascii() or not written.isprintable():
        raise wrong_field("address")
    try:
        parts = urlsplit(written)
        rooms = [value for name, value in parse_qsl(parts.query) if name == "room"]
    except ValueError:
        raise wrong_field("address") from None
    if parts.scheme not in ("http", "https") or not parts.netloc or [read_code(room) for room in rooms] != [code]:
        raise wrong_field("address")
    return written


def parse_right(payload: Mapping[str, Any]) -> str:
    """Return the hash of the right of a lost room's remote, which the teacher's tab kept; empty without one."""
    written = payload.get("remote", "")
    if not isinstance(written, str) or (written and not _RIGHT.fullmatch(written)):
        raise wrong_field("remote")
    return written


def parse_flag(payload: Mapping[str, Any], field: str) -> bool:
    """Return a field that is true or false."""
    if not isinstance(payload.get(field), bool):
        raise wrong_field(field)
    return payload[field]


def _parse_hovered(given: Any) -> dict[str, Any] | None:
    if given is None:
        return None
    if not isinstance(given, dict) or not set(given) <= {"figure", "head", "row", "column"}:
        raise wrong_field("hovered")
    found: dict[str, Any] = {}
    for name, value in given.items():
        right = _NAME.fullmatch(value) if isinstance(value, str) else type(value) is int and 0 <= value <= _CELLS
        if not right or (name == "figure") != isinstance(value, str):
            raise wrong_field("hovered")
        found[name] = value
    return found


def _parse_lesson(given: Any) -> dict[str, Any] | None:
    if given is None:
        return None
    if not isinstance(given, dict) or set(given) - {"words"} != {"name", "step"}:
        raise wrong_field("lesson")
    found = {"name": parse_name(given, "name"), "step": parse_step(given["step"])}
    return found if given.get("words") is None else found | {"words": _parse_words(given["words"])}


def _parse_words(given: Any) -> dict[str, Any]:
    """Return the text of a step of the teacher's own lesson, whose file no student has."""
    if not isinstance(given, dict) or set(given) - {"focus"} != {"title", "text", "steps"}:
        raise wrong_field("words")
    found = {
        "title": parse_translations(given["title"], TITLE, "words"),
        "text": parse_translations(given["text"], WORDS, "words"),
    }
    focus = {"focus": parse_name(given, "focus")} if given.get("focus") is not None else {}
    return {**found, "steps": parse_step(given["steps"]), **focus}


def parse_translations(given: Any, most: int, field: str) -> dict[str, str]:
    """Return a text by its language."""
    if not isinstance(given, dict) or not given or set(given) - set(LANGUAGES):
        raise wrong_field(field)
    return {lang: parse_text({field: one}, field, most, needed=True) for lang, one in given.items()}


def parse_step(given: Any, field: str = "lesson") -> int:
    """Return the number of a lesson's step."""
    if type(given) is not int or not 0 <= given <= _STEPS:
        raise wrong_field(field)
    return given


def parse_text(payload: Mapping[str, Any], field: str, most: int, *, needed: bool = False) -> str:
    """Return a text without invisible signs."""
    written = payload.get(field, "")
    if not isinstance(written, str) or len(written) > most:
        raise wrong_field(field)
    seen = _UNSEEN.sub(" ", written).strip()
    if needed and not seen:
        raise wrong_field(field)
    return seen


def parse_place(value: Any, field: str) -> float:
    """Return a place on an axis."""
    # a bool is an int as well; NaN is in no range
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise wrong_field(field)
    return float(value)


def parse_count(given: Any, field: str = "results") -> int:
    """Return a number of tabs."""
    if type(given) is not int or not 0 <= given <= TABS:
        raise wrong_field(field)
    return given
