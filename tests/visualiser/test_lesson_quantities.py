"""What lessons claim in numbers, computed at the states that their steps open."""

import math
from collections.abc import Iterator
from typing import Any, Final

import pytest

from tests.visualiser.lesson_quantities import quantities, within
from tests.visualiser.test_lessons import LESSONS

RIGHT: Final = {
    ("after-sqrt-d-k", 2): "about d_k",
    ("after-sqrt-d-k", 7): "about 1",
    ("after-sqrt-d-k", 9): "about half",
    ("after-sqrt-d-k", 10): "it falls",
    ("first-look", 2): "hardly more than one",
    ("heads", 7): "twice as much, or more",
    ("learned-heads", 5): "hardly any",
    ("learned-heads", 8): "more than ten",
    ("saturation", 6): "yes, some",
    ("why-sqrt-d-k", 2): "about d_k",
    ("why-sqrt-d-k", 5): "it falls below a tenth",
    ("words-to-b", 4): "a half to three quarters",
    ("words-to-b", 8): "stays",
}
"""The answer to each question whose truth a page computes."""


def parts(link: str, claim: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what a claim asks at a link, each with its own figure."""
    yield from ((link, claim[name]) for name in ("of", "over") if name in claim)


@pytest.mark.slow
@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_holds_what_it_claims(name: str) -> None:
    claims = [(step["link"], claim) for step in LESSONS[name]["steps"] for claim in step.get("holds", [])]
    found = iter(quantities([part for link, claim in claims for part in parts(link, claim)]))
    for link, claim in claims:
        value = next(found) / (next(found) if "over" in claim else 1)
        assert within(value, claim), (link, claim, value)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "number"), RIGHT)
def test_one_answer_is_right(name: str, number: int) -> None:
    step = LESSONS[name]["steps"][number - 1]
    question = step["question"]
    truth, link = question["truth"], question.get("reveal", step["link"])
    wanted = [*parts(link, truth), *([(step["link"], truth["of"])] if truth.get("before") else [])]
    found, over = [*quantities(wanted), 1.0][:2]
    value = found / over
    assert not math.isnan(value)
    assert [one["text"]["en"] for one in question["answers"] if within(value, one)] == [RIGHT[name, number]]


def test_every_computed_question_is_among_them() -> None:
    asked = {
        (name, number)
        for name, lesson in LESSONS.items()
        for number, step in enumerate(lesson["steps"], 1)
        if "truth" in step.get("question", {})
    }
    assert asked == RIGHT.keys()
