"""The parser of questions, answers and results in bodies of requests."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

from visualiser.locale import LANGUAGES, texts
from visualiser.server.rooms.body_fields import (
    WORDS,
    parse_count,
    parse_flag,
    parse_name,
    parse_place,
    parse_step,
    parse_text,
    parse_translations,
    wrong_field,
)
from visualiser.server.rooms.codes import new_name
from visualiser.server.rooms.record import CHOICE, CLOSED, CURVE, DISCUSS, OPEN, REVEAL, Question
from visualiser.server.rooms.results import FEWEST, FLOWS, QUANTILES
from visualiser.state import parameters

TEXT, ANSWER, LABEL = 600, 160, 160
"""Characters of a question, of an answer to choose, and of an axis: those of lesson.schema.json."""

ANSWERS, PREDICTED = 6, 12
"""Answers of a question, and of a page's own prediction."""

POINTS: Final = 64
"""Points of a curve."""

MOST: Final = 1e300
"""The largest value on an axis."""

CLOCK: Final = 900
"""Seconds of a clock at most."""

_LATEST: Final = 10**14
"""A time far ahead, in milliseconds since 1970."""

_ACROSS, _UP = {"x", "log_x"}, {"low", "high", "log_y"}
"""The numbers of a curve's horizontal axis, and of its vertical one."""


def parse_question(payload: Mapping[str, Any], *, again: bool = False) -> Question:
    """Return a new question; `again`, of a room that is opened again, with its name, phase, round and results.

    In the second round it also has how many had answered the first.
    """
    kind = payload.get("kind")
    if kind not in (CHOICE, CURVE):
        raise wrong_field("kind")
    prediction = _prediction(payload.get("prediction"))
    found = Question(
        id=new_name(),
        kind=kind,
        text=parse_text(payload, "text", TEXT, needed=prediction is None),
        answers=_answers(payload, PREDICTED if prediction else ANSWERS) if kind == CHOICE else (),
        x=_places(payload) if kind == CURVE else (),
        x_label=parse_text(payload, "x_label", LABEL),
        y_label=parse_text(payload, "y_label", LABEL),
        prediction=prediction,
        holds="holds" in payload and parse_flag(payload, "holds"),
        source=_from(payload.get("from")),
        axes=_axes(payload.get("axes"), payload) if kind == CURVE else None,
        figure="" if payload.get("figure") is None else parse_name(payload, "figure"),
    )
    if not again:
        return found
    phase, turn = payload.get("phase", OPEN), payload.get("round", 1)
    if phase not in (OPEN, CLOSED, DISCUSS, REVEAL):
        raise wrong_field("phase")
    rounds = {OPEN: (1,), DISCUSS: (2,)}.get(phase, (1, 2))
    if type(turn) is not int or turn not in rounds:
        raise wrong_field("round")
    first = parse_count(payload.get("first", 0), "first") if phase == DISCUSS else 0
    found = replace(
        found, id=parse_name(payload, "id"), phase=phase, round=turn, first=first, clock=_time(payload, "clock")
    )
    if phase != REVEAL:
        return found
    reveal = {"because": parse_because(payload.get("because")), "revealed": _time(payload, "revealed")}
    return replace(found, results=_results(found, payload.get("results")), clock=0, **reveal)


def parse_because(given: Any) -> dict[str, str] | None:
    """Return the explanation of a truth by language."""
    return None if given is None else parse_translations(given, WORDS, "because")


def parse_seconds(given: Any) -> int:
    """Return the seconds of a clock; 0 stops it."""
    if type(given) is not int or not 0 <= given <= CLOCK:
        raise wrong_field("seconds")
    return given


def parse_answer(question: Question, given: Any, field: str = "answer") -> int | list[float]:
    """Return an answer to this question: an index, or a y for each x."""
    if question.kind == CHOICE:
        if type(given) is not int or not 0 <= given < len(question.answers):
            raise wrong_field(field)
        return given
    if not isinstance(given, list) or len(given) != len(question.x):
        raise wrong_field(field)
    return [round(parse_place(value, field), 4) for value in given]


def _from(given: Any) -> dict[str, Any] | None:
    """Return the step of a lesson that asks."""
    if given is None:
        return None
    if not isinstance(given, dict) or set(given) != {"lesson", "step"}:
        raise wrong_field("from")
    return {"lesson": parse_name(given, "lesson"), "step": parse_step(given["step"], "from")}


