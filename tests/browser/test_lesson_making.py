"""A lesson of one's own: added, written, tried, saved, loaded, sent as a link; and files that are none."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser import controls, drawn
from tests.browser.boxes import boxes, require_apart
from tests.browser.test_accessibility import violations
from tests.browser.test_lessons import at, reveal
from visualiser import locale

HOSTILE = '<img src=x onerror="window.hurt = 1"><script>window.hurt = 1</script> [a](javascript:alert(1)) **b** √d_k'


def add(page: Page) -> None:
    page.locator("#lessons-open > summary").click()
    page.locator(".lesson-making .lesson-add").click()
    page.locator("#lesson-editor[open]").wait_for()


def load(page: Page, path: Path) -> None:
    page.locator("#lessons-open > summary").click()
    page.locator(".lesson-making").wait_for()
    page.locator(".lesson-making input[type=file]").set_input_files(path)


def test_a_lesson_is_made_tried_saved_and_loaded(open_page: Callable[..., Page], tmp_path: Path) -> None:
    page = open_page("d_k=512&lang=en")
    add(page)
    page.locator(".editor-step textarea").first.fill("First *look* at √d_k.")
    page.locator(".editor-step .editor-question select").first.select_option("answers")
    truth = page.locator(".editor-truth select")
    truth.nth(0).select_option("entropy")
    truth.nth(1).select_option("8")
    ends = page.locator(".editor-answer")
    ends.nth(0).locator("input").nth(0).fill("one key")
    ends.nth(0).locator("input[type=number]").nth(1).fill("2")
    ends.nth(1).locator("input").nth(0).fill("many keys")
    ends.nth(1).locator("input[type=number]").nth(0).fill("2")
    controls.write(page, "d_k", 64)  # the page beside the editor is in use meanwhile
    controls.write(page, "n", 9)
    drawn.wait_painted(page, "n=9&lang=en")
    expect(page.locator(".editor-now")).to_have_text("now 6.61")  # keys in use, of the 9 that the page shows now
    require_apart(*boxes(page, "#lesson-editor", "#banner", ".figure", "#insight", "#controls"))
    assert violations(page) == []
    page.reload()
    drawn.wait_painted(page, "n=9&lang=en")
    page.locator("#lesson-editor .editor-add").click()
    page.locator(".editor-step > label > textarea").nth(1).fill("Few tokens.")
    page.locator(".editor-of-title input").fill("Mine")
    page.locator(".editor-step").nth(1).locator(".editor-up").click()
    assert [one.input_value() for one in page.locator(".editor-step > label > textarea").all()] == [
        "Few tokens.",
        "First *look* at √d_k.",
    ]
    with page.expect_download() as saved:
        page.locator("#lesson-editor .editor-save").click()
    path = tmp_path / saved.value.suggested_filename
    saved.value.save_as(path)
    lesson = json.loads(path.read_text(encoding="utf-8"))
    assert [step["link"] for step in lesson["steps"]] == ["n=9", "d_k=512"]
    page.locator(".editor-of-title input").press("Escape")
    expect(page.locator("#lesson-editor")).to_have_count(0)
    expect(page.locator("#lessons-open > summary")).to_be_focused()
    page.locator("#lessons-open > summary").click()
    page.locator(".lesson-making .lesson-edit").click()
    page.set_viewport_size({"width": 1000, "height": 800})  # no room beside the page: over it
    page.locator("#lesson-editor:modal").wait_for()
    page.locator("#lesson-editor .editor-try").click()
    at(page, 1)
    expect(page.locator("#lesson .lesson-title")).to_have_text("Mine")
    page.keyboard.press("PageDown")
    at(page, 2)
    expect(page.locator("#lesson .lesson-said em")).to_have_text("look")
    page.locator(".lesson-answer").nth(1).click()
    page.locator("#lesson-reveal").click()
    page.locator("#lesson [data-truth='1']").wait_for()
    other = open_page("lang=en")
    load(other, path)
    other.locator("#lesson-editor .editor-show").nth(1).click()
    at(other, 2)
    drawn.wait_painted(other, "d_k=512&lang=en")


def the_curve(page: Page) -> Locator:
    """Return the first step's fields, of a curve to draw."""
    page.locator(".editor-step .editor-question select").first.select_option("curve")
    return page.locator(".editor-step .editor-question").first


