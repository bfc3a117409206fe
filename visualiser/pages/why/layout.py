"""The Why √d_k page: the sweep, one d_k and one factor, and the same softmax in three number formats."""

from typing import Any

import gradio as gr

from visualiser.pages import elements
from visualiser.pages.elements import Control, explained, flag, place, radio, slider
from visualiser.pages.labels import label
from visualiser.state import parameters

PAGE = "why"

FIGURES = ("sweep", "mechanism-maps", "mechanism-scores", "temperature", "numerics")

SLIDERS = ("d_k", "scale")
"""Controls with a logarithmic slider of our own: gradio's is linear."""


def build(demo: gr.Blocks) -> None:
    """Lay the page out inside `demo` and wire it."""
    with elements.figures_beside(PAGE, elements.banner(PAGE), _controls) as components:
        place("insight")
        place("predict")
        place("figure-sweep")
        with gr.Column(min_width=320, elem_id="point"):
            place("figure-mechanism-maps")
            place("figure-mechanism-scores")
        place("figure-temperature")
        place("figure-numerics")
        place("take-away")
    elements.wire(demo, PAGE, components, settings())


def _controls() -> dict[str, Control]:
    found: dict[str, Control] = {}
    with gr.Accordion(label("group.point"), open=True, elem_id="group-point"):
        place("control-d_k")
        found["scaling"] = radio(PAGE, "scaling")
        place("control-scale")
        explained("why")
    with gr.Accordion(label("group.sweep"), open=True, elem_id="group-sweep"):
        found["n"] = slider(PAGE, "n")
        found["seeds"] = slider(PAGE, "seeds")
        found["seed"], _ = elements.seed()
        explained("sweep")
    with gr.Accordion(label("group.show"), open=True, elem_id="group-show"):
        found["colour"] = radio(PAGE, "colour")
        found["predict"] = flag(PAGE, "predict")
    return found


def settings() -> dict[str, Any]:
    """Return the settings that only this page's script needs."""
    bounds = {name: parameters.bounds(PAGE)[name] for name in SLIDERS}
    return {
        "figures": FIGURES,
        "cells": ("mechanism-maps",),
        "places": ("insight", "predict", "take-away", *(f"control-{name}" for name in SLIDERS)),
        "folded": ("sweep", "show"),
        "scales": {
            name: {"low": bound.minimum, "high": bound.maximum, "whole": isinstance(bound.step, int)}
            for name, bound in bounds.items()
        },
    }
