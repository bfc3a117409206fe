"""The Map page: a long sequence's attention as a map to zoom into; the script draws it and asks for its tiles."""

from typing import Any

import gradio as gr

from visualiser.pages import elements
from visualiser.pages.elements import Control, explained, flag, place, radio, slider
from visualiser.pages.labels import label
from visualiser.pages.map.kept import BINS
from visualiser.pages.map.sequence import LONGEST_TEXT
from visualiser.pages.uses import unused
from visualiser.state.view import SHAPING
from visualiser.upload import FILE_LIMIT

PAGE = "map"

FIGURES = ("map", "strips", "row")

NOT_AT_FIRST = unused(PAGE)
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
    *SHAPING,
)
"""Settings that change the view and nothing that was computed."""

LINKED_TEXT = 512
"""The most characters of a text in a link: never more tokens than a config takes. A longer text stays on the page."""


def build(demo: gr.Blocks) -> None:
    """Lay the page out inside `demo` and wire it."""
    with elements.figures_beside(PAGE, elements.banner(PAGE), _controls) as components:
        place("run")
        place("insight")
        for name in FIGURES:
            place(f"figure-{name}")
        place("take-away")
    elements.wire(demo, PAGE, components, settings())


def _classes(name: str) -> str | None:
    return "not-now" if name in NOT_AT_FIRST else None


def _controls() -> dict[str, Control]:
    found: dict[str, Control] = {}
    with gr.Accordion(label("group.input"), open=True, elem_id="group-input"):
        found["source"] = radio(PAGE, "source")
        found["n"] = slider(PAGE, "n")
        place("passage", "not-now")
        found["split"] = radio(PAGE, "split", _classes("split"))
        found["positions"] = flag(PAGE, "positions", _classes("positions"))
        place("upload", "not-now")
        found["seed"], _ = elements.seed()
        explained("map")
    with gr.Accordion(label("group.view"), open=True, elem_id="group-view"):
        found["pooling"] = radio(PAGE, "pooling")
        found["colour"] = radio(PAGE, "colour")
        explained("pooling")
    with gr.Accordion(label("group.mask"), open=True, elem_id="group-mask"):
        found["mask"] = radio(PAGE, "mask")
        found["window"] = slider(PAGE, "window", _classes("window"))
    with gr.Accordion(label("group.attention"), open=True, elem_id="group-attention"):
        found["h"] = slider(PAGE, "h")
        found["d_k"] = slider(PAGE, "d_k")
        found["scaling"] = radio(PAGE, "scaling")
        found["scale"] = slider(PAGE, "scale", _classes("scale"))
        found["tie"] = flag(PAGE, "tie")
        found["d_model"] = slider(PAGE, "d_model")
    return found


def settings() -> dict[str, Any]:
    """Return the settings that only this page's script needs."""
    return {
        "figures": FIGURES,
        "cells": (),
        "places": ("run", "insight", "passage", "upload", "take-away"),
        "folded": ("input", "mask", "attention"),
        "leaves": ("n", "window"),
        "viewing": VIEWING,
        "bins": BINS,
        "uploadLimit": FILE_LIMIT,
        "textLimit": LONGEST_TEXT,
        "longestText": LINKED_TEXT,
    }
