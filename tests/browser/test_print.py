"""Ctrl P: every page prints its settings, sentences and figures with captions, light, whole and without controls."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import pytest
from playwright.sync_api import Browser, Page

from attention_core import __version__
from tests import draws
from tests.browser import controls
from tests.browser.printed import SIZES, bare, boxes, holds, on_paper, page_texts, pages, ready
from tests.browser.visits import Visits
from tests.browser.walked import painted
from visualiser.locale import text
from visualiser.state import share

HIGHEST = 950
"""Pixels between the margins of Letter, the lower of the two papers."""


@dataclass(frozen=True)
class Case:
    """A page with everything in sight: its link, the figures that it draws, and the most pages that it fills."""

    query: str
    figures: tuple[str, ...]
    most: int
    line: str
    """A setting as the line of settings says it, in English."""


CASES: Final = {
    "explore": Case(
        "page=explore&n=12&row=3",
        ("heat-maps", "score-distribution", "entropy", "gradient", "jacobian", "row-weights"),
        4,
        "Mask: None",
    ),
    "pinned": Case(
        "page=explore&n=9&h=4&pin=n%3D9%26h%3D4%26scaling%3Dnone&present=1",
        ("heat-maps", "score-distribution", "entropy", "gradient"),
        4,
        "h = 4",
    ),
    "why": Case(
        "page=why&predict=false&n=8&seeds=2",
        ("sweep", "mechanism-maps", "mechanism-scores", "temperature", "numerics"),
        4,
        "Number of seeds: 2",
    ),
    "anatomy": Case("page=anatomy&predict=false", ("anatomy", "walk"), 4, "Text: the cat sat down"),
    "additive": Case("page=anatomy&predict=false&mechanism=additive&rows=all", ("anatomy", "walk"), 6, "h = 2"),
    "train": Case("page=train&predict=false", ("train-accuracy", "train-steps", "train-gradient"), 3, "Task: reverse"),
    "heads": Case(
        "page=train&experiment=heads&predict=false", ("heads-accuracy", "heads-mass", "heads-maps"), 3, "m = 4"
    ),
    "cost": Case("page=cost&predict=false", ("cost-time", "cost-memory"), 3, "d_k = 64"),
    "map": Case("page=map&n=64&h=2&row=5", ("map", "strips", "row"), 3, "n = 64"),
}

CONTROLS: Final = (
    *("export.title", "export.link", "page.presets", "page.present", "page.reset", "page.new_draw", "page.pin"),
    *("control.lang.label", "predict.after_all", "predict.reveal", "anatomy.next", "side.label", "group.more"),
    *("live.stale", "page.table", "page.how_to_read", "page.save", "run.preview", "map.start"),
)
"""Texts of buttons and menus that no other words of a page repeat."""


SETTLED: Final = """() => [...document.querySelectorAll("[data-painted]")]
  .some(({ dataset }) => location.search === `?${dataset.painted}`)"""
"""The address bar shows the link on screen, in the server's order; it is written at rest."""


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


@pytest.fixture(scope="module", params=["en", "ko"])
def page(request: pytest.FixtureRequest, case: Case, chromium: Browser, app_url: str) -> Iterator[Page]:
    """Return a page that a visitor sees dark, once all figures are there."""
    visits = Visits(chromium, app_url)
    shown = visits.open(
        f"{case.query}&lang={request.param}",
        painted=False,
        color_scheme="dark",
        viewport={"width": 1280, "height": 720},
    )
    ready(shown, *case.figures)
    shown.wait_for_function(SETTLED)
    yield shown
    visits.end()


@pytest.fixture
def lang(page: Page) -> str:
    return page.evaluate("document.documentElement.lang")


@pytest.fixture(scope="module", params=draws.chosen(list(SIZES)))
def sheets(request: pytest.FixtureRequest, page: Page) -> list[str]:
    """Return the text of each sheet of a print; in the gate on A4 alone."""
    return pages(page, request.param)


