"""Bodies of requests, read field by field: of the right type and within its bounds, or refused by the field's name."""

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from anyio.to_thread import run_sync

from visualiser.locale import LANGUAGES, texts
from visualiser.server.admission.refusal import Refusal
from visualiser.server.live.asking import READING
from visualiser.server.live.surrogates import read_whole
from visualiser.server.rooms.codes import new_name, read_code
from visualiser.server.rooms.limits import LINK, TABS
from visualiser.server.rooms.record import CHOICE, CLOSED, CURVE, DISCUSS, OPEN, REVEAL, Question, Record
from visualiser.server.rooms.results import FEWEST, QUANTILES
from visualiser.state import parameters, share

TEXT, ANSWER, LABEL = 500, 120, 60
"""Characters of a question, of an answer to choose, and of an axis."""

TITLE, WORDS = 160, 600
"""Characters of the title and of a step of a teacher's own lesson, in each language; as in lesson.schema.json."""

ANSWERS, PREDICTED = 6, 12
"""Answers of a question, and of a page's own prediction."""

POINTS: Final = 64
"""Points of a curve."""

ADDRESS: Final = 300
"""Characters of the address in a QR code."""

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,60}")
_UNSEEN: Final = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Signs that are not seen: controls, and those that turn the direction of what follows."""

_QUICK: Final = 1000
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
    found = await run_sync(_state, written, limiter=READING) if len(written) > _QUICK else _state(written)
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
        changes["locked"] = _flag(said, "locked")
    if "call" in said and _flag(said, "call"):
        changes["calls"] = record.calls + 1
    return replace(record, **changes)


def question(said: Mapping[str, Any], *, again: bool = False) -> Question:
    """Return a new question; `again`, of a room that is opened again, with its name, phase, round and results.

    In the second round it also has how many had answered the first.
    """
    kind = said.get("kind")
    if kind not in (CHOICE, CURVE):
        raise wrong("kind")
    prediction = _prediction(said.get("prediction"))
    found = Question(
        id=new_name(),
        kind=kind,
        text=_text(said, "text", TEXT, needed=prediction is None),
        answers=_answers(said, PREDICTED if prediction else ANSWERS) if kind == CHOICE else (),
        x=_places(said) if kind == CURVE else (),
        x_label=_text(said, "x_label", LABEL),
        y_label=_text(said, "y_label", LABEL),
        prediction=prediction,
        holds="holds" in said and _flag(said, "holds"),
    )
    if not again:
        return found
    phase, turn = said.get("phase", OPEN), said.get("round", 1)
    if phase not in (OPEN, CLOSED, DISCUSS, REVEAL):
        raise wrong("phase")
    rounds = {OPEN: (1,), DISCUSS: (2,)}.get(phase, (1, 2))
    if type(turn) is not int or turn not in rounds:
        raise wrong("round")
    first = _count(said.get("first", 0), "first") if phase == DISCUSS else 0
    found = replace(found, id=a_name(said, "id"), phase=phase, round=turn, first=first)
    return replace(found, results=_results(found, said.get("results"))) if phase == REVEAL else found


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


def answer(asked: Question, given: Any, field: str = "answer") -> int | list[float]:
    """Return an answer to this question: an index, or a y for each x."""
    if asked.kind == CHOICE:
        if type(given) is not int or not 0 <= given < len(asked.answers):
            raise wrong(field)
        return given
    if not isinstance(given, list) or len(given) != len(asked.x):
        raise wrong(field)
    return [round(_place(value, field), 4) for value in given]


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


def _flag(said: Mapping[str, Any], field: str) -> bool:
    if not isinstance(said[field], bool):
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
    found = {"name": a_name(given, "name"), "step": _step(given["step"])}
    return found if given.get("words") is None else found | {"words": _words(given["words"])}


def _words(given: Any) -> dict[str, Any]:
    """Return what a step of the teacher's own lesson says: nobody else has its file."""
    if not isinstance(given, dict) or set(given) - {"focus"} != {"title", "text", "steps"}:
        raise wrong("words")
    found = {"title": _spoken(given["title"], TITLE), "text": _spoken(given["text"], WORDS)}
    focus = {"focus": a_name(given, "focus")} if given.get("focus") is not None else {}
    return {**found, "steps": _step(given["steps"]), **focus}


