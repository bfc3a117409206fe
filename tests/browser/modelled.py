"""The page Model, waited for and read: the tokens with their shades, the marks of its small maps, its points."""

from typing import Any

import pytest
from playwright.sync_api import Page

from attention_core.learned import ModelRun
from visualiser.state import share

TEXT = share.beginning("model").config.text
SHARES = """() => [...document.querySelectorAll("#model-text .token")].map((token) =>
  parseFloat(token.style.getPropertyValue("--share")))"""

_PAINTED = """([ids, wanted]) => ids.every((id) => {
  const { painted } = document.getElementById(id)?.dataset ?? {};
  const found = new URLSearchParams(painted ?? "");
  return painted !== undefined && Object.entries(wanted).every(([name, value]) => found.get(name) === value);
})"""

_AT = """([trace, index]) => {
  const { area, drawn } = document.getElementById("figure-head-scatter").living;
  const { left, top } = area.getBoundingClientRect();
  const { panel, trace: { x, y } } = drawn.find((one) => one.trace.meta?.layer === trace);
  return [left + panel.across.pixel(x[index]), top + panel.up.pixel(y[index])];
}"""


def painted(page: Page, *figures: str, **wanted: str | None) -> None:
    """Wait until figures show a link with these values, None meaning without; the head's map unless some are named."""
    ids = [f"figure-{name}" for name in figures or ("head-map",)]
    page.wait_for_function(_PAINTED, arg=[ids, {"page": "model", **wanted}])


def loaded(page: Page, *figures: str, **wanted: str | None) -> None:
    """Wait until a model that a link loads by itself is shown, and its heads are measured over the corpus."""
    painted(page, *figures, **wanted)
    page.locator(".head-measuring").wait_for(state="hidden")


def shown(page: Page, figure: str = "head-map") -> str:
    """Return the link that a figure shows."""
    return page.locator(f"#figure-{figure}").get_attribute("data-painted") or ""


def seen(token: str) -> str:
    """Return a token as the text has it: a blank before a word is room, and one that stands alone is seen."""
    shown = token.replace("\n", "⏎").replace("\t", "⇥")
    return shown if shown.strip() else shown.replace(" ", "␣")


def require_shaded(page: Page, run: ModelRun, layer: int, head: int, row: int) -> None:
    """Require that the tokens are the model's, each as dark as the root of what the row gives it."""
    assert page.locator("#model-text .token").all_inner_texts() == [seen(token) for token in run.tokens]
    weights = run.layers[layer - 1].weights[head - 1, row]
    assert page.evaluate(SHARES) == pytest.approx([72 * float(weight) ** 0.5 for weight in weights], abs=0.05)


def pressed(page: Page) -> list[str]:
    """Return the names of the heads whose small maps are marked as chosen."""
    marked: list[Any] = page.locator('.small-maps [aria-pressed="true"]').evaluate_all(
        "(all) => all.map((one) => one.dataset.head)"
    )
    return marked


def point(page: Page, layer: int, head: int) -> tuple[float, float]:
    """Return where the point of a head stands in the window."""
    x, y = page.evaluate(_AT, [layer, head - 1])
    return x, y
