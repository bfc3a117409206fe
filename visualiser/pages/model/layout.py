"""The Model page: the text, all heads of a model, one of them large, and why it reads a key."""

from typing import Any, Final

import gradio as gr

from attention_core.learned import GIVERS, SHIPPED, SUBJECTS, SURNAMES
from attention_core.models import MOST_PICTURES
from visualiser import models
from visualiser.models.hub import HUB
from visualiser.pages import elements
from visualiser.pages.elements import Control, explanation, place, radio
from visualiser.pages.model import HEAD, OF_PICTURES, OF_TEXTS, OVERVIEW, READS, RULES, SAYS
from visualiser.pages.model.change_kinds import KINDS, Kind
from visualiser.server.http import script
from visualiser.theme import WEIGHTS
from visualiser.upload import FILE_LIMIT
from visualiser.upload.pictures import PICTURE_LIMIT
from visualiser.upload.sounds import SOUND_LIMIT

PAGE = "model"

PRESETS: Final[dict[str, dict[str, Any]]] = {
    "model_previous": {},
    "model_induction": {"layer": 2, "head": 1},
    "model_subject": {"layer": 2, "head": 4, "row": 13, "text": SUBJECTS},
    "model_twin": {"model": "headlight-one-layer"},
    "model_footnote": {"overview": "scatter", "x": "variance", "y": "entropy"},
}
"""States of this page worth a class's time, each as the parameters that differ from the defaults."""

PATCH_EXAMPLES: Final[dict[str, dict[str, str]]] = {
    name: dict(zip(("text", "other", "answer"), example, strict=True))
    for name, example in {**dict.fromkeys(SHIPPED, SURNAMES), "": GIVERS}.items()
}
"""Two texts and the answer after the first, for the models that ship, and for any other."""

VIEWING: Final = (
    "colour",
    "colour_range",
    "overview",
    "over",
    "cost",
    "other",
    "answer",
    "patch",
    "patch_at",
    "x",
    "y",
    "sort",
    "only",
    "least",
    "key_figure",
    "shows",
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
        place("head-page")
        with gr.Column(elem_id="overview", min_width=0):
            for figure in OVERVIEW:
                elements.figure(figure)
        with gr.Column(elem_id="one-head", min_width=0):
            with gr.Column(elem_id="head", min_width=0):
                for figure in (*OF_TEXTS[:1], *OF_PICTURES, READS, *OF_TEXTS[1:]):
                    elements.figure(figure)
            elements.figure(SAYS)
            with gr.Column(elem_id="panels", min_width=0):
                for figure in HEAD:
                    if figure not in (*OF_TEXTS, *OF_PICTURES, READS):
                        elements.figure(figure)
        place("take-away")
    elements.wire(demo, PAGE, components, settings())


def _controls() -> dict[str, Control]:
    found: dict[str, Control] = {}
    found["text"] = elements.text_box(PAGE, 3, 6)
    found["target"] = elements.text_box(PAGE, 1, 4, name="target")
    place("control-pictures")
    place("control-sound")
    found["model"] = elements.model(PAGE, "", [name for name in models.here() if HUB.about(name) is None])
    place("models-place")
    place("run")
    place("measure-run")
    found["overview"] = radio(PAGE, "overview", "segments")
    found["over"] = radio(PAGE, "over", "segments")
    found["cost"] = radio(PAGE, "cost", "segments")
    place("cost-run")
    found["other"] = elements.text_box(PAGE, 2, 4, name="other")
    found["answer"] = elements.text_box(PAGE, 1, 1, name="answer")
    found["patch"] = radio(PAGE, "patch", "segments")
    found["patch_at"] = elements.text_box(PAGE, 1, 1, name="patch_at")
    place("control-changes")
    with elements.folded_controls():
        found["sort"] = radio(PAGE, "sort")
        found["only"] = radio(PAGE, "only", "segments")
        found["least"] = elements.number(PAGE, "least")
        found["x"] = radio(PAGE, "x")
        found["y"] = radio(PAGE, "y")
        found["key_figure"] = radio(PAGE, "key_figure", "segments")
        found["shows"] = radio(PAGE, "shows")
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
        "pictures": {name: script.address(file) for name, file in models.PICTURE_FILES.items()},
        "pictureLimit": PICTURE_LIMIT,
        "sounds": models.SHIPPED_SOUNDS,
        "soundLimit": SOUND_LIMIT,
        "weightsLimit": FILE_LIMIT,
        "mostPictures": MOST_PICTURES,
        "patchExamples": PATCH_EXAMPLES,
        "changeKinds": {name: _kind(kind) for name, kind in KINDS.items()},
        "places": (
            "insight",
            "predict",
            "model-text",
            "head-page",
            "control-pictures",
            "control-sound",
            "control-changes",
            "models-place",
            "run",
            "measure-run",
            "cost-run",
            "take-away",
            "menus",
            "more",
        ),
    }


def _kind(kind: Kind) -> dict[str, Any]:
    ends = kind.ends
    numbers = (None, None, None) if ends is None else (ends.minimum, ends.maximum, ends.default)
    flags = {"slot": kind.slot, "keys": kind.keys, "open": kind.open}
    return {**flags, **dict(zip(("low", "high", "first"), numbers, strict=True))}
