"""The Map page: a long sequence's attention as a map to zoom into; the script draws it and requests its tiles."""

from typing import Any

import gradio as gr

from visualiser.maps.kept import BINS
from visualiser.pages import elements
from visualiser.pages.elements import Control, check_box, explanation, place, radio, slider
from visualiser.pages.map import RULES
from visualiser.pages.map.sequence import LONGEST_TEXT
from visualiser.pages.uses import unused_controls
from visualiser.state.view import SHAPING
from visualiser.upload import FILE_LIMIT

PAGE = "map"

NOT_AT_FIRST = unused_controls(PAGE)
"""Controls without a meaning in the default state; the script shows them when they have one."""

VIEWING = (
    "pooling",
    "colour",
    "colour_range",
    "columns",
    "stage",
    "head",
    "row",
    "left",
    "top",
    "across",
    "lang",
    "page",
    "predict",
    "question",
    *SHAPING,
)
"""Settings that change the view and nothing that was computed."""

LINKED_TEXT = 512
"""The most characters of a text in a link: never more tokens than a config takes. A longer text stays on the page."""


SLIDERS = ("n", "d_k", "window")
"""Controls with a logarithmic slider of our own."""


def build(demo: gr.Blocks) -> None:
    """Lay the page out inside `demo` and wire it."""
    banner = elements.banner()
    elements.insight_area()
    with elements.figures_beside(PAGE, banner, _controls) as components:
        for figure in RULES.figures:
            elements.figure(figure)
        place("take-away")
    elements.wire(demo, PAGE, components, settings())


def _classes(name: str) -> str | None:
    return "not-now" if name in NOT_AT_FIRST else None


def _controls() -> dict[str, Control]:
    found: dict[str, Control] = {}
    found["source"] = radio(PAGE, "source", "segments")
    found["model"] = elements.model(PAGE, "not-now")
    found["layer"] = slider(PAGE, "layer", _classes("layer"))
    place("control-n")
    place("passage", "not-now")
    found["split"] = radio(PAGE, "split", " ".join(filter(None, ("segments", _classes("split")))))
    place("upload", "not-now")
    found["h"] = slider(PAGE, "h")
    place("control-d_k")
    found["scaling"] = radio(PAGE, "scaling", "segments")
    found["scale"] = slider(PAGE, "scale", _classes("scale"))
    found["mask"] = radio(PAGE, "mask", "segments")
    place("control-window", _classes("window"))
    found["pooling"] = radio(PAGE, "pooling", "segments")
    found["colour"] = radio(PAGE, "colour", "segments")
    with elements.folded_controls():
        found["tie"] = check_box(PAGE, "tie")
        found["d_model"] = slider(PAGE, "d_model")
        found["positions"] = check_box(PAGE, "positions", _classes("positions"))
        found["seed"], _ = elements.seed()
        found["normalisation"] = radio(PAGE, "normalisation", "segments")
        found["sink"] = slider(PAGE, "sink", _classes("sink"))
        found["qk_norm"] = check_box(PAGE, "qk_norm")
        found["log_n"] = check_box(PAGE, "log_n")
        found["softcap"] = slider(PAGE, "softcap")
        explanation("map")
        explanation("pooling")
    place("run")
    return found


def settings() -> dict[str, Any]:
    """Return the settings that only this page's script needs."""
    return {
        **elements.painter_settings(RULES.figures),
        "places": (
            "run",
            "insight",
            "predict",
            "passage",
            "upload",
            "take-away",
            "menus",
            "more",
            *(f"control-{name}" for name in SLIDERS),
        ),
        "scales": elements.scales(PAGE, SLIDERS),
        "leaves": ("n", "window"),
        "viewing": VIEWING,
        "bins": BINS,
        "uploadLimit": FILE_LIMIT,
        "textLimit": LONGEST_TEXT,
        "longestText": LINKED_TEXT,
    }
