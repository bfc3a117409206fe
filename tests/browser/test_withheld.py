"""Before "Reveal", neither a file nor a print of a page with a question holds the answer; afterwards both do."""

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser import controls
from tests.browser.printed import holds, pages, ready
from tests.browser.walked import painted
from visualiser.locale import text

WITHHELD = "Left out until you have answered the question and revealed the result"


def taken(page: Page, kind: str) -> str:
    """Return the text of a downloaded file."""
    with page.expect_download() as download:
        controls.press(page, f"#take-{kind}")
    return Path(download.value.path()).read_text(encoding="utf-8")


def tables(csv: str) -> list[str]:
    """Return the names of the tensors in a file of Anatomy."""
    return re.findall(r'^"?(\w+), \d+ × \d+', csv, re.MULTILINE)


def test_files_of_a_walk_that_asks_end_before_the_scores(open_page: Callable[..., Page]) -> None:
    page = open_page("page=anatomy&row=2&predict=true", painted=False)
    painted(page)
    steps = page.locator("#control-step option").evaluate_all("(all) => all.map((one) => one.value)")
    before = steps.index("scores")
    html = taken(page, "html")
    assert html.count("<section>") == 2 * before
    assert WITHHELD in html
    named = tables(taken(page, "tables"))
    assert {"X", "W_Q", "Q", "K", "V"} <= set(named)
    assert not {"scores", "scaled", "weights", "exponentials", "head", "output"} & set(named)
    page.locator("#predict input").first.check()
    assert WITHHELD in taken(page, "html")
    page.locator("#predict-reveal").click()
    page.locator("#predict[data-verdict]").wait_for()
    html = taken(page, "html")
    assert html.count("<section>") == 2 * len(steps)
    assert WITHHELD not in html
    assert {"scores", "weights", "output"} <= set(tables(taken(page, "tables")))


def test_a_walk_whose_question_was_declined_is_taken_whole(open_page: Callable[..., Page]) -> None:
    page = open_page("page=anatomy&row=2&step=values&predict=true", painted=False)
    painted(page)
    page.locator("#step-next").click()
    painted(page, "page=anatomy&row=2&step=scores&predict=true")
    assert WITHHELD in taken(page, "html")
    page.locator("#predict-decline").click()
    assert WITHHELD not in taken(page, "html")


def test_a_training_predicted_once_more_leaves_the_page_without_its_result(open_page: Callable[..., Page]) -> None:
    page = open_page("page=train&predict=true", painted=False)
    page.locator("#predict input").first.wait_for()
    asked = taken(page, "tables")
    assert "unscaled" not in asked
    page.locator("#predict input").first.check()
    page.locator("#predict-reveal").click()
    page.locator("#predict[data-verdict]").wait_for()
    ready(page, "train-accuracy")
    outcome = page.locator("#insight .insight > p").last.inner_text()
    table, html, paper = taken(page, "tables"), taken(page, "html"), "".join(pages(page, "A4"))
    assert table.count("\n") > asked.count("\n") + 10
    assert html.count("<figure>") == 3
    assert holds(paper, outcome)
    assert holds(paper, text("en", "figure.train_accuracy.title"))
    page.locator("#predict-again").click()
    page.locator(".is-inviting").wait_for()
    expect(page.locator("#insight .insight")).to_be_hidden()
    table, html, paper = taken(page, "tables"), taken(page, "html"), "".join(pages(page, "A4"))
    assert "accuracy" not in table
    assert html.count("<figure>") == 0
    assert outcome not in html
    assert WITHHELD in html
    assert not holds(paper, outcome)
    assert not holds(paper, text("en", "figure.train_accuracy.hint"))


def test_a_question_on_why_keeps_its_files_back(open_page: Callable[..., Page]) -> None:
    page = open_page("page=why&n=8&seeds=2&predict=true", painted=False)
    ready(page, "sweep", "temperature")
    page.locator("#predict input").first.wait_for()
    for kind in ("tables", "html"):
        expect(page.locator(f"#take-{kind}")).to_be_disabled()
    expect(page.locator("#take-link")).to_be_enabled()
    for figure in ("sweep", "temperature"):
        expect(page.locator(f"#figure-{figure} .saves")).to_be_hidden()
        expect(page.locator(f"#figure-{figure} .behind")).to_be_hidden()
