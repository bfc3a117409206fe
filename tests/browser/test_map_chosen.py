"""A chosen cell of the Map: its weight may come late, and another head or another map may come before it."""

from collections.abc import Callable

import pytest
import torch
from playwright.sync_api import Page, Route

from tests.browser import controls, mapped
from tests.browser.mapped import wait
from visualiser.locale import number, text

QUERY = "n=1500&h=2&d_k=16&page=map"
"""A map of averages so large that single weights are not fetched ahead."""
OTHER = "n=1500&h=2&d_k=16&seed=5&page=map"
ROW, COLUMN = 1003, 907


class Late:
    """A server that holds back the map's tiles until they are released."""

    def __init__(self, page: Page) -> None:
        self.held: list[Route] = []
        self.late = True
        self.page = page
        page.route("**/page/map/tiles", self._tiles)

    def _tiles(self, route: Route) -> None:
        if self.late:
            self.held.append(route)
        else:
            route.continue_()

    def wait_held(self) -> None:
        while not self.held:
            self.page.evaluate("new Promise(requestAnimationFrame)")

    def release(self) -> None:
        """Answer what was asked, and hold nothing from now on."""
        self.late = False
        for route in self.held:
            route.continue_()
        self.held.clear()


def go(page: Page, row: int = ROW, column: int = COLUMN) -> None:
    page.locator("#map-query").fill(str(row))
    page.locator("#map-key").fill(str(column))
    page.locator("#map-go").click()


def chosen(page: Page, exact: torch.Tensor, head: int = 1) -> None:
    """Wait until the cell is chosen in a head, with the weight of the map on screen."""
    sentence = f"head {head} · query {ROW} → key {COLUMN}: {number(float(exact[head - 1, ROW, COLUMN]))}"
    page.wait_for_function("(text) => document.querySelector('.map-chosen p').innerText.endsWith(text)", arg=sentence)
    assert page.locator("#open-row").inner_text() == text("en", "map.open_row", row=ROW)


@pytest.fixture
def shown(open_page: Callable[..., Page]) -> Page:
    page = open_page(QUERY, painted=False)
    wait(page)
    return page


def test_a_weight_that_comes_after_the_window_has_settled_is_still_wanted(shown: Page) -> None:
    late = Late(shown)
    go(shown)
    late.wait_held()
    shown.wait_for_function("() => location.search.includes('across=32')")  # the window is at rest
    late.release()
    chosen(shown, mapped.weights(QUERY))


def test_a_cell_is_chosen_in_a_head_that_was_opened_before_its_weight_came(shown: Page) -> None:
    late = Late(shown)
    go(shown)
    late.wait_held()
    shown.locator(".map-heads button").nth(1).click()
    shown.wait_for_function("() => location.search.includes('head=2')")
    late.release()
    chosen(shown, mapped.weights(QUERY), head=2)


def test_a_chosen_cell_stays_chosen_on_another_map(shown: Page) -> None:
    go(shown)
    chosen(shown, mapped.weights(QUERY))
    controls.write(shown, "seed", 5)
    wait(shown, "seed=5")
    chosen(shown, mapped.weights(OTHER))


def test_a_cell_is_chosen_on_the_map_that_replaced_the_one_it_was_asked_of(shown: Page) -> None:
    """The server has dropped the old map when the question reaches it, which is no problem of the visitor's."""
    late = Late(shown)
    go(shown)
    late.wait_held()
    with shown.expect_response("**/run/map"):
        controls.write(shown, "seed", 5)
    shown.locator("#run [data-run=ended]").wait_for()
    late.release()
    wait(shown, "seed=5")
    chosen(shown, mapped.weights(OTHER))
    assert not shown.locator("#map-again").is_visible()


def test_a_cell_that_another_map_lacks_is_not_chosen_there(shown: Page) -> None:
    go(shown)
    chosen(shown, mapped.weights(QUERY))
    controls.write(shown, "n", ROW)
    wait(shown, f"n={ROW}")
    assert shown.locator(".map-chosen p").inner_text() == text("en", "map.nothing_chosen")
    assert not shown.locator("#open-row").is_visible()
