"""What Train's questions and verdicts claim, held to the snapshots."""

from collections.abc import Iterable, Sequence
from typing import Any

from tests.checker.checking import near
from tests.checker.train_heads import heads_outcome
from tests.checker.train_quality import mechanism_of
from tests.checker.train_truth import UNCLEAR, Facts, Truth
from visualiser.locale.message import Message
from visualiser.predictions import CLOSE


def _falls(true: Truth) -> dict[str, tuple[float, float, float]]:
    """Return each mechanism's loss from the smallest to the largest width: the mean, and what its seeds leave open."""
    low, high = true.ends
    found = {}
    for name in true.wanted.mechanism:
        lost = true.accuracy(name, low) - true.accuracy(name, high)
        found[name] = (float(lost.mean()), float(lost.min()), float(lost.max()))
    return found


def holds(true: Truth, label: Message) -> bool:
    """Return True if an answer to a question with choices is right, within what the seeds leave open."""
    answer = mechanism_of(label)
    asked = label.key.split(".")[1]
    if asked == "train_learns":
        (name,) = true.wanted.mechanism
        found = true.accuracy(name, true.ends[0])
        return found.max() > 0.5 if answer == "yes" else found.min() <= 0.5
    if asked == "train_best":
        bands = {name: true.accuracy(name, true.ends[0]) for name in true.wanted.mechanism}
        best = max(bands, key=lambda name: bands[name].mean())
        top = bands[best]
        within = [n for n, v in bands.items() if v.max() >= top.min() or v.mean() >= top.mean() - UNCLEAR]
        return len(within) > 1 if answer == "none" else answer in within
    falls = _falls(true)
    mean, least, _ = max(falls.values())
    open_ones = {name for name, of in falls.items() if of[2] > 0.1 and (of[2] >= least or of[0] >= mean - UNCLEAR)}
    return answer in open_ones if open_ones else answer == "none"


def right(true: Truth, facts: Facts) -> Iterable[str]:
    if not holds(true, facts["real"]):
        yield "this answer is wrong"


def open_question(true: Truth, facts: Facts) -> Iterable[str]:
    yield from right(true, facts)
    if facts["real"].key.split(".")[1] == "train_learns":
        (name,) = true.wanted.mechanism
        if (true.accuracy(name, true.ends[0]).mean() > 0.5) == (mechanism_of(facts["real"]) == "yes"):
            yield "it is the likeliest"


def differs_open(true: Truth, facts: Facts) -> Iterable[str]:
    yield from differs(true, facts)
    yield from open_question(true, facts)


def differs(true: Truth, facts: Facts) -> Iterable[str]:
    if holds(true, facts["answer"]):
        yield "the visitor is right, within what the seeds leave open"
    yield from right(true, facts)


def several(true: Truth, facts: Facts) -> Iterable[str]:
    if len(facts["answers"]) < 2 or not all(holds(true, label) for label in facts["answers"]):
        yield "not all of them hold"


def question(true: Truth, facts: Facts) -> Iterable[str]:
    low, high = true.ends
    if (facts["low"], facts["high"]) != (low, high) or low == high:
        yield "nothing grows"
    if facts["count"] != len(true.wanted.mechanism):
        yield "another number of mechanisms"


def question_best(true: Truth, facts: Facts) -> Iterable[str]:
    low, high = true.ends
    if facts["d_k"] != low or low != high or len(true.wanted.mechanism) < 2:
        yield "there is nothing to compare"
    if facts["steps"] != true.wanted.steps:
        yield "another number of steps"


def question_learns(true: Truth, facts: Facts) -> Iterable[str]:
    low, high = true.ends
    if facts["d_k"] != low or low != high or [mechanism_of(facts["name"])] != list(true.wanted.mechanism):
        yield "another model is trained"
    if facts["steps"] != true.wanted.steps:
        yield "another number of steps"


def question_heads(true: Truth, facts: Facts) -> Iterable[str]:
    if facts["m"] != true.wanted.m:
        yield "another number of positions"


def because_heads(true: Truth, facts: Facts) -> Iterable[str]:
    yield from heads_outcome(true, {**facts, "m": true.wanted.m})


def _places(true: Truth) -> list[float]:
    return [float(true.accuracy(h).mean()) for h in sorted(true.wanted.h)]


def _direction(values: Sequence[float]) -> str:
    change = values[-1] - values[0]
    return "stays" if abs(change) <= CLOSE else "rises" if change > 0 else "falls"


def trend(same: bool) -> Any:
    def check(true: Truth, facts: Facts) -> Iterable[str]:
        if len(true.wanted.h) < 2:
            yield "one point has no direction"
        if mechanism_of(facts["real"]) != _direction(_places(true)):
            yield f"the curve {_direction(_places(true))}"
        if same != (facts["real"].key == facts["drawn"].key):
            yield "the directions are not as told"

    return check


def largest(true: Truth, facts: Facts) -> Iterable[str]:
    if int(facts["x"]) not in true.wanted.h or not near(facts["real"], float(true.accuracy(int(facts["x"])).mean())):
        yield "it is another number"
