"""Links into a lesson: each step has its state, and no link is led on twice."""

import re
from urllib.parse import parse_qsl

import pytest

from tests.visualiser.test_lessons import LESSONS
from visualiser.asset_folder import ASSETS
from visualiser.server.http import lesson_links
from visualiser.server.http.lesson_links import leads_to


def led(link: str) -> str | None:
    return leads_to(parse_qsl(link, keep_blank_values=True))


@pytest.mark.parametrize("beside", ["", "page=cost", "page=why&d_k=8", "page=anatomy&step=scores", "n=9"])
@pytest.mark.parametrize("name", list(LESSONS))
def test_each_step_is_reached_at_once_and_stays(name: str, beside: str) -> None:
    for number, step in enumerate(LESSONS[name]["steps"], 1):
        tab = f"lesson={name}&step={number}&__theme=dark"
        link = f"{beside}&{tab}&lang=ko&present=1"
        found = led(link) or link
        assert led(found) is None, "a link is led on once"
        pages = [dict(parse_qsl(one)).get("page") for one in (step["link"], step.get("question", {}).get("reveal"))]
        assert dict(parse_qsl(found)).get("page") in pages[: 1 + ("reveal" in step.get("question", {}))]
        if not beside:
            assert parse_qsl(found)[: len(parse_qsl(step["link"]))] == parse_qsl(step["link"])
        assert dict(parse_qsl(found)) | {"lesson": name, "lang": "ko", "present": "1"} == dict(parse_qsl(found))
        assert f"&step={number}" in found
        in_room = led(f"{beside}&room=ABCDEF&{tab}")
        if beside:
            assert in_room is None  # the room leads its pages: two that lead would load them for ever
        else:
            assert "room=ABCDEF" in (in_room or tab.replace("&", "&room=ABCDEF&", 1))


@pytest.mark.parametrize("name", list(LESSONS))
def test_the_summary_is_reached_on_the_page_of_the_last_step(name: str) -> None:
    steps = LESSONS[name]["steps"]
    tab = f"lesson={name}&step={len(steps) + 1}"
    found, last = led(f"lang=ko&{tab}"), parse_qsl(steps[-1]["link"], keep_blank_values=True)
    assert parse_qsl(found or f"lang=ko&{tab}") == [*last, *parse_qsl(f"lang=ko&{tab}")]
    for beside in ("page=cost", "page=why&d_k=8", "n=9"):
        assert led(f"{beside}&{tab}") is None, "the page to play with"
    assert led(f"lesson={name}&step={len(steps) + 2}") is None


def test_what_is_beside_a_step_on_its_page_stays() -> None:
    """A reload after the reveal, or after a control was moved, comes back to what was there."""
    assert led("scaling=none&lesson=why-sqrt-d-k&step=2") is None
    assert led("page=why&d_k=8&lesson=why-sqrt-d-k&step=7") is None


@pytest.mark.parametrize("offered", ["page=cost", ""])
def test_what_a_teacher_brings_beside_a_step_stays_on_any_page(offered: str) -> None:
    assert led(f"{offered}&lesson=saturation&step=2")
    assert led(f"{offered}&lesson=saturation&step=2&aside=1") is None


@pytest.mark.parametrize(
    "link",
    [
        "",
        "n=9",
        "lesson=saturation",
        "step=2",
        "lesson=saturation&step=0",
        "lesson=saturation&step=99999999999999999999",
        "lesson=saturation&step=-1",
        "lesson=saturation&step=²",
        "lesson=own&step=2",
        "lesson=linked&step=2",
        "lesson=../locales/en&step=1",
        "lesson=lesson.schema&step=1",
        "page=anatomy&step=scores&lesson=words-to-b",
    ],
)
def test_other_links_stay(link: str) -> None:
    assert led(link) is None


def test_the_tab_keeps_what_the_script_keeps() -> None:
    script = (ASSETS / "js" / "link" / "address.js").read_text(encoding="utf-8")
    found = re.search(r"export const OF_TAB = \[(.*)\];", script)
    assert found
    assert re.findall(r'"(\w+)"', found[1]) == list(lesson_links._OF_TAB)
