"""The lessons that come with the app: their format, their links, their texts in both languages."""

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from visualiser.asset_folder import ASSETS
from visualiser.locale import LANGUAGES
from visualiser.state import parameters, share

FOLDER = ASSETS / "lessons"
SCHEMA = json.loads((FOLDER / "lesson.schema.json").read_text(encoding="utf-8"))
LESSONS = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted(FOLDER.glob("*.json"))
    if not path.stem.endswith(".schema")
}
NAMES = list(LESSONS)
OTHERS = re.compile(
    r"(footnote|section|각주|절|Gemma|Qwen) ?[\d.]+|[\d.]+(?=절)|\d+분의 \d+|(heads?|헤드)(( |, | and )\d+(\.\d+)?)+",
    re.IGNORECASE,
)
"""Numbers of places in the paper, in names of models, fractions, and heads by their numbers."""
NUMBER = re.compile(r"(?<![\w.^_])\d+(?:\.\d+)?(?![\w.]*\])")


def texts(node: Any) -> Iterator[dict[str, str]]:
    """Yield every text of a lesson, with its languages."""
    if isinstance(node, dict):
        if node and node.keys() <= set(LANGUAGES):
            yield node
        else:
            for value in node.values():
                yield from texts(value)
    elif isinstance(node, list):
        for value in node:
            yield from texts(value)


def links(lesson: dict[str, Any]) -> list[str]:
    found = [step["link"] for step in lesson["steps"]]
    return found + [step["question"]["reveal"] for step in lesson["steps"] if "reveal" in step.get("question", {})]


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_has_the_format(name: str) -> None:
    problems = [f"{one.json_path}: {one.message}" for one in Draft202012Validator(SCHEMA).iter_errors(LESSONS[name])]
    assert problems == []
    assert LESSONS[name]["name"] == name


@pytest.mark.parametrize("name", NAMES)
def test_a_link_is_the_one_that_the_app_would_write(name: str) -> None:
    for link in links(LESSONS[name]):
        reading = share.read(link, "en")
        assert (share.canonical(reading.state), reading.notices) == (link, ())


@pytest.mark.parametrize("name", NAMES)
def test_a_step_points_to_a_figure_of_its_page(name: str) -> None:
    for step in LESSONS[name]["steps"]:
        page = share.read(step["link"], "en").state.page
        question = step.get("question", {})
        named = [step.get("focus"), question.get("curve", {}).get("figure")]
        named += [
            claim["of"]["figure"]
            for claim in [*step.get("holds", []), *([question["truth"]] if "truth" in question else [])]
        ]
        assert {figure for figure in named if figure} <= set(parameters.figures(page)), step["link"]


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_is_told_in_every_language_and_takes_the_minutes_of_its_steps(name: str) -> None:
    lesson = LESSONS[name]
    found = list(texts(lesson))
    assert found
    assert all(text.keys() == set(LANGUAGES) for text in found)
    assert all(re.search("[가-힣]", text["ko"]) for text in found)
    assert not any(re.search("[가-힣]", text["en"]) for text in found)
    assert lesson["note"]
    assert sum(step["minutes"] for step in lesson["steps"]) == lesson["minutes"]


@pytest.mark.parametrize("name", NAMES)
def test_a_text_holds_no_number_that_its_link_does_not(name: str) -> None:
    """A number that the page computes is not written down: it would be wrong after the next change."""
    for step in LESSONS[name]["steps"]:
        question = step.get("question", {})
        of_links = set(re.findall(r"\d+", step["link"] + question.get("reveal", ""))) | {"0", "1", "2"}
        shown = [step["text"], *texts(question)]
        for text in shown:
            for lang in LANGUAGES:
                plain = OTHERS.sub("", text[lang])
                assert set(NUMBER.findall(plain)) <= of_links, (step["link"], text[lang])


@pytest.mark.parametrize("name", NAMES)
def test_the_answers_of_a_question_share_all_values_among_them(name: str) -> None:
    """Exactly one answer is right, whatever the page computes."""
    for step in LESSONS[name]["steps"]:
        answers = step.get("question", {}).get("answers", [])
        ranges = sorted((one.get("from", -float("inf")), one.get("below", float("inf"))) for one in answers)
        if ranges:
            assert (ranges[0][0], ranges[-1][1]) == (-float("inf"), float("inf")), step["link"]
            assert all(high == low for (_, high), (low, _) in pairwise(ranges)), step["link"]


def answer(step: dict[str, Any]) -> tuple[str, str]:
    """Return the picture that answers a step's question: the link of its state, and its figure."""
    question = step["question"]
    figure = question.get("truth", {}).get("of", {}).get("figure") or question.get("curve", {}).get("figure")
    return question.get("reveal", step["link"]), figure or step["focus"]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_up_to_a_question_shows_or_says_its_answer(name: str) -> None:
    """No step up to it has the picture that answers it, which a handout shows; no text has why it is so."""
    steps = LESSONS[name]["steps"]
    for at, step in enumerate(steps):
        question = step.get("question")
        if question is None:
            continue
        pictures = [(one["link"], one.get("focus")) for one in steps[: at + 1]]
        if question.keys() & {"truth", "curve", "prediction"}:  # the teacher's mark needs no picture
            assert answer(step) not in pictures, step["link"]
        said = " ".join(text for one in steps[: at + 1] for text in one["text"].values())
        because = question.get("because", {}).values()
        assert not any(text in said for text in because), step["link"]


def test_the_positions_of_words_to_b_count_from_0_as_the_page_does() -> None:
    """A text of two words has the positions 0 and 1."""
    raised = {
        sign
        for text in texts(LESSONS["words-to-b"])
        for sentence in text.values()
        for sign in re.findall(r"[abqkvα]([⁰¹²³⁴-⁹])", sentence)
    }
    assert raised == {"⁰", "¹"}
