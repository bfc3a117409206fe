"""What pages declare for the check of lessons: it is that of the link's own reading, and the scripts' tests have it."""

import json
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.visualiser.pieces import opened
from visualiser.locale import LANGUAGES, texts
from visualiser.pages.explore import CHANGES
from visualiser.pages.map import MOST_TOKENS
from visualiser.server.http import assets
from visualiser.server.live.answering import LIVE
from visualiser.server.live.page_request import PageRequest
from visualiser.state import parameters
from visualiser.state.declared import declared
from visualiser.state.link_values import first_value, written_as

WRITTEN = Path(__file__).parents[2] / "scripts" / "declared.json"
ON_A_CPU = 16_384


def on_a_cpu(node: Any) -> Any:
    """Return declarations as a machine without a GPU has them: the Map is shorter there."""
    match node:
        case dict():
            return {name: on_a_cpu(one) for name, one in node.items()}
        case list() | tuple():
            return [on_a_cpu(one) for one in node]
        case bool() | str():
            return node
        case _:
            return node - MOST_TOKENS + ON_A_CPU if node in (MOST_TOKENS, MOST_TOKENS - 1) else node


def test_the_scripts_tests_have_the_present_declarations() -> None:
    """If not, write the left side into the file; `run.sh write` gives it its form."""
    assert on_a_cpu(declared()) == json.loads(WRITTEN.read_text(encoding="utf-8"))


def test_they_are_served_beside_the_lessons() -> None:
    served = assets.scripts()["lessons/declared.json"]
    assert json.loads(served.plain) == json.loads(json.dumps(declared()))
    assert served.media_type == "application/json"


def test_every_question_belongs_to_a_page() -> None:
    """Explore's are a change and a measure each, in one sentence; the Map shares one of them."""
    asked = {name.split(".")[1] for name in texts(LANGUAGES[0]) if name.startswith("predict.") and "question" in name}
    named = {name for page in parameters.PAGES if page != "explore" for name in parameters.questions(page)}
    assert named == asked - {"change"}
    assert {name.partition("_")[0] for name in parameters.questions("explore")} == {*CHANGES, "narrow"}
    assert all(map(parameters.questions, parameters.PAGES))


UNREAD = [(page, name) for page, declaration in declared()["pages"].items() for name in declaration["unread"]]
"""Each page with each setting that changes nothing on it."""
SMALL = {"why": "n=4&seeds=1", "map": "n=300"}


@pytest.mark.slow
@pytest.mark.night(but=20)
@pytest.mark.usefixtures("known_speed")
@pytest.mark.parametrize(("page", "name"), UNREAD)
def test_a_setting_that_a_page_does_not_read_changes_nothing_on_it(page: str, name: str) -> None:
    link = f"page={page}&{SMALL.get(page, '')}"
    assert shown(f"{link}&{urlencode({name: another(page, name)})}", page) == shown(link, page)


@cache
def shown(link: str, page: str) -> list[tuple[dict[str, Any], bytes]]:
    """Return what a page shows of a link, without the state that its controls take and that a prediction is about."""
    frame, _ = LIVE[page].frame
    pieces = map(opened, frame(PageRequest(link, None, frozenset(), b"", "en", "light", 0, "", {}, page)))
    return [(header | {"about": None, "bytes": 0}, numbers) for header, numbers in pieces if header["part"] != "state"]


def another(page: str, name: str) -> str:
    """Return a value that a page takes from a link and does not begin with."""
    parameter, first = declared()["pages"][page]["parameters"][name], first_value(page, name)
    match parameter:
        case {"choices": choices}:
            return next((one for one in choices if one != written_as(first)), choices[0])
        case {"least": least, "most": most}:
            return written_as(least if least != first else most)
        case _:
            return "n=5" if name == "pin" else "some other words"
