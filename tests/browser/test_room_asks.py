"""A class is asked: it votes on its own pages, discusses, votes again, and sees what it answered beside the truth."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser import controls
from tests.browser.in_class import (
    answered,
    asks,
    asks_of_page,
    choice,
    counts,
    follows,
    here,
    opened,
    phase,
    sends,
    shows,
    votes,
)
from visualiser.locale import text

STATE = "page=why&n=8&seeds=1&predict=true"


@pytest.fixture(scope="module")
def taught(open_module_page: Callable[..., Page]) -> tuple[Page, list[Page], str]:
    refused = ["status of 4"]
    teacher = open_module_page(STATE, painted=False, expected_errors=refused)
    teacher.locator("#figure-sweep[data-painted]").wait_for()
    code = opened(teacher)
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
    joins = f"{STATE}&room={code}"
    students = [
        open_module_page(joins, painted=False, expected_errors=refused),
        open_module_page(f"{joins}&lang=ko", painted=False),
        open_module_page(joins, painted=False, **phone),
    ]
    here(teacher, 3)
    for student in students:
        follows(student)
        student.locator("#figure-sweep[data-painted]").wait_for()
    return teacher, students, code


def covered(page: Page) -> bool:
    """True if the page shows no answer: figures covered, and nothing that uncovers them in sight."""
    return page.locator("#figure-temperature.is-covered").count() == 1 and not page.locator("#predict").is_visible()


def own(page: Page) -> list[tuple[int, int]]:
    """Return where the results say "your answer": row, and round from 0."""
    rows = page.locator("#room-results tbody tr").all()
    marked = [[cell.locator(".class-own").count() for cell in row.locator("td").all()] for row in rows]
    return [(at, turn) for at, cells in enumerate(marked) for turn, count in enumerate(cells) if count]


def withheld(page: Page, lang: str, few: dict[str, int], kind: str) -> None:
    """Assert that the results say which rounds are not shown, how many answered them, and why."""
    sentences = [text(lang, f"room.few.{turn}", n=n) for turn, n in few.items()]
    note = page.locator("#room-results .class-note")
    assert note.inner_text() == " ".join([*sentences, text(lang, f"room.few.{kind}")])
    hidden = page.locator("#room-results :is(thead th, figcaption)", has_text=text(lang, "room.few.hidden"))
    names = [text(lang, f"room.round.{turn}", n=n) for turn, n in few.items()]
    assert [one.split("\n")[0] for one in hidden.all_inner_texts()] == [
        f"{name} {text(lang, 'room.few.hidden')}" for name in names
    ]
    assert "–" not in page.locator("#room-results").inner_text()  # no column of dashes


def test_the_question_of_the_page_is_voted_on_twice_and_revealed_with_its_truth(
    taught: tuple[Page, list[Page], str], tmp_path: Path
) -> None:
    teacher, students, _ = taught
    for student in students:
        student.locator("#prediction-cover-lift").wait_for(state="hidden")  # the teacher asks
    controls.slide(students[0], "n", 9)
    follows(students[0], so=False)
    students[0].locator("#prediction-cover-lift").click()  # has looked already
    students[0].locator("#figure-temperature:not(.is-covered)").wait_for()
    asks_of_page(teacher)
    for page in (teacher, *students):
        phase(page, "open")
        page.locator("#figure-temperature.is-covered").wait_for()
        assert covered(page)
    korean = students[1].locator("#room-ballot label").nth(2).inner_text()
    assert korean == text("ko", "predict.why_falls.additive")
    for student, answer in zip(students, (0, 1, 0), strict=True):
        votes(student, answer)
    answered(teacher, 3)
    assert teacher.locator("#room-results").count() == 0
    teacher.locator("#room-closed").click()
    for student in students:
        phase(student, "closed")
        assert student.locator("#room-results").count() == 0
        assert covered(student)
    students[2].reload()
    phase(students[2], "closed")
    students[2].locator("#figure-temperature.is-covered").wait_for()
    teacher.locator("#room-discuss").click()
    for student, answer in zip(students, (1, 1, 0), strict=True):
        phase(student, "discuss")
        votes(student, answer, 2)
    answered(teacher, 3)
    teacher.locator("#room-reveal").click()
    for page in (teacher, *students):
        phase(page, "reveal")
        assert counts(page) == [[2, 1], [1, 2], [0, 0], [0, 0], [0, 0]]
        true = page.locator("#room-results tr.is-true")
        assert true.count() == 1
        page.locator("#figure-temperature:not(.is-covered)").wait_for()
    assert [own(page) for page in (teacher, *students)] == [[], [(0, 0), (1, 1)], [(1, 0), (1, 1)], [(0, 0), (0, 1)]]
    scaled = text("en", "predict.why_falls.unscaled")
    assert teacher.locator("#room-results tr.is-true th").inner_text().startswith(scaled.split(",")[0][:20])
    for student, verdict in zip(students, ("true", "true", "false"), strict=True):
        student.locator(f"#predict[data-verdict={verdict}]").wait_for()
    with teacher.expect_download() as download:
        teacher.locator("#room-csv").click()
    kept = tmp_path / "answers.csv"
    download.value.save_as(kept)
    lines = list(csv.DictReader(io.StringIO(kept.read_text(encoding="utf-8-sig"))))
    assert [line["value"] for line in lines if line["round"] == "2"] == ["1", "2", "0", "0", "0"]
    teacher.locator("#room-over").click()
    for student in students:
        phase(student, "")


def test_a_question_of_the_teacher_s_own_is_plain_text_and_answers_can_be_changed(
    taught: tuple[Page, list[Page], str],
) -> None:
    teacher, students, _ = taught
    asks(teacher, "<b>Which</b> mask?", ["none", "<i>causal</i>", "window"], right=1)
    for student, answer in zip(students, (2, 1, 1), strict=True):
        phase(student, "open")
        assert student.locator("#room-ballot legend").inner_text() == "<b>Which</b> mask?"
        votes(student, answer)
    votes(students[0], 1)
    students[1].reload()  # an answer outlives its page
    phase(students[1], "open")
    assert choice(students[1], 1).is_checked()
    students[1].wait_for_function("() => document.querySelector('#room-ballot [role=status]').textContent")
    answered(teacher, 3)
    status, _ = sends(students[0], "GET", f"room/{taught[2]}", None, **{"X-Headlight-Tab": "another-tab"})
    assert status == 200
    teacher.wait_for_function("() => document.getElementById('room-answered').dataset.count === '3'")
    teacher.locator("#room-closed").click()
    teacher.locator("#room-discuss").click()
    for student in students[:2]:
        phase(student, "discuss")
        votes(student, 0, 2)
    answered(teacher, 2)
    teacher.locator("#room-reveal").click()
    for page, lang in zip((teacher, *students), ("en", "en", "ko", "en"), strict=True):
        phase(page, "reveal")
        assert counts(page) == [[0, -1], [3, -1], [0, -1]]
        withheld(page, lang, {"second": 2}, "choice")
        assert page.locator("#room-results tr.is-true th").inner_text().startswith("<i>causal</i>")
    teacher.locator("#room-over").click()


def test_a_curve_is_drawn_and_shown_as_a_band_with_the_true_one(taught: tuple[Page, list[Page], str]) -> None:
    teacher, students, code = taught
    teacher.locator("#room-ask > summary").click()
    teacher.locator("#ask-text").fill("Accuracy?")
    teacher.locator("#ask-form input[value=curve]").check()
    teacher.locator("#ask-send").click()
    expect(teacher.locator("#ask-x:invalid")).to_be_focused()  # nobody draws on axes without a name
    teacher.locator("#ask-x").fill("heads")
    teacher.locator("#ask-y").fill("accuracy")
    teacher.locator("#ask-send").click()
    for student in students:
        phase(student, "open")
        student.locator("#room-ballot [role=slider]").first.focus()
        student.keyboard.press("PageUp")
        student.locator("#room-send").click()
        student.locator("#class[data-answered^='1 [']").wait_for()
    question = students[0].evaluate("() => JSON.parse(sessionStorage.getItem('headlight-room')).lead.given.question")
    for tab in ("fourth-student", "fifth-student"):
        payload = {"question": question, "round": 1, "answer": [0.5] * 8}
        named = {"X-Headlight-Tab": tab}
        assert sends(students[0], "POST", f"room/{code}/answer", payload, **named)[0] == 425, "not here yet"
        assert sends(students[0], "GET", f"room/{code}", None, **named)[0] == 200
        assert sends(students[0], "POST", f"room/{code}/answer", payload, **named)[0] == 204
    answered(teacher, 5)
    teacher.locator(".class-truth summary").click()
    teacher.locator(".class-truth [role=slider]").last.focus()
    teacher.keyboard.press("End")
    teacher.locator("#room-closed").click()
    teacher.locator("#room-discuss").click()
    phase(students[0], "discuss")
    teacher.locator("#room-reveal").click()
    for page, lang in zip((teacher, *students), ("en", "en", "ko", "en"), strict=True):
        phase(page, "reveal")
        withheld(page, lang, {"second": 0}, "curve")
        assert page.locator("#room-results .class-band").count() == 1
        real = page.locator("#room-results .predict-real").first.get_attribute("points")
        assert real is not None
        points = [tuple(map(float, point.split(","))) for point in real.split()]
        assert len(points) == 8
        assert points[-1][1] < points[0][1]  # up
        median = page.locator("#room-results .class-median").get_attribute("points")
        assert median is not None
        assert float(median.split()[0].split(",")[1]) < float(median.split()[-1].split(",")[1])
    assert students[0].locator("#room-results .predict-drawn").count() == 1
    teacher.locator("#room-over").click()


def test_a_hostile_student_steers_nothing_votes_once_and_reads_no_answer(
    taught: tuple[Page, list[Page], str],
) -> None:
    teacher, students, code = taught
    hostile = students[0]
    asks(teacher, "Fewer keys?", ["yes", "no"], right=0)
    for student, answer in zip(students, (0, 0, 1), strict=True):
        phase(student, "open")
        votes(student, answer)
    answered(teacher, 3)
    token = hostile.evaluate("() => JSON.parse(sessionStorage.getItem('headlight-room')).token")
    kept = hostile.evaluate("() => JSON.parse(sessionStorage.getItem('headlight-room'))")
    assert "secret" not in kept
    tab = {"X-Headlight-Tab": token}
    wrong = tab | {"X-Headlight-Secret": "A" * 22}
    steering = [
        ("state", {"link": "n=3"}),
        ("state", {"locked": True}),
        ("ask", {"kind": "choice", "text": "?", "answers": ["a", "b"]}),
        ("phase", {"question": kept["lead"]["given"]["question"], "phase": "reveal"}),
        ("end", None),
        ("drop", {}),
    ]
    for act, payload in steering:
        for headers in (tab, wrong):
            assert sends(hostile, "POST", f"room/{code}/{act}", payload, **headers)[0] == 403
    assert sends(hostile, "GET", f"room/{code}/results", None, **tab)[0] == 403
    again = {"question": kept["lead"]["given"]["question"], "round": 1, "answer": 1}
    assert sends(hostile, "POST", f"room/{code}/answer", again, **tab)[0] == 204  # in place of the first
    message = sends(hostile, "GET", f"room/{code}", None, **tab)[1]
    assert "answered" not in message
    assert "offers" not in message
    assert "results" not in message
    assert token not in message
    teacher.locator("#room-reveal").click()
    for page in (teacher, *students):
        phase(page, "reveal")
        assert counts(page) == [[1], [2]]
    shows(teacher, STATE)
    teacher.locator("#room-over").click()