def painted(page: Page, query: str, figure: str) -> None:
    """Wait until a figure shows a state."""
    page.locator(f"#figure-{figure}[data-painted='{query}']").wait_for(state="attached")


def field(root: Locator, label: str) -> Locator:
    """Return the field below a name in English."""
    name = root.page.get_by_text(locale.text("en", f"lesson.{label}"), exact=True)
    return root.locator("label").filter(has=name).locator("input, select, textarea")


def test_a_curve_is_made_tried_saved_and_loaded(open_page: Callable[..., Page], tmp_path: Path) -> None:
    """Axes come from the numbers on screen and can be written; what is drawn is judged by the state that reveals."""
    page = open_page("page=why&lang=en", painted=False)
    painted(page, "page=why&lang=en", "temperature")
    add(page)
    painted(page, "page=why&lang=en", "sweep")
    curve = the_curve(page)
    series = field(curve, "lines_is")  # of the table's three mechanisms one; their lines take turns
    assert series.locator("option:checked").inner_text() == locale.text("en", "figure.sweep.scaled")
    points = field(curve, "curve_points").input_value()
    first = curve.locator(".predict-drawn").get_attribute("points")
    series.select_option("2")
    assert curve.locator(".predict-drawn").get_attribute("points") != first
    assert field(curve, "curve_points").input_value() == points
    field(curve, "truth_figure").select_option("temperature")
    assert [field(curve, f"curve_{end}").input_value() for end in ("low", "high")] == ["0", "4"]
    assert field(curve, "curve_log_x").is_checked()
    before = curve.locator(".predict-drawn").get_attribute("points")
    field(curve, "curve_y").select_option("4")
    assert curve.locator(".predict-drawn").get_attribute("points") != before
    field(curve, "question_text").fill("Draw the *norm*.")
    field(curve, "curve_points").fill("0.001, 0.01 0.1;1 10")
    field(curve, "curve_high").fill("0.4")
    field(curve, "curve_y_label").fill("norm of J")
    field(curve, "because").fill("Both ends are small.")
    expect(curve.locator(".editor-now")).to_contain_text(re.compile(r"now(?: [\d.]+ ·){4} [\d.]+"))
    curve.locator(".editor-reveal").click()
    expect(curve.locator(".editor-reveal")).to_be_focused()  # the fields are made anew
    page.locator("#lesson-editor .editor-close").click()
    page.evaluate("async () => (await window.headlight).act('ways.goTo', 'page=why&hide=temperature')")
    painted(page, "page=why&lang=en&hide=temperature", "sweep")
    page.locator("#lessons-open > summary").click()
    page.locator(".lesson-making .lesson-edit").click()
    page.locator(".editor-replace").click()
    with page.expect_download() as saved:
        page.locator("#lesson-editor .editor-save").click()
    path = tmp_path / saved.value.suggested_filename
    saved.value.save_as(path)
    (step,) = json.loads(path.read_text(encoding="utf-8"))["steps"]
    assert step["link"] == "page=why&hide=temperature"
    question = step["question"]
    assert question["reveal"] == "page=why"
    assert question["curve"] == {
        "figure": "temperature",
        "x": 1,
        "y": 4,
        "points": [0.001, 0.01, 0.1, 1, 10],
        "low": 0,
        "high": 0.4,
        "log_x": True,
        "x_label": {"en": "factor"},
        "y_label": {"en": "norm of J"},
    }
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.method == "POST" else None)
    page.goto(f"{page.url.split('?')[0]}?lesson=own&lang=en")
    at(page, 1)
    page.goto(f"{page.url.split('?')[0]}?lesson=own&step=2&lang=en")
    at(page, 2)  # the summary
    assert "page=why" in page.url
    assert {url.split("/page/")[1].split("/")[0] for url in asked if "/page/" in url} == {"why"}  # and no other first
    other = open_page("lang=en")
    load(other, path)
    loaded = other.locator(".editor-question")
    assert field(loaded, "curve_points").input_value() == "0.001, 0.01, 0.1, 1, 10"
    other.locator("#lesson-editor .editor-try").click()
    at(other, 1)
    reveal(other)
    heights = json.loads(other.locator("#lesson [data-truth]").get_attribute("data-truth") or "")
    assert len(heights) == 5
    assert heights[0] < max(heights) > heights[-1]
    expect(other.locator("#lesson .lesson-verdict")).to_have_text("Both ends are small.")


