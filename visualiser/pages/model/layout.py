"""The Model page: the text, all heads of a model, one of them large, and why it reads a key."""

from typing import Any, Final

import gradio as gr

from attention_core.learned import SUBJECTS
from visualiser.pages import elements
from visualiser.pages.elements import Control, explanation, place, radio
from visualiser.pages.model import HEAD, OVERVIEW, RULES
from visualiser.theme import WEIGHTS

PAGE = "model"

PRESETS: Final[dict[str, dict[str, Any]]] = {
    "model_previous": {},
    "model_induction": {"layer": 2, "head": 1},
    "model_subject": {"layer": 2, "head": 4, "row": 13, "text": SUBJECTS},
    "model_twin": {"model": "headlight-one-layer"},
    "model_footnote": {"overview": "scatter", "x": "variance", "y": "entropy"},
}
"""States of this page worth a class's time, each as the parameters that differ from the defaults."""


VIEWING: Final = (
    "colour",
    "colour_range",
    "overview",
    "over",
    "x",
    "y",
    "sort",
    "only",
    "columns",
    "present",
    "hide",
    "focus",
)
"""Settings that change no number of a question."""


def build(demo: gr.Blocks) -> None:
    """Lay the page out inside `demo` and wire it."""
    banner = elements.banner()
    place("insight")
    with elements.figures_beside(PAGE, banner, _controls) as components:
        place("predict")
        place("model-text")
        with gr.Column(elem_id="overview", min_width=0):
            for figure in OVERVIEW:
                elements.figure(figure)
        with gr.Column(elem_id="one-head", min_width=0):
            with gr.Column(elem_id="head", min_width=0):
                for figure in HEAD[:2]:
                    elements.figure(figure)
            with gr.Column(elem_id="panels", min_width=0):
                for figure in HEAD[2:]:
                    elements.figure(figure)
        place("take-away")
    elements.wire(demo, PAGE, components, settings())


def _controls() -> dict[str, Control]:
    found: dict[str, Control] = {}
    found["text"] = elements.text_box(PAGE, 3, 6)
    found["model"] = elements.model(PAGE, "")
    place("run")
    found["overview"] = radio(PAGE, "overview", "segments")
    found["over"] = radio(PAGE, "over", "segments")
    with elements.folded_controls():
        found["sort"] = radio(PAGE, "sort")
        found["only"] = radio(PAGE, "only", "segments")
        found["x"] = radio(PAGE, "x")
        found["y"] = radio(PAGE, "y")
        found["colour"] = radio(PAGE, "colour", "segments")
        found["colour_range"] = radio(PAGE, "colour_range", "segments")
        explanation("model")
    return found


def settings() -> dict[str, Any]:
    """Return the settings that only this page's script needs."""
    return {
        **elements.painter_settings(RULES.figures),
        "presets": PRESETS,
        "viewing": VIEWING,
        "colours": {"weights": WEIGHTS},
        "places": ("insight", "predict", "model-text", "run", "take-away", "menus", "more"),
    }
