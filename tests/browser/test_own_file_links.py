"""A link that names an own file which nobody has given: the controls of every page work all the same."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser import controls
from visualiser.state.parameters import PAGES

# of each page: a control, a choice of it, and a figure that shows it then
MOVES = {
    "explore": ("scaling", "none", "heat-maps"),
    "why": ("scaling", "sqrt_d_k", "mechanism-scores"),
    "anatomy": ("mask", "causal", "walk"),
    "cost": ("varied", "d_k", "cost-time"),
    "train": ("experiment", "heads", "heads-accuracy"),
    "map": ("mask", "causal", "map"),
}


def test_every_page_is_opened() -> None:
    assert set(MOVES) == set(PAGES)


@pytest.mark.parametrize("name", MOVES)
def test_the_controls_work(name: str, open_page: Callable[..., Page]) -> None:
    control, choice, figure = MOVES[name]
    page = open_page(f"page={name}&source=upload", painted=False)
    # any figure is painted
    page.locator("[id^=figure-][data-painted]").first.wait_for()
    controls.choose(page, control, choice)
    page.locator(f"#figure-{figure}[data-painted*='{control}={choice}']").wait_for()
