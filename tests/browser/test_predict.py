"""Predict, then reveal, as a visitor: open the question, pick, lock, reveal, read the verdict, close it."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from attention_core import AttentionConfig, layers
from tests.browser.walked import opened, painted
from visualiser.locale import text, texts
from visualiser.server.http import assets

SMALL: dict[str, Any] = {"n": 4, "d_model": 8, "h": 2, "source": "text", "text": "the cat sat down"}
WORDS = ["the", "cat", "sat", "down"]


@pytest.fixture(scope="module")
def page(open_module_page: Callable[..., Page]) -> Page:
    page = open_module_page("page=anatomy", painted=False)
    painted(page)
    return page


def largest(row: int, **more: Any) -> int:
    return int(layers(AttentionConfig(**SMALL, **more), 1)[0].attention.weights[0, row].argmax())


@pytest.mark.parametrize(("lang", "offset"), [("en", 0), ("ko", 1)])
def test_what_was_expected_is_compared_with_what_came(page: Page, app_url: str, lang: str, offset: int) -> None:
    opened(page, app_url, f"row=2&lang={lang}&predict=true")
    best = largest(2)
    picked = (best + offset) % 4
    assert page.locator("#predict-reveal").is_disabled()
    page.locator(f"#predict input[value='{picked}']").check()
    # Looking at the keys first does not lose the pick.
    page.locator("#step-next").click()
    painted(page, f"page=anatomy&lang={lang}&row=2&step=queries&predict=true")
    assert page.locator(f"#predict input[value='{picked}']").is_checked()
    page.locator("#predict-reveal").click()
    page.locator(f"#predict[data-verdict={'true' if picked == best else 'false'}]").wait_for()
    painted(page, f"page=anatomy&lang={lang}&row=2&step=queries&predict=true")  # the visitor's own step
    names = {"answer": f"{picked} “{WORDS[picked]}”", "real": f"{best} “{WORDS[best]}”"}
    key = "predict.right" if picked == best else "predict.differs"
    assert page.locator(".predict-verdict p").first.inner_text() == text(lang, key, **names)
    assert page.locator(f"#predict input[value='{picked}']").is_disabled()
    assert page.locator("#predict label.is-real").inner_text() == names["real"]
    page.locator("#predict-again").click()
    assert page.locator("#predict input:checked").count() == 0


def test_a_question_nobody_answered_covers_what_answers_it(page: Page, app_url: str) -> None:
    opened(page, app_url, "row=2&lang=en&step=values&predict=true")
    page.locator("#step-next").click()
    painted(page, "page=anatomy&lang=en&row=2&step=scores&predict=true")
    number, sentence = page.locator("#figure-walk .is-result td").first, page.locator("#insight p").first
    assert page.locator("#predict legend").is_visible()
    assert not number.is_visible()
    assert not sentence.is_visible()
    page.locator("#predict-decline").click()
    assert number.is_visible()
    assert sentence.inner_text().endswith(f"key {largest(2)}.")
    assert page.locator("#predict").is_hidden()
    painted(page, "page=anatomy&lang=en&row=2&step=scores")
    page.locator("#predict-open").click()
    painted(page, "page=anatomy&lang=en&row=2&step=queries&predict=true")  # the step itself would answer
    page.locator(f"#predict input[value='{largest(2)}']").check()
    page.locator("#predict-reveal").click()
    page.locator("#predict[data-verdict=true]").wait_for()
    page.locator("#control-step").select_option("scores")
    painted(page, "page=anatomy&lang=en&row=2&step=scores&predict=true")
    assert number.is_visible()


def test_what_a_question_covers_keeps_its_names_and_shapes(page: Page, app_url: str) -> None:
    opened(page, app_url, "row=2&lang=en&step=values&predict=true")
    page.locator("#figure-anatomy [data-box=linear_o]").click()
    page.locator("#figure-walk.is-covered .tensor[data-tensor=W_O]").wait_for()
    shape = page.locator("#figure-walk .tensor[data-tensor=W_O] .shape")
    expect(shape).to_be_visible()
    assert shape.inner_text() == "8 × 8"
    for symbol in page.locator("#figure-walk .tensor .symbol").all():
        expect(symbol).to_be_visible()
    cells = page.locator("#figure-walk .tensor td")
    assert cells.count() > 64
    assert set(cells.evaluate_all("(all) => all.map((one) => getComputedStyle(one).visibility)")) == {"hidden"}


def test_a_link_to_the_scores_asks_nothing(page: Page, app_url: str) -> None:
    opened(page, app_url, "row=2&lang=en&step=scores&predict=true")
    assert page.locator("#predict").is_hidden()
    assert page.locator("#figure-walk .is-result td").first.is_visible()


def test_another_query_is_another_question(page: Page, app_url: str) -> None:
    opened(page, app_url, "row=2&lang=en&predict=true")
    page.locator("#predict input[value='1']").check()
    page.locator(".walk .choose").nth(1).get_by_role("button", name="0 the").click()
    painted(page, "page=anatomy&lang=en&row=0&predict=true")
    assert page.locator("#predict input:checked").count() == 0
    assert "0 “the”" in page.locator("#predict legend").inner_text()


@pytest.mark.parametrize("link", ["lang=en", "predict=false&lang=en"])
def test_it_is_offered_and_the_link_says_that_it_asks(page: Page, app_url: str, link: str) -> None:
    opened(page, app_url, link)
    assert page.locator("#predict").is_hidden()
    page.locator("#predict-open").click()
    painted(page, "page=anatomy&lang=en&predict=true")
    assert page.locator("#predict legend").is_visible()
    assert page.evaluate("document.activeElement.name") == "predict-choice"
    page.locator("#predict-shut").click()
    painted(page, "page=anatomy&lang=en")
    assert page.locator("#predict").is_hidden()
    assert page.evaluate("document.activeElement.id") == "predict-open"


def test_a_state_without_a_choice_says_that_there_is_no_question(page: Page, app_url: str) -> None:
    opened(page, app_url, "mask=causal&lang=en&row=0")
    page.locator("#predict-open").click()
    page.get_by_text(text("en", "predict.nothing")).wait_for()
    assert page.locator("#predict").is_hidden()
    assert page.locator(".is-asking, .is-covered").count() == 0, "nothing stays covered"


DRAWN = """async (base) => {
  const { Predict } = await import(`${base}js/asking/predict.js`);
  const texts = await (await fetch(`${base}locales/en.json`)).json();
  const root = document.createElement("div");
  document.body.replaceChildren(root);
  root.id = "predict";
  const page = { text: (key) => texts[key] ?? key, leader: { allows: () => true } };
  window.predict = new Predict(root, page, () => { window.revealed = window.predict.prediction; });
  const curve = { x: [1, 10, 100], low: 0, high: 1, log_x: true, log_y: false, x_label: "d_k", y_label: "accuracy" };
  window.predict.ask({ name: "curve", about: "", sentence: "?", curve });
}"""


def test_a_curve_is_drawn_by_pointer_and_keyboard(open_page: Callable[..., Page], app_url: str) -> None:
    base = f"{app_url}gradio_api/headlight/assets/{assets.version()}/"
    page = open_page("", painted=False, url=f"{base}locales/en.json", bypass_csp=True)
    page.evaluate(DRAWN, base)
    points = page.locator("#predict [role=slider]")
    assert points.count() == 3
    points.nth(0).focus()
    page.keyboard.press("End")
    points.nth(1).focus()
    page.keyboard.press("ArrowUp")
    assert points.nth(1).get_attribute("aria-valuetext") == "0.55"
    box = page.locator("#predict svg").bounding_box()
    assert box
    scale = box["width"] / 420
    page.mouse.move(box["x"] + 400 * scale, box["y"] + 100 * scale)
    page.mouse.down()
    page.mouse.move(box["x"] + 404 * scale, box["y"] + 170 * scale)  # the frame's bottom
    page.mouse.up()
    page.locator("#predict-reveal").click()
    revealed = page.evaluate("window.revealed")
    assert revealed["name"] == "curve"
    assert revealed["answer"] == pytest.approx([1, 0.55, 0], abs=0.01)
    assert texts("en")["predict.curve.help"] in page.locator("#predict").inner_text()
