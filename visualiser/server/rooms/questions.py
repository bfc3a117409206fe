"""Questions, answers and results in bodies: as a teacher asks, a student answers, and a lost room had them."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

from visualiser.locale import LANGUAGES, texts
from visualiser.server.rooms.codes import new_name
from visualiser.server.rooms.reading import WORDS, a_name, a_step, count, flag, place, spoken, text, wrong
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
        text=text(said, "text", TEXT, needed=prediction is None),
        answers=_answers(said, PREDICTED if prediction else ANSWERS) if kind == CHOICE else (),
        x=_places(said) if kind == CURVE else (),
        x_label=text(said, "x_label", LABEL),
        y_label=text(said, "y_label", LABEL),
        prediction=prediction,
        holds="holds" in said and flag(said, "holds"),
        source=_from(said.get("from")),
        axes=_axes(said.get("axes"), said) if kind == CURVE else None,
        figure="" if said.get("figure") is None else a_name(said, "figure"),
    )
    if not again:
        return found
    phase, turn = said.get("phase", OPEN), said.get("round", 1)
    if phase not in (OPEN, CLOSED, DISCUSS, REVEAL):
        raise wrong("phase")
    rounds = {OPEN: (1,), DISCUSS: (2,)}.get(phase, (1, 2))
    if type(turn) is not int or turn not in rounds:
        raise wrong("round")
    first = count(said.get("first", 0), "first") if phase == DISCUSS else 0
    found = replace(found, id=a_name(said, "id"), phase=phase, round=turn, first=first, clock=_time(said, "clock"))
    if phase != REVEAL:
        return found
    told = {"because": because(said.get("because")), "revealed": _time(said, "revealed")}
    return replace(found, results=_results(found, said.get("results")), clock=0, **told)


def because(given: Any) -> dict[str, str] | None:
    """Return the explanation of a truth by language."""
    return None if given is None else spoken(given, WORDS, "because")


def seconds(given: Any) -> int:
    """Return the seconds of a clock; 0 stops it."""
    if type(given) is not int or not 0 <= given <= CLOCK:
        raise wrong("seconds")
    return given


def answer(asked: Question, given: Any, field: str = "answer") -> int | list[float]:
    """Return an answer to this question: an index, or a y for each x."""
    if asked.kind == CHOICE:
        if type(given) is not int or not 0 <= given < len(asked.answers):
            raise wrong(field)
        return given
    if not isinstance(given, list) or len(given) != len(asked.x):
        raise wrong(field)
    return [round(place(value, field), 4) for value in given]


def _from(given: Any) -> dict[str, Any] | None:
    """Return the step of a lesson that asks."""
    if given is None:
        return None
    if not isinstance(given, dict) or set(given) != {"lesson", "step"}:
        raise wrong("from")
    return {"lesson": a_name(given, "lesson"), "step": a_step(given["step"], "from")}


def _axes(given: Any, said: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the numbers of a curve's axes: `x` has the value at each place, `low` and `high` are the ends of y.

    A teacher's own curve may have the numbers of one axis alone.
    """
    if given is None:
        return None
    if not isinstance(given, dict) or set(given) not in (_ACROSS, _UP, _ACROSS | _UP):
        raise wrong("axes")
    found: dict[str, Any] = {name: flag(given, name) for name in ("log_x", "log_y") if name in given}
    if "x" in given:
        found["x"] = _values(given["x"], len(said["x"]), log=found["log_x"])
    if "low" in given:
        found["low"], found["high"] = _values([given["low"], given["high"]], 2, log=found["log_y"])
    return found


def _values(given: Any, many: int, *, log: bool) -> list[float]:
    """Return so many values of an axis, which rise; on a logarithmic one they are positive."""
    if not isinstance(given, list) or len(given) != many:
        raise wrong("axes")
    found = [_value(value) for value in given]
    if any(later <= earlier for earlier, later in pairwise(found)) or (log and found[0] <= 0):
        raise wrong("axes")
    return found


def _value(given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not abs(given) <= MOST:
        raise wrong("axes")
    return float(given)


def _time(said: Mapping[str, Any], field: str) -> int:
    given = said.get(field, 0)
    if type(given) is not int or not 0 <= given <= _LATEST:
        raise wrong(field)
    return given


def _results(asked: Question, given: Any) -> dict[str, Any]:
    """Return the results that a room had revealed before it was lost."""
    if not isinstance(given, dict) or set(given) - {"flow"} != {"first", "second", "truth"}:
        raise wrong("results")
    truth, second = given["truth"], given["second"]
    if (second is None) != (asked.round == 1):
        raise wrong("results")
    found = {
        "first": _distribution(asked, given["first"]),
        "second": None if second is None else _distribution(asked, second),
        "truth": None if truth is None else answer(asked, truth, "results"),
    }
    return found | {"flow": _flow(given["flow"], found)} if "flow" in given else found


def _flow(given: Any, found: Mapping[str, Any]) -> dict[str, int]:
    """Return who moved between the votes: from three on who answered both, and no more than answered each."""
    if not isinstance(given, dict) or tuple(given) != FLOWS or found["second"] is None or found["truth"] is None:
        raise wrong("results")
    flow = {name: count(many) for name, many in given.items()}
    both = sum(flow.values())
    if both < FEWEST[CHOICE] or both > min(found["first"]["answers"], found["second"]["answers"]):
        raise wrong("results")
    return flow


def _distribution(asked: Question, given: Any) -> dict[str, Any]:
    name = "counts" if asked.kind == CHOICE else "band"
    if not isinstance(given, dict) or set(given) != {"answers", name}:
        raise wrong("results")
    many, shown = count(given["answers"]), given[name]
    if (shown is not None) != (many >= FEWEST[asked.kind]):
        raise wrong("results")
    if shown is None:
        return {"answers": many, name: None}
    if asked.kind == CHOICE:
        counts = [count(one) for one in shown] if isinstance(shown, list) else []
        if len(counts) != len(asked.answers) or sum(counts) != many:
            raise wrong("results")
        return {"answers": many, name: counts}
    if not isinstance(shown, dict) or set(shown) != {str(share) for share in QUANTILES}:
        raise wrong("results")
    return {"answers": many, name: {share: answer(asked, line, "results") for share, line in shown.items()}}


def _prediction(given: Any) -> dict[str, str] | None:
    if given is None:
        return None
    if not isinstance(given, dict) or set(given) != {"page", "name"} or given["page"] not in parameters.PAGES:
        raise wrong("prediction")
    if f"predict.{a_name(given, 'name')}.question" not in texts(LANGUAGES[0]):
        raise wrong("prediction")
    return {"page": given["page"], "name": given["name"]}


def _answers(said: Mapping[str, Any], most: int) -> tuple[str, ...]:
    given = said.get("answers")
    if not isinstance(given, list) or not 2 <= len(given) <= most:
        raise wrong("answers")
    return tuple(text({"answers": one}, "answers", ANSWER, needed=True) for one in given)


def _places(said: Mapping[str, Any]) -> tuple[float, ...]:
    given = said.get("x")
    if not isinstance(given, list) or not 2 <= len(given) <= POINTS:
        raise wrong("x")
    found = tuple(round(place(value, "x"), 4) for value in given)
    if any(later <= earlier for earlier, later in pairwise(found)):
        raise wrong("x")
    return found
