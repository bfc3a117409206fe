"""A state pinned as A: A, B and their difference, read from the cells."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from attention_core import AttentionConfig, compute
from tests.browser import controls, drawn
from tests.browser.comparison import assert_cells, assert_page_shows, query, stage_cells
from visualiser.drawing.map_colours import change, compared_limits, difference_limits
from visualiser.state.view import View
from visualiser.theme import DIVERGING, WEIGHTS


@pytest.fixture(scope="module")
def page(open_module_page: Callable[..., Page]) -> Page:
    return open_module_page("n=7&h=2&seed=5")


A = AttentionConfig(n=7, h=2, seed=5)
OF_A = {"a": "A", "b": "B", "difference": "B − A"}


def show(page: Page, side: str) -> None:
    """Choose a tab over the maps: a, b, difference or all."""
    page.locator(f"#side-{side}").click()
    page.locator(f"#side-{side}[aria-selected=true]").wait_for()


def test_pin_compare_unpin(page: Page) -> None:
    assert page.locator("#pin").inner_text() == "Pin as A"
    page.locator("#pin").click()
    assert page.locator("#pin").inner_text() == "Unpin A"
    assert_compared(page, A, A)
    b = AttentionConfig(n=7, h=2, seed=5, d_k=8)
    controls.slide(page, "d_k", 8)
    assert_compared(page, A, b)
    _, lines = drawn.table(page, "heat-maps")
    largest = (compute(b).weights - compute(A).weights).abs().amax((1, 2))
    assert [float(line[-1]) for line in lines[1:]] == pytest.approx(largest.tolist(), rel=5e-3)
    # the panels below show B, the state that the controls show
    assert drawn.trace(page, "entropy", kind="entropy")["median"] == pytest.approx(
        compute(b).entropy.quantile(0.5, -1).tolist(), rel=1e-4
    )
    page.locator("#pin").click()
    assert_page_shows(page, b)
    assert page.locator("#pin").inner_text() == "Pin as A"


def test_a_pin_keeps_its_own_state_while_b_loses_its_likeness(page: Page) -> None:
    page.goto(page.url.split("?")[0] + "?n=7&h=2&seed=5&pin=n%3D7%26h%3D2%26seed%3D5%26mask%3Dcausal")
    a = AttentionConfig(n=7, h=2, seed=5, mask="causal")
    assert_compared(page, a, A)
    controls.choose(page, "stage", "scaled")
    drawn.wait_painted(page, query(AttentionConfig(n=7, h=2, seed=5), View(stage="scaled"), pinned=query(a)))
    assert len(drawn.panels(page)) == 6
    controls.choose(page, "stage", "weights")
    controls.slide(page, "n", 5)
    b = AttentionConfig(n=5, h=2, seed=5)
    drawn.wait_painted(page, query(b, pinned=query(a)))
    panels = drawn.panels(page)
    named = {panel.title: panel for panel in panels}
    assert named.keys() == {"A · head 1", "B · head 1", "A · head 2", "B · head 2"}
    results = compute(a), compute(b)
    low, high = compared_limits(*results, View()).axis
    for side, result in zip("AB", results, strict=True):
        for head, numbers in enumerate(stage_cells(result, "weights"), 1):
            assert len(named[f"{side} · head {head}"].rows) == result.config.n
            assert_cells(named[f"{side} · head {head}"], numbers, WEIGHTS, low, high)


def test_hovering_tells_a_b_and_the_difference(page: Page) -> None:
    page.goto(page.url.split("?")[0] + "?n=7&h=2&seed=5&d_k=8&pin=n%3D7%26h%3D2%26seed%3D5")
    a, b = compute(A), compute(AttentionConfig(n=7, h=2, seed=5, d_k=8))
    assert_compared(page, A, b.config)
    x, y = drawn.panels(page)[4].centre(2, 6)  # B of head 2
    page.mouse.move(*drawn.in_view(page, x, y))
    page.wait_for_function("() => /B − A/.test(document.querySelector('#figure-heat-maps .tip strong')?.textContent)")
    parts = page.locator("#figure-heat-maps .tip strong").inner_text().replace("−", "-").split(" · ")
    one, other = a.weights[1, 2, 6].item(), b.weights[1, 2, 6].item()
    assert [float(part.split()[-1]) for part in parts] == pytest.approx([one, other, other - one], rel=5e-3)


def assert_compared(page: Page, a: AttentionConfig, b: AttentionConfig) -> None:
    """Expect A | B | B − A in a line for each head, A and B on one colour scale, the difference on its own around 0."""
    drawn.wait_painted(page, query(b, pinned=query(a)))
    show(page, "all")
    results = compute(a), compute(b)
    cells = [stage_cells(result, "weights") for result in results]
    panels = drawn.panels(page)
    assert len(panels) == 3 * b.h
    shared = compared_limits(*results, View()).axis
    difference = cells[1] - cells[0]
    delta = change(*results, "weights")
    assert delta is not None
    own = difference_limits(delta, View()).axis
    for head in range(b.h):
        line = panels[3 * head : 3 * head + 3]
        assert [panel.title for panel in line] == [f"{side} · head {head + 1}" for side in ("A", "B", "B − A")]
        assert_cells(line[0], cells[0][head], WEIGHTS, *shared)
        assert_cells(line[1], cells[1][head], WEIGHTS, *shared)
        assert_cells(line[2], difference[head], DIVERGING, *own)
    assert [title for title, _ in drawn.colour_bars(page)] == ["weight", "B − A"]


def test_tabs_show_a_b_or_the_difference_in_the_same_place_and_stay_while_controls_move(page: Page) -> None:
    page.goto(page.url.split("?")[0] + "?n=7&h=2&seed=5&pin=n%3D7%26h%3D2%26seed%3D5%26mask%3Dcausal")
    a = AttentionConfig(n=7, h=2, seed=5, mask="causal")
    drawn.wait_painted(page, query(A, pinned=query(a)))
    results = {"a": compute(a), "b": compute(A)}
    places = []
    for side, result in results.items():
        show(page, side)
        panels = drawn.panels(page)
        assert [panel.title for panel in panels] == [f"{OF_A[side]} · head {head}" for head in (1, 2)]
        low, high = compared_limits(results["a"], results["b"], View()).axis
        for panel, numbers in zip(panels, stage_cells(result, "weights"), strict=True):
            assert_cells(panel, numbers, WEIGHTS, low, high)
        places.append([(panel.left, panel.top, panel.width, panel.height) for panel in panels])
        assert [title for title, _ in drawn.colour_bars(page)] == ["weight"]
    assert places[0] == places[1]
    page.keyboard.press("ArrowRight")  # from the tab B, which has the focus
    assert page.locator("#side-difference").get_attribute("aria-selected") == "true"
    assert [title for title, _ in drawn.colour_bars(page)] == ["B − A"]
    assert [panel.title for panel in drawn.panels(page)] == ["B − A · head 1", "B − A · head 2"]
    controls.slide(page, "d_k", 8)
    b = AttentionConfig(n=7, h=2, seed=5, d_k=8)
    drawn.wait_painted(page, query(b, pinned=query(a)))
    assert [panel.title for panel in drawn.panels(page)] == ["B − A · head 1", "B − A · head 2"]
    controls.slide(page, "n", 5)
    drawn.wait_painted(page, query(AttentionConfig(n=5, h=2, seed=5, d_k=8), pinned=query(a)))
    assert page.locator("#side-difference").is_disabled()  # other sizes: no difference
    assert [panel.title for panel in drawn.panels(page)] == ["B · head 1", "B · head 2"]
    page.locator("#pin").click()
    drawn.wait_painted(page, query(AttentionConfig(n=5, h=2, seed=5, d_k=8)))
    assert not page.locator(".sides").is_visible()
    assert [panel.title for panel in drawn.panels(page)] == ["head 1", "head 2"]