def _axes(given: Any, payload: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the numbers of a curve's axes: `x` has the value at each place, `low` and `high` are the ends of y.

    A teacher's own curve may have the numbers of one axis alone.
    """
    if given is None:
        return None
    if not isinstance(given, dict) or set(given) not in (_ACROSS, _UP, _ACROSS | _UP):
        raise wrong_field("axes")
    found: dict[str, Any] = {name: parse_flag(given, name) for name in ("log_x", "log_y") if name in given}
    if "x" in given:
        found["x"] = _values(given["x"], len(payload["x"]), log=found["log_x"])
    if "low" in given:
        found["low"], found["high"] = _values([given["low"], given["high"]], 2, log=found["log_y"])
    return found


def _values(given: Any, many: int, *, log: bool) -> list[float]:
    """Return so many values of an axis, which rise; on a logarithmic one they are positive."""
    if not isinstance(given, list) or len(given) != many:
        raise wrong_field("axes")
    found = [_value(value) for value in given]
    if any(later <= earlier for earlier, later in pairwise(found)) or (log and found[0] <= 0):
        raise wrong_field("axes")
    return found


def _value(given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not abs(given) <= MOST:
        raise wrong_field("axes")
    return float(given)


def _time(payload: Mapping[str, Any], field: str) -> int:
    given = payload.get(field, 0)
    if type(given) is not int or not 0 <= given <= _LATEST:
        raise wrong_field(field)
    return given


def _results(question: Question, given: Any) -> dict[str, Any]:
    """Return the results that a room had revealed before it was lost."""
    if not isinstance(given, dict) or set(given) - {"flow"} != {"first", "second", "truth"}:
        raise wrong_field("results")
    truth, second = given["truth"], given["second"]
    if (second is None) != (question.round == 1):
        raise wrong_field("results")
    found = {
        "first": _distribution(question, given["first"]),
        "second": None if second is None else _distribution(question, second),
        "truth": None if truth is None else parse_answer(question, truth, "results"),
    }
    return found | {"flow": _flow(given["flow"], found)} if "flow" in given else found


def _flow(given: Any, found: Mapping[str, Any]) -> dict[str, int]:
    """Return the moves between the two votes: at least three, and no more than answered each."""
    if not isinstance(given, dict) or tuple(given) != FLOWS or found["second"] is None or found["truth"] is None:
        raise wrong_field("results")
    flow = {name: parse_count(many) for name, many in given.items()}
    both = sum(flow.values())
    if both < FEWEST[CHOICE] or both > min(found["first"]["answers"], found["second"]["answers"]):
        raise wrong_field("results")
    return flow


def _distribution(question: Question, given: Any) -> dict[str, Any]:
    name = "counts" if question.kind == CHOICE else "band"
    if not isinstance(given, dict) or set(given) != {"answers", name}:
        raise wrong_field("results")
    many, shown = parse_count(given["answers"]), given[name]
    if (shown is not None) != (many >= FEWEST[question.kind]):
        raise wrong_field("results")
    if shown is None:
        return {"answers": many, name: None}
    if question.kind == CHOICE:
        counts = [parse_count(one) for one in shown] if isinstance(shown, list) else []
        if len(counts) != len(question.answers) or sum(counts) != many:
            raise wrong_field("results")
        return {"answers": many, name: counts}
    if not isinstance(shown, dict) or set(shown) != {str(share) for share in QUANTILES}:
        raise wrong_field("results")
    return {"answers": many, name: {share: parse_answer(question, line, "results") for share, line in shown.items()}}


def _prediction(given: Any) -> dict[str, str] | None:
    if given is None:
        return None
    if not isinstance(given, dict) or set(given) != {"page", "name"} or given["page"] not in parameters.PAGES:
        raise wrong_field("prediction")
    if f"predict.{parse_name(given, 'name')}.question" not in texts(LANGUAGES[0]):
        raise wrong_field("prediction")
    return {"page": given["page"], "name": given["name"]}


def _answers(payload: Mapping[str, Any], most: int) -> tuple[str, ...]:
    given = payload.get("answers")
    if not isinstance(given, list) or not 2 <= len(given) <= most:
        raise wrong_field("answers")
    return tuple(parse_text({"answers": one}, "answers", ANSWER, needed=True) for one in given)


def _places(payload: Mapping[str, Any]) -> tuple[float, ...]:
    given = payload.get("x")
    if not isinstance(given, list) or not 2 <= len(given) <= POINTS:
        raise wrong_field("x")
    found = tuple(round(parse_place(value, "x"), 4) for value in given)
    if any(later <= earlier for earlier, later in pairwise(found)):
        raise wrong_field("x")
    return found
