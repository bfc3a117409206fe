"""The Cost page: additive against dot-product attention, measured on the machine that runs it."""

from typing import Any

import gradio as gr

from visualiser.pages import elements
from visualiser.pages.elements import Control, explained, flag, place, radio, slider

PAGE = "cost"


FIGURES = ("cost-time", "cost-memory")


def build(demo: gr.Blocks) -> None:
    """Lay the page out inside `demo` and wire it."""
    banner = elements.banner(PAGE)
    place("insight")
    with elements.figures_beside(PAGE, banner, _controls) as components:
        with gr.Column(elem_id="act", min_width=0):
            place("predict")
            place("run")
        with gr.Column(elem_id="panels", min_width=0):
            for name in FIGURES:
                place(f"figure-{name}")
        place("take-away")
    elements.wire(demo, PAGE, components, settings())


def _controls() -> dict[str, Control]:
    found: dict[str, Control] = {}
    found["varied"] = radio(PAGE, "varied", "segments")
    found["n"] = slider(PAGE, "n", "not-now")
    found["d_k"] = slider(PAGE, "d_k")
    with elements.more():
        found["seed"], _ = elements.seed()
        found["predict"] = flag(PAGE, "predict")
        explained("cost")
    return found


def settings() -> dict[str, Any]:
    """Return the settings that only this page's script needs."""
    return {
        "figures": FIGURES,
        "charts": FIGURES,
        "places": ("insight", "predict", "run", "take-away", "menus", "more"),
        "leaves": ("n", "d_k", "tie"),
    }