def test_a_print_holds_the_page_in_words_and_no_control(page: Page, case: Case, lang: str, sheets: list[str]) -> None:
    held, found = page_texts(page), sheets
    assert 1 <= len(found) <= case.most
    assert all(len(one) > 40 for one in found), "a page is blank"
    every = "".join(found)
    for name in case.figures:
        assert holds(every, text(lang, f"figure.{name.replace('-', '_')}.title")), name
    assert held["sentences"]
    for sentence in held["sentences"]:
        assert holds(every, sentence)
    labels = [text(lang, key) for key in CONTROLS]
    words = every
    for one in (*held["titles"], *held["sentences"]):
        words = words.replace(bare(one), "")
    brief = bare(text(lang, "run.preview"))
    present = [one for one in labels if bare(one) in words and bare(one) != brief and len(bare(one)) > 2]
    assert present == []
    if lang == "en":
        assert holds(every, case.line)
    origin = found[-1]
    assert f"headlight:{__version__};" in origin
    assert "seed:0;" in origin
    assert "torch:" in origin
    assert bare(page.evaluate("location.search")) in origin
    assert page.locator("#paper").count() == 0
    assert "dark" in page.evaluate("document.body.className")


def test_a_figure_stands_on_one_page_with_its_title_and_captions(page: Page, sheets: list[str]) -> None:
    on_paper(page)
    figures = page.locator("#paper .printed").evaluate_all(
        """(all) => all.map((one) => [one.querySelector("h2").textContent,
          [...one.querySelectorAll(":scope > figcaption p")].map((p) => p.textContent)])"""
    )
    page.emulate_media(media="null")
    page.locator("#paper").wait_for(state="detached")
    assert figures
    for title, captions in figures:
        whole = [sheet for sheet in sheets if holds(sheet, title)]
        assert any(all(holds(sheet, caption) for caption in captions) for sheet in whole), title


def test_the_sheet_is_light_and_crisp_and_nothing_sticks_out(page: Page, case: Case) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(ground)
    on_paper(page)
    found = boxes(page)
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    ink = page.locator("#paper p").first.evaluate("(one) => getComputedStyle(one).color")
    assert max(int(part) for part in ink[4:-1].split(",")) < 110
    assert len(found) >= len(case.figures)
    for figure in found:
        assert figure["out"] == [], figure["title"]
        assert figure["below"] == 0
        assert 40 < figure["height"] <= HIGHEST, figure["title"]
        if "anatomy" not in case.query:  # tables of numbers and curves of SVG; its maps have a pixel a cell
            assert figure["densities"]
            assert all(abs(density - 3) < 0.05 for density in figure["densities"]), figure
    visible = page.locator("button, select, input, summary, textarea").evaluate_all(
        "(all) => all.filter((one) => one.checkVisibility()).length"
    )
    assert visible == 0
    page.emulate_media(media="null")
    page.locator("#paper").wait_for(state="detached")
    assert page.evaluate(ground) == before


def test_a_heat_map_is_drawn_once_for_a_printer_and_stays_as_it_was(open_page: Callable[..., Page]) -> None:
    page = open_page("n=8&h=2")
    canvas = "document.querySelector('#figure-heat-maps canvas').width"
    wide = page.evaluate(canvas)
    on_paper(page)
    page.emulate_media(media="null")
    page.locator("#paper").wait_for(state="detached")
    controls.slide(page, "d_k", 16)
    page.wait_for_function("() => document.getElementById('figure-entropy').dataset.painted?.includes('d_k=16')")
    assert page.evaluate(canvas) == wide