def adds_before_the_sweep(open_page: Callable[..., Page]) -> tuple[Page, Locator, list[Route]]:
    """Add a step with a curve to draw on Why while its sweep is held; return the page, the curve and the sweep."""
    page = open_page("lang=en")
    held: list[Route] = []
    page.route("**/page/why/curves", lambda route: held.append(route))
    page.goto(f"{page.url.split('?')[0]}?page=why&lang=en")
    painted(page, "page=why&lang=en", "temperature")
    add(page)
    return page, the_curve(page), held


def test_numbers_that_come_late_are_proposed_unless_others_were_chosen(open_page: Callable[..., Page]) -> None:
    """The sweep streams beside the page's other figures: a question made before it came is about it all the same."""
    page, curve, held = adds_before_the_sweep(open_page)
    expect(field(curve, "truth_figure")).not_to_have_value("sweep")
    page.locator(".editor-question select").first.focus()
    assert held
    held[0].continue_()
    painted(page, "page=why&lang=en", "sweep")
    expect(field(curve, "truth_figure")).to_have_value("sweep")
    expect(field(curve, "lines_is")).to_have_value("0")
    expect(field(curve, "curve_log_x")).to_be_checked()
    expect(page.locator(".editor-question select").first).to_be_focused()  # where the teacher was


def test_numbers_that_come_late_leave_what_was_chosen(open_page: Callable[..., Page]) -> None:
    page, curve, held = adds_before_the_sweep(open_page)
    field(curve, "truth_figure").select_option("temperature")
    field(curve, "curve_points").fill("0.01, 1")
    held[0].continue_()
    painted(page, "page=why&lang=en", "sweep")
    field(curve, "curve_points").blur()
    expect(field(curve, "truth_figure").locator("option[value=sweep]")).to_be_attached()  # offered now
    expect(field(curve, "truth_figure")).to_have_value("temperature")
    expect(field(curve, "curve_points")).to_have_value("0.01, 1")


def kept(page: Page, lesson: Any) -> None:
    """Put a lesson into this browser as its editor left it."""
    page.evaluate("(lesson) => localStorage.setItem('headlight-lesson-draft', JSON.stringify(lesson))", lesson)


def test_a_lesson_without_its_page_is_refused_and_nothing_is_loaded_again(open_page: Callable[..., Page]) -> None:
    """A draft from before, whose step leads to no page: the sentence stands there, and the editor names the page."""
    page = open_page("lang=en")
    first = {"link": "page=nowhere", "text": {"en": "a"}}
    kept(page, {"format": 1, "name": "mine", "title": {"en": "Mine"}, "minutes": 1, "steps": [first]})
    loads: list[str] = []
    page.on("load", lambda loaded: loads.append(loaded.url))
    page.goto(f"{page.url.split('?')[0]}?lesson=own&step=1&lang=en")
    alert = page.locator("#lesson [role=alert]")
    expect(alert).to_have_text(
        "Step 1 (link): there is no page “nowhere”; the pages are explore, why, anatomy, cost, train, model, map."
    )
    drawn.wait_painted(page, "lang=en")
    assert len(loads) == 1
    assert page.evaluate("performance.getEntriesByType('navigation')[0].type") == "navigate"
    page.locator("#lessons-open > summary").click()
    page.locator(".lesson-making .lesson-edit").click()
    expect(page.locator(".editor-link").first).to_have_text("no page “nowhere” · page=nowhere")
    page.locator("#lesson-editor .editor-try").click()
    expect(page.locator("#lesson-editor .editor-said [role=alert]")).to_contain_text("there is no page “nowhere”")


