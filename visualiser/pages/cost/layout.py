"""The Cost page: additive against dot-product attention, measured on the machine that runs it."""

from typing import Any

import gradio as gr

from visualiser.pages import elements
from visualiser.pages.elements import Control, explained, flag, place, radio, slider
from visualiser.pages.labels import label

PAGE = "cost"


def build(demo: gr.Blocks) -> None:
    """Lay the page out inside `demo` and wire it."""
    with elements.figures_beside(PAGE, elements.banner(PAGE), _controls) as components:
        place("insight")
        place("predict")
        place("run")
        place("figure-cost-time")
        place("figure-cost-memory")
        place("take-away")
    elements.wire(demo, PAGE, components, settings())


def _controls() -> dict[str, Control]:
    found: dict[str, Control] = {}
    with gr.Accordion(label("group.cost"), open=True, elem_id="group-cost"):
        found["varied"] = radio(PAGE, "varied")
        found["n"] = slider(PAGE, "n", "not-now")
        found["d_k"] = slider(PAGE, "d_k")
        found["seed"], _ = elements.seed()
        found["predict"] = flag(PAGE, "predict")
        explained("cost")
    return found


def settings() -> dict[str, Any]:
    """Return the settings that only this page's script needs."""
    return {
        "figures": ("cost-time", "cost-memory"),
        "places": ("insight", "predict", "run", "take-away"),
        "leaves": ("n", "d_k", "tie"),
    }
