"""The page's own check of a lesson refuses what the schema and the server's reading of links refuse."""

import json
import random
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
from jsonschema import Draft202012Validator

from tests.in_node import in_node
from tests.visualiser.test_lessons import LESSONS, SCHEMA
from visualiser.state import parameters, share
from visualiser.state.declared import declared
from visualiser.state.link_values import accepted, written_as

pytestmark = pytest.mark.slow

NUMBERS = ("0", "1", "2", "7", "9", "33", "300", "5000", "-1", "1.5", "0.25", "1e3", "")
WORDS = (
    *("true", "none", "causal", "log", "upload", "maks", "mask,entropy", "4,16"),
    *("Additive", "any", "narrow_head"),
)
REFUSED = "(m, [links, declared]) => links.map((link) => [...m.linkFaults(link, declared)].length > 0)"


def test_the_page_refuses_the_links_that_the_server_would_change() -> None:
    """One declaration, read by two programs. What the page cannot count, such as a text's tokens, is the server's.

    What a page does not read is refused, too: the server takes it in silence, since links carry it to other pages.
    """
    draw = random.Random(20)
    links = []
    for _ in range(4000):
        page = draw.choice(parameters.PAGES)
        first = share.as_values(share.beginning(page))
        fields = []
        for name in draw.sample(sorted(first.keys() - {"text", "pin", "page", "theme"}), 3):
            right = accepted(page, name) or (written_as(first[name]), "2", "32")
            fields.append((name, draw.choice(right if draw.random() < 0.8 else draw.choice((NUMBERS, WORDS)))))
        fields.append(("page", page if draw.random() < 0.9 else draw.choice(("nowhere", "", "Why"))))
        links.append(urlencode(fields))
    others = ["text=a&widths=4", "dk=512", "theme=dark", "pin=d_k%3D0", "pin=%3Fmask%3Dwindow%26seed%3D-1"]
    found = in_node("lesson/links", REFUSED, [links + others, declared()])
    for link, is_refused in zip(links, found[: len(links)], strict=True):
        reading = share.read(link, "en")
        if reading.state.config.source not in ("text", "model"):
            idle = dict(parse_qsl(link, keep_blank_values=True)).keys() & set(parameters.unread(reading.state.page))
            assert is_refused == bool(reading.notices or idle), (link, reading.notices)
    assert 500 < sum(found) < len(links) - 500
    assert found[len(links) :] == [True] * len(others)


CHECKED = """(m, [texts, format]) => texts.map((text) =>
  m.checked(text, format).problems.map(({ key, step, part }) => [key, step, part]))"""


def test_the_page_checks_what_the_schema_says() -> None:
    """The page's own check finds no fault with a lesson, and one with each that the schema refuses."""
    lesson = LESSONS["why-sqrt-d-k"]
    first = {"link": "n=9", "text": {"en": "a"}}

    def asking(**question: Any) -> dict[str, Any]:
        return {**lesson, "steps": [{**first, "question": question}]}

    bad = [
        ({**lesson, "more": 1}, ["unknown", 0, "more"]),
        ({name: lesson[name] for name in lesson if name != "title"}, ["missing", 0, ""]),
        ({**lesson, "minutes": 0}, ["range", 0, "minutes"]),
        ({**lesson, "steps": []}, ["few", 0, "steps"]),
        ({**lesson, "steps": [first] * 41}, ["many", 0, "steps"]),
        ({**lesson, "steps": [{**first, "link": "?n=9"}]}, ["form_link", 1, "link"]),
        ({**lesson, "steps": [{**first, "text": {}}]}, ["empty", 1, "text"]),
        ({**lesson, "steps": [{**first, "text": {"en": "a" * 601}}]}, ["long", 1, "text.en"]),
        ({**lesson, "title": "a"}, ["type_object", 0, "title"]),
        (asking(prediction="why_falls", curve={}), ["one_of", 1, "question"]),
        (asking(answers=[{"text": {"en": "a"}}] * 2), ["missing", 1, "question"]),
        (asking(text={"en": "?"}, truth={"of": {"figure": "entropy", "column": 1}}), ["one_of", 1, "question"]),
    ]
    assert not any(Draft202012Validator(SCHEMA).is_valid(one) for one, _ in bad)
    lessons = [*LESSONS.values(), *(one for one, _ in bad)]
    known = {"schema": SCHEMA, "declared": declared()}
    found = in_node("lesson/check", CHECKED, [[json.dumps(one) for one in lessons], known])
    assert found[: len(LESSONS)] == [[] for _ in LESSONS]
    refused = found[len(LESSONS) :]
    assert all(problem in one for (_, problem), one in zip(bad, refused, strict=True)), refused