def test_a_column_that_a_table_does_not_have_is_named_where_its_step_is_shown(
    open_page: Callable[..., Page], tmp_path: Path
) -> None:
    answers = [{"text": {"en": "a"}, "below": 1}, {"text": {"en": "b"}, "from": 1}]
    truth = {"of": {"figure": "entropy", "column": 39}}
    step = {"link": "n=9", "text": {"en": "a"}, "question": {"text": {"en": "?"}, "answers": answers, "truth": truth}}
    lesson = {"format": 1, "name": "mine", "title": {"en": "Mine"}, "minutes": 1, "steps": [step]}
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(lesson), encoding="utf-8")
    page = open_page("n=9&lang=en")
    load(page, path)
    wrong = "the table of entropy has"
    expect(page.locator(".editor-amiss")).to_contain_text(f"Step 1 (question.truth.of.column): {wrong}")
    page.locator("#lesson-editor .editor-try").click()
    at(page, 1)
    page.locator(".lesson-answer").first.click()
    page.locator("#lesson-reveal").click()
    expect(page.locator("#lesson .lesson-verdict [role=alert]")).to_contain_text(wrong)


def test_a_question_whose_right_answer_the_teacher_marks_is_made(open_page: Callable[..., Page]) -> None:
    page = open_page("n=9&lang=en")
    add(page)
    page.locator(".editor-step .editor-question select").first.select_option("marked")
    marks = page.locator(".editor-answer input[type=radio]")
    assert [one.is_checked() for one in marks.all()] == [True, False]
    marks.nth(1).check()
    with page.expect_download() as saved:
        page.locator("#lesson-editor .editor-save").click()
    (step,) = json.loads(saved.value.path().read_text(encoding="utf-8"))["steps"]
    assert [answer.get("right") for answer in step["question"]["answers"]] == [None, True]
    assert "truth" not in step["question"]
    page.locator("#lesson-editor .editor-try").click()
    at(page, 1)
    page.locator(".lesson-answer").first.click()
    page.locator("#lesson-reveal").click()
    page.locator("#lesson [data-truth='1']").wait_for()
    outcome = page.locator("#lesson .lesson-outcome")
    expect(outcome).to_have_text(locale.text("en", "predict.differs", real="Answer 2", answer="Answer 1"))


def test_a_phone_shows_every_field_and_the_ways_out_of_the_editor(open_page: Callable[..., Page]) -> None:
    """Nothing is wider than the dialog, and what saves or closes stays in sight while steps are written."""
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    page = open_page("page=why&lang=ko", painted=False, **phone)
    painted(page, "page=why&lang=ko", "temperature")
    add(page)
    for kind in ("answers", "curve"):
        page.locator(".editor-step .editor-question select").first.select_option(kind)
        wide, room = page.evaluate(
            "() => { const { scrollWidth, clientWidth } = document.getElementById('lesson-editor');"
            " return [scrollWidth, clientWidth]; }"
        )
        assert wide <= room
        for box in page.locator(".editor-question :is(input:not([type=checkbox]), select, textarea)").all():
            found = box.bounding_box() if box.is_visible() else None
            assert found is None or found["width"] >= 60
        page.locator(".editor-of-title input").focus()
        for name in ("save", "close"):
            found = page.locator(f"#lesson-editor .editor-{name}").bounding_box()
            assert found
            assert found["y"] + found["height"] <= 844


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("curve_points", "1, two, 3", "type_number"),
        ("curve_points", "1, 3, 2", "curve_order"),
        ("curve_points", "0, 1, 2", "curve_log"),
        ("curve_high", "-1", "curve_ends"),
    ],
)
def test_axes_that_hold_no_curve_are_named(open_page: Callable[..., Page], name: str, value: str, problem: str) -> None:
    page = open_page("page=why&lang=en", painted=False)
    painted(page, "page=why&lang=en", "temperature")
    add(page)
    curve = the_curve(page)
    painted(page, "page=why&lang=en", "sweep")
    expect(field(curve, "curve_log_x")).to_be_checked()  # of the numbers, which may come later than the fields
    field(curve, name).fill(value)
    page.locator("#lesson-editor .editor-save").click()
    expect(page.locator("#lesson-editor .editor-said [role=alert]")).to_contain_text(
        locale.text("en", f"lesson.file.{problem}")
    )


