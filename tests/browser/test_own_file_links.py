"""A link to an own file that was never given: the controls of every page still work."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser import controls
from visualiser.state.parameters import PAGES

# per page: a control, and a choice other than the default
MOVES = {
    "explore": ("scaling", "none"),
    "why": ("scaling", "sqrt_d_k"),
    "anatomy": ("mask", "causal"),
    "cost": ("varied", "d_k"),
    "train": ("experiment", "heads"),
    "map": ("mask", "causal"),
}


def test_every_page_is_opened() -> None:
    assert set(MOVES) == set(PAGES)


@pytest.mark.parametrize("name", MOVES)
def test_the_controls_work(name: str, open_page: Callable[..., Page]) -> None:
    control, choice = MOVES[name]
    page = open_page(f"page={name}&source=upload&nobody=1", painted=False)
    # the page is open once the address bar has its own link, without unknown names
    page.wait_for_function("() => !location.search.includes('nobody')")
    controls.choose(page, control, choice)
    page.wait_for_function("(moved) => location.search.includes(moved)", arg=f"{control}={choice}")