def _spoken(given: Any, most: int) -> dict[str, str]:
    if not isinstance(given, dict) or not given or set(given) - set(LANGUAGES):
        raise wrong("words")
    return {lang: _text({"words": one}, "words", most, needed=True) for lang, one in given.items()}


def _step(given: Any) -> int:
    if type(given) is not int or not 0 <= given <= _STEPS:
        raise wrong("lesson")
    return given


def _results(asked: Question, given: Any) -> dict[str, Any]:
    """Return the results that a room had revealed before it was lost."""
    if not isinstance(given, dict) or set(given) != {"first", "second", "truth"}:
        raise wrong("results")
    truth, second = given["truth"], given["second"]
    if (second is None) != (asked.round == 1):
        raise wrong("results")
    return {
        "first": _distribution(asked, given["first"]),
        "second": None if second is None else _distribution(asked, second),
        "truth": None if truth is None else answer(asked, truth, "results"),
    }


def _distribution(asked: Question, given: Any) -> dict[str, Any]:
    name = "counts" if asked.kind == CHOICE else "band"
    if not isinstance(given, dict) or set(given) != {"answers", name}:
        raise wrong("results")
    many, shown = _count(given["answers"]), given[name]
    if (shown is not None) != (many >= FEWEST[asked.kind]):
        raise wrong("results")
    if shown is None:
        return {"answers": many, name: None}
    if asked.kind == CHOICE:
        counts = [_count(one) for one in shown] if isinstance(shown, list) else []
        if len(counts) != len(asked.answers) or sum(counts) != many:
            raise wrong("results")
        return {"answers": many, name: counts}
    if not isinstance(shown, dict) or set(shown) != {str(share) for share in QUANTILES}:
        raise wrong("results")
    return {"answers": many, name: {share: answer(asked, line, "results") for share, line in shown.items()}}


def _count(given: Any, field: str = "results") -> int:
    if type(given) is not int or not 0 <= given <= TABS:
        raise wrong(field)
    return given


def _prediction(given: Any) -> dict[str, str] | None:
    if given is None:
        return None
    if not isinstance(given, dict) or set(given) != {"page", "name"} or given["page"] not in parameters.PAGES:
        raise wrong("prediction")
    if f"predict.{a_name(given, 'name')}.question" not in texts(LANGUAGES[0]):
        raise wrong("prediction")
    return {"page": given["page"], "name": given["name"]}


def _text(said: Mapping[str, Any], field: str, most: int, *, needed: bool = False) -> str:
    written = said.get(field, "")
    if not isinstance(written, str) or len(written) > most:
        raise wrong(field)
    seen = _UNSEEN.sub(" ", written).strip()
    if needed and not seen:
        raise wrong(field)
    return seen


def _answers(said: Mapping[str, Any], most: int) -> tuple[str, ...]:
    given = said.get("answers")
    if not isinstance(given, list) or not 2 <= len(given) <= most:
        raise wrong("answers")
    return tuple(_text({"answers": one}, "answers", ANSWER, needed=True) for one in given)


def _places(said: Mapping[str, Any]) -> tuple[float, ...]:
    given = said.get("x")
    if not isinstance(given, list) or not 2 <= len(given) <= POINTS:
        raise wrong("x")
    found = tuple(round(_place(value, "x"), 4) for value in given)
    if any(later <= earlier for earlier, later in pairwise(found)):
        raise wrong("x")
    return found


def _place(value: Any, field: str) -> float:
    # a bool is an int as well; NaN is in no range
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise wrong(field)
    return float(value)
