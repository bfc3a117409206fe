"""The Cost page: additive against dot-product attention, measured on the machine that runs it."""

from typing import Any, Final

import gradio as gr

from visualiser.pages import elements
from visualiser.pages.cost import FIGURES
from visualiser.pages.elements import Control, explanation, place, radio

PAGE = "cost"

SLIDERS = ("n", "d_k")
"""Controls with a logarithmic slider of our own."""

PRESETS: Final[dict[str, dict[str, Any]]] = {
    "cost_memory": {},
    "cost_width": {"varied": "d_k"},
}
"""States of this page worth a class's time, each as the parameters that differ from the defaults."""


def build(demo: gr.Blocks) -> None:
    """Lay the page out inside `demo` and wire it."""
    banner = elements.banner()
    place("insight")
    with elements.figures_beside(PAGE, banner, _controls) as components:
        with gr.Column(elem_id="act", min_width=0):
            place("predict")
            place("run")
        with gr.Column(elem_id="panels", min_width=0):
            for figure in FIGURES:
                elements.figure(figure)
        place("take-away")
    elements.wire(demo, PAGE, components, settings())


def _controls() -> dict[str, Control]:
    found: dict[str, Control] = {}
    found["varied"] = radio(PAGE, "varied", "segments")
    place("control-n", "not-now")
    place("control-d_k")
    with elements.folded_controls():
        found["seed"], _ = elements.seed()
        explanation("cost")
    return found


def settings() -> dict[str, Any]:
    """Return the settings that only this page's script needs."""
    return {
        **elements.painter_settings(FIGURES),
        "places": (
            *("insight", "predict", "run", "take-away", "menus", "more"),
            *(f"control-{name}" for name in SLIDERS),
        ),
        "scales": elements.scales(PAGE, SLIDERS),
        "presets": PRESETS,
        "leaves": ("n", "d_k", "tie"),
    }
