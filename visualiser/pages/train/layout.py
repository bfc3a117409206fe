"""The Train page: quality against d_k, and one head against several, trained before the visitor's eyes."""

from typing import Any, Final

import gradio as gr

from visualiser.pages import elements
from visualiser.pages.elements import Control, check_box, check_boxes, explanation, place, radio, slider
from visualiser.pages.train import HEADS, OF_MODELS, QUALITY, RULES

PAGE = "train"

OF_HEADS = ("heads", "shown", "m", "classes", "mlp")
"""Controls without a meaning in the experiment with which the page begins."""

PRESETS: Final[dict[str, dict[str, Any]]] = {
    "train_wide": {},
    "train_heads": {"experiment": "heads"},
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
        for large in (QUALITY[0], HEADS[0]):
            elements.figure(large)
        with gr.Column(elem_id="panels", min_width=0):
            for figure in (*QUALITY[1:], *HEADS[1:], *OF_MODELS):
                elements.figure(figure)
        place("take-away")
    elements.wire(demo, PAGE, components, settings())


def _controls() -> dict[str, Control]:
    found: dict[str, Control] = {}
    found["experiment"] = radio(PAGE, "experiment", "segments")
    found["task"] = radio(PAGE, "task", "segments")
    found["mechanisms"] = check_boxes(PAGE, "mechanisms", "segments")
    found["widths"] = check_boxes(PAGE, "widths", "segments")
    found["heads"] = check_boxes(PAGE, "heads", _classes("heads"))
    found["shown"] = radio(PAGE, "shown", _classes("shown"))
    found["m"] = slider(PAGE, "m", "not-now")
    found["classes"] = radio(PAGE, "classes", _classes("classes"))
    found["mlp"] = check_box(PAGE, "mlp", "not-now")
    found["seeds"] = slider(PAGE, "seeds")
    with elements.folded_controls():
        found["initialisation"] = radio(PAGE, "initialisation", "segments")
        found["learning_rate"] = radio(PAGE, "learning_rate", "segments")
        found["steps"] = slider(PAGE, "steps")
        found["seed"], _ = elements.seed()
        explanation("train")
        explanation("recipe")
    return found


def _classes(name: str) -> str:
    return "segments not-now" if name in OF_HEADS else "segments"


def settings() -> dict[str, Any]:
    """Return the settings that only this page's script needs."""
    return {
        **elements.painter_settings(RULES.figures),
        "byExperiment": {
            "quality": [figure.name for figure in QUALITY],
            "heads": [figure.name for figure in (*HEADS, *OF_MODELS)],
        },
        "ofHeads": OF_HEADS,
        "presets": PRESETS,
        "places": ("insight", "predict", "run", "take-away", "menus", "more"),
    }
