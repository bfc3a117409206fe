"""The Why √d_k page: the sweep, one d_k and one factor, and the same softmax in three number formats."""

from typing import Any

import gradio as gr

from visualiser.pages import elements
from visualiser.pages.elements import Control, explanation, place, radio, slider
from visualiser.pages.why import DRAGGED, RESTING, RULES, SWEEP
from visualiser.pages.why.comparisons import COMPARISONS

PAGE = "why"

PLACES = ("insight", "predict", "tabs", "take-away", "menus", "more")

SLIDERS = ("d_k", "scale")
"""Controls with a logarithmic slider of our own: gradio's is linear."""


def build(demo: gr.Blocks) -> None:
    """Lay the page out inside `demo` and wire it."""
    banner = elements.banner()
    elements.insight_area()
    with elements.figures_beside(PAGE, banner, _controls) as components:
        components["curves"] = radio(PAGE, "curves", "segments")
        elements.figure(SWEEP)
        with gr.Column(elem_id="panels", min_width=0):
            for figure in DRAGGED:
                elements.figure(figure)
            with gr.Column(elem_id="numbers", min_width=0):
                place("tabs")
                for figure in RESTING:
                    elements.figure(figure)
        place("take-away")
    elements.wire(demo, PAGE, components, settings())


def _controls() -> dict[str, Control]:
    found: dict[str, Control] = {}
    place("control-d_k")
    found["scaling"] = radio(PAGE, "scaling", "segments", "why.acts")
    place("control-scale")
    found["n"] = slider(PAGE, "n")
    found["seeds"] = slider(PAGE, "seeds")
    with elements.folded_controls():
        found["seed"], _ = elements.seed()
        found["colour"] = radio(PAGE, "colour", "segments")
        explanation("why")
        explanation("sweep")
    return found


def settings() -> dict[str, Any]:
    """Return the settings that only this page's script needs."""
    return {
        **elements.painter_settings(RULES.figures),
        "places": (*PLACES, *(f"control-{name}" for name in SLIDERS)),
        "scales": elements.scales(PAGE, (*SLIDERS, "n")),
        "comparisons": {
            name: {"axis": one.axis, "reads": one.reads, "open": one.open} for name, one in COMPARISONS.items()
        },
    }