def test_a_print_that_waits_for_a_prediction_asks_and_does_not_answer(open_page: Callable[..., Page]) -> None:
    page = open_page("page=why&n=8&seeds=2&predict=true", painted=False, color_scheme="dark")
    ready(page, "sweep", "temperature")
    held = page_texts(page)
    page.locator("#predict input").first.wait_for()
    question = page.locator("#predict legend").inner_text()
    asks = "".join(pages(page, "A4"))
    assert holds(asks, question)
    assert holds(asks, text("en", "predict.why_falls.unscaled"))
    assert holds(asks, "Left out until you have answered the question")
    assert held["sentences"]
    assert not [sentence for sentence in held["sentences"] if holds(asks, sentence)]
    assert not holds(asks, text("en", "figure.sweep.hint"))
    controls.press(page, "#prediction-cover-lift")
    answers = "".join(pages(page, "A4"))
    assert holds(answers, text("en", "figure.sweep.hint"))
    assert all(holds(answers, sentence) for sentence in page_texts(page)["sentences"])


def test_an_unanswered_walk_is_printed_up_to_the_scores(open_page: Callable[..., Page]) -> None:
    page = open_page("page=anatomy&row=2&predict=true", painted=False)
    painted(page)
    before = "".join(pages(page, "A4"))
    steps = page.locator("#control-step option").evaluate_all("(all) => all.map((one) => one.value)")
    answering = steps[steps.index("scores") :]
    assert headed(before) == len(steps) - len(answering) == 4
    assert holds(before, "Left out until you have answered the question")
    page.locator("#predict input").first.check()
    assert headed("".join(pages(page, "A4"))) == 4  # a choice is no answer yet
    page.locator("#predict-reveal").click()
    page.locator("#predict[data-verdict]").wait_for()
    after = "".join(pages(page, "A4"))
    assert headed(after) == len(steps)
    assert holds(after, page.locator(".predict-verdict p").first.inner_text())


def test_a_walk_is_printed_with_the_sentence_of_every_step(open_page: Callable[..., Page]) -> None:
    page = open_page("page=anatomy&predict=false&mask=causal&row=2&step=scaled", painted=False)
    painted(page)
    shown = page.locator(".step-says p:visible").all_inner_texts()
    on_paper(page)
    steps = page.locator("#paper .printed:has(.walk)")
    sentences = steps.locator("figcaption p:first-child").all_inner_texts()
    assert len(sentences) == len(set(sentences)) == steps.count() == 12
    assert shown == [sentences[5]]
    marked = page.locator("#paper .is-present h2").all_inner_texts()
    assert len(marked) == 1
    assert marked[0].endswith(text("en", "print.present"))
    page.emulate_media(media="null")
    page.locator("#paper").wait_for(state="detached")
    page.locator("#step-next").click()
    painted(page, share.canonical(share.read("page=anatomy&mask=causal&row=2&step=masked").state))
    on_paper(page)
    assert steps.locator("figcaption p:first-child").all_inner_texts() == sentences


def headed(found: str) -> int:
    """Return the number of steps of the walk in a print."""
    return found.count(bare(text("en", "figure.walk.title")) + "·")


def test_a_frame_in_another_page_prints_itself(open_page: Callable[..., Page], app_url: str) -> None:
    page = open_page(url="about:blank", painted=False)
    frame = f'<iframe id="slide" src="{app_url}?n=6&h=1" width="1000" height="640"></iframe>'
    page.route(f"{app_url}slide.html", lambda route: route.fulfill(body=frame, content_type="text/html"))
    page.goto(f"{app_url}slide.html")
    slide = page.frame_locator("#slide")
    slide.locator("#figure-entropy[data-painted]").wait_for()
    inner = next(one for one in page.frames if "n=6" in one.url)
    inner.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert "n = 6" in slide.locator("#paper .settings").inner_text()
    inner.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert slide.locator("#paper").count() == 0


def test_the_style_sheet_of_prints_is_waited_for_by_no_page(open_page: Callable[..., Page]) -> None:
    page = open_page("n=5")
    link = page.locator("link[media=print]")
    assert link.count() == 1
    found = page.evaluate(
        """() => performance.getEntriesByType("resource").filter(({ name }) => name.endsWith("css/print.css"))
          .map(({ renderBlockingStatus }) => renderBlockingStatus)"""
    )
    assert found == ["non-blocking"]
