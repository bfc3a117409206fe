"""The Why √d_k page: the sweep, one d_k and one factor, and the same softmax in three number formats."""

from typing import Any

import gradio as gr

from visualiser.pages import elements
from visualiser.pages.elements import Control, explained, place, radio, slider
from visualiser.state import parameters

PAGE = "why"

CELLS = ("mechanism-maps",)

PLACES = ("insight", "predict", "tabs", "take-away", "menus", "more")

SLIDERS = ("d_k", "scale")
"""Controls with a logarithmic slider of our own: gradio's is linear."""


def build(demo: gr.Blocks) -> None:
    """Lay the page out inside `demo` and wire it."""
    banner = elements.banner()
    elements.insight_area()
    with elements.figures_beside(PAGE, banner, _controls) as components:
        place("figure-sweep")
        with gr.Column(elem_id="panels", min_width=0):
            place("figure-mechanism-maps")
            place("figure-mechanism-scores")
            with gr.Column(elem_id="numbers", min_width=0):
                place("tabs")
                place("figure-temperature")
                place("figure-numerics")
        place("take-away")
    elements.wire(demo, PAGE, components, settings())


def _controls() -> dict[str, Control]:
    found: dict[str, Control] = {}
    place("control-d_k")
    found["scaling"] = radio(PAGE, "scaling", "segments", "why.acts")
    place("control-scale")
    found["n"] = slider(PAGE, "n")
    found["seeds"] = slider(PAGE, "seeds")
    with elements.more():
        found["seed"], _ = elements.seed()
        found["colour"] = radio(PAGE, "colour", "segments")
        explained("why")
        explained("sweep")
    return found


def settings() -> dict[str, Any]:
    """Return the settings that only this page's script needs."""
    return {
        "cells": CELLS,
        "charts": tuple(name for name in parameters.figures(PAGE) if name not in CELLS),
        "places": (*PLACES, *(f"control-{name}" for name in SLIDERS)),
        "scales": elements.scales(PAGE, SLIDERS),
    }
