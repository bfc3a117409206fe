"""The Train page: quality against d_k, and one head against several, trained before the visitor's eyes."""

from typing import Any

import gradio as gr

from visualiser.pages import elements
from visualiser.pages.elements import Control, explained, flag, place, radio, several, slider
from visualiser.pages.labels import label

PAGE = "train"

QUALITY = ("train-accuracy", "train-steps", "train-gradient")
HEADS = ("heads-accuracy", "heads-mass", "heads-maps")
"""The figures of each experiment; the script shows those of the chosen one."""

OF_HEADS = ("heads", "shown", "m", "classes", "mlp")
"""Controls without a meaning in the experiment with which the page begins."""


def build(demo: gr.Blocks) -> None:
    """Lay the page out inside `demo` and wire it."""
    with elements.figures_beside(PAGE, elements.banner(PAGE), _controls) as components:
        place("insight")
        place("predict")
        place("run")
        for name in (*QUALITY, *HEADS):
            place(f"figure-{name}")
        place("take-away")
    elements.wire(demo, PAGE, components, settings())


def _controls() -> dict[str, Control]:
    found: dict[str, Control] = {}
    with gr.Accordion(label("group.train"), open=True, elem_id="group-train"):
        found["experiment"] = radio(PAGE, "experiment")
        found["task"] = radio(PAGE, "task")
        found["mechanisms"] = several(PAGE, "mechanisms")
        found["widths"] = several(PAGE, "widths")
        found["heads"] = several(PAGE, "heads", _classes("heads"))
        found["shown"] = radio(PAGE, "shown", _classes("shown"))
        found["m"] = slider(PAGE, "m", _classes("m"))
        found["classes"] = radio(PAGE, "classes", _classes("classes"))
        found["mlp"] = flag(PAGE, "mlp", _classes("mlp"))
        explained("train")
    with gr.Accordion(label("group.recipe"), open=True, elem_id="group-recipe"):
        found["initialisation"] = radio(PAGE, "initialisation")
        found["learning_rate"] = radio(PAGE, "learning_rate")
        found["steps"] = slider(PAGE, "steps")
        found["seeds"] = slider(PAGE, "seeds")
        found["seed"], _ = elements.seed()
        found["predict"] = flag(PAGE, "predict")
        explained("recipe")
    return found


def _classes(name: str) -> str | None:
    return "not-now" if name in OF_HEADS else None


def settings() -> dict[str, Any]:
    """Return the settings that only this page's script needs."""
    return {
        "figures": (*QUALITY, *HEADS),
        "cells": ("heads-mass", "heads-maps"),
        "byExperiment": {"quality": QUALITY, "heads": HEADS},
        "ofHeads": OF_HEADS,
        "places": ("insight", "predict", "run", "take-away"),
        "folded": ("recipe",),
    }