def test_a_short_lesson_fits_a_link_that_no_server_reads(open_page: Callable[..., Page]) -> None:
    page = open_page("n=9&lang=en")
    add(page)
    page.locator(".editor-step textarea").first.fill("In a link.")
    page.locator("#lesson-editor .editor-link:not(p)").click()
    address = page.locator(".editor-address").input_value()
    assert "?n=9&lesson=linked&step=1#lesson=" in address  # it opens at its first state
    assert len(address) < 2000
    other = open_page(address.split("?", 1)[1], painted=False)
    at(other, 1)
    expect(other.locator("#lesson .lesson-said")).to_have_text("In a link.")
    drawn.wait_painted(other, "n=9")


def test_texts_of_a_hostile_file_are_texts(open_page: Callable[..., Page], tmp_path: Path) -> None:
    step: dict[str, Any] = {"link": "n=9", "text": {"en": HOSTILE}, "note": {"en": HOSTILE}}
    step["question"] = {
        "text": {"en": HOSTILE},
        "because": {"en": HOSTILE},
        "truth": {"of": {"figure": "entropy", "column": 2}},
        "answers": [{"text": {"en": HOSTILE[:150]}, "below": 0}, {"text": {"en": "b"}, "from": 0}],
    }
    lesson = {"format": 1, "name": "bad", "title": {"en": HOSTILE[:150]}, "minutes": 1, "steps": [step]}
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(lesson), encoding="utf-8")
    page = open_page("lang=en")
    load(page, path)
    page.locator("#lesson-editor .editor-try").click()
    at(page, 1)
    page.locator(".lesson-answer").first.click()
    page.locator("#lesson-reveal").click()
    page.locator("#lesson [data-truth]").wait_for()
    assert page.locator("#lesson :is(img, script, a)").count() == 0
    assert "<img src=x" in page.locator("#lesson .lesson-said").inner_text()
    assert page.evaluate("window.hurt") is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "Line 1: the file is empty."),
        ('{\n  "format": 1,\n  "name": }', "Line 3"),
        ('{\n  "format": 1,\n  "format": 1}', "Line 3: this name stands here twice."),
        ('{"format": 1', "the file ends too early"),
        ('{\n"format": 1,\n"name": "a",\n"title": {"en": "a"},\n"minutes": "ten",\n"steps": []}', "Line 5 (minutes)"),
        ("[" * 40, "too deep"),
        ('{"format": 1}' + " " * 250_000, "at most 200000 characters"),
    ],
)
def test_a_broken_file_is_refused_with_its_line(
    open_module_page: Callable[..., Page], tmp_path: Path, text: str, problem: str
) -> None:
    page = open_module_page("lang=en")
    path = tmp_path / "broken.json"
    path.write_text(text, encoding="utf-8")
    load(page, path)
    expect(page.locator(".lesson-making .lesson-problems")).to_contain_text(problem)
    expect(page.locator("#lesson-editor")).to_have_count(0)


@pytest.mark.parametrize("width", [1280, 390])
def test_a_title_without_a_space_stays_within_its_place(open_page: Callable[..., Page], width: int) -> None:
    """In the menu, in the panel and on the handout it breaks; beside it nothing is covered."""
    page = open_page("n=9&lang=en", viewport={"width": width, "height": 720})
    steps = [{"link": "n=9", "text": {"en": "T" * 300}}]
    kept(page, {"format": 1, "name": "mine", "title": {"en": "W" * 160}, "minutes": 1, "steps": steps})

    def fits(selector: str) -> bool:
        return page.locator(selector).evaluate_all(
            "(all) => all.length > 0 && all.every((one) => one.scrollWidth <= one.clientWidth + 1)"
        )

    page.locator("#lessons-open > summary").click()
    page.locator("#lesson-own").wait_for()
    assert fits(".lessons .lesson-entry")
    page.locator("#lesson-own").click()
    at(page, 1)
    assert fits("#lesson .lesson-head, #lesson .lesson-text")
    assert page.evaluate(
        """() => {
          const box = (name) => document.querySelector(`#lesson .lesson-${name}`).getBoundingClientRect();
          const [head, text] = [box("head"), box("text")];
          return box("title").right <= head.right + 1 && (head.right <= text.left + 1 || head.bottom <= text.top + 1);
        }"""
    )
