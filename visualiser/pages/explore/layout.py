"""The Explore page: controls at the side, figures beside them, wired by name."""

from typing import Any

import gradio as gr

from attention_core import BOUNDS, AttentionConfig
from visualiser.pages import elements
from visualiser.pages.elements import Control, explained, flag, place, radio, slider
from visualiser.pages.explore.frame import PANELS
from visualiser.pages.explore.presets import PRESETS
from visualiser.pages.explore.take_away import KINDS
from visualiser.pages.labels import label
from visualiser.pages.uses import unused
from visualiser.server.http import script
from visualiser.state.view import MOST_COLUMNS
from visualiser.upload import FILE_LIMIT

PAGE = "explore"

NOT_AT_FIRST = unused(PAGE)
"""Controls without a meaning in the default state; the script shows them when they have one."""

FIGURES = ("heat-maps", *PANELS)


def build(demo: gr.Blocks) -> None:
    """Lay the page out inside `demo` and wire it."""
    banner = elements.banner(PAGE)
    with gr.Row(elem_id="presets"):
        elements.presets(PRESETS)
        reset = gr.Button(label("page.reset"), size="sm", variant="secondary", elem_id="reset", min_width=60)
    with elements.figures_beside(PAGE, banner, _controls) as components:
        place("insight")
        with gr.Row(elem_id="stage-row"):
            components["stage"] = radio(PAGE, "stage")
            pin = gr.Button(label("page.pin"), size="sm", elem_id="pin", min_width=90, scale=0)
        for name in FIGURES:
            place(f"figure-{name}")
        place("take-away")
    reset.click(None, None, None, js=script.act("preset", None), api_visibility="private")
    pin.click(None, None, None, js=script.act("togglePin"), api_visibility="private")
    elements.wire(demo, PAGE, components, settings())


def _classes(name: str) -> str | None:
    return "not-now" if name in NOT_AT_FIRST else None


def _controls() -> dict[str, Control]:
    found: dict[str, Control] = {}
    with gr.Accordion(label("group.attention"), open=True, elem_id="group-attention"):
        found["d_k"] = slider(PAGE, "d_k")
        found["h"] = slider(PAGE, "h")
        found["scaling"] = radio(PAGE, "scaling")
        found["scale"] = slider(PAGE, "scale", _classes("scale"))
        found["mechanism"] = radio(PAGE, "mechanism")
        found["tie"] = flag(PAGE, "tie")
        found["d_model"] = slider(PAGE, "d_model")
        place("arithmetic")
        explained("attention")
    with gr.Accordion(label("group.input"), open=True, elem_id="group-input"):
        found["source"] = radio(PAGE, "source")
        found["n"] = slider(PAGE, "n")
        found["text"] = gr.Textbox(
            AttentionConfig().text,
            label=label("control.text.label"),
            lines=2,
            max_lines=6,
            elem_id="control-text",
            elem_classes=_classes("text"),
            interactive=True,
        )
        found["split"] = radio(PAGE, "split", _classes("split"))
        found["positions"] = flag(PAGE, "positions", _classes("positions"))
        place("upload", "not-now")
        found["seed"], _ = elements.seed()
        explained("input")
    with gr.Accordion(label("group.mask"), open=True, elem_id="group-mask"):
        found["mask"] = radio(PAGE, "mask")
        found["window"] = slider(PAGE, "window", _classes("window"))
        explained("mask")
    with gr.Accordion(label("group.view"), open=True, elem_id="group-view"):
        found["colour"] = radio(PAGE, "colour")
        found["colour_range"] = radio(PAGE, "colour_range")
        found["columns"] = gr.Slider(
            0,
            MOST_COLUMNS,
            0,
            step=1,
            label=label("control.columns.label"),
            elem_id="control-columns",
            interactive=True,
        )
        found["head"] = gr.Slider(
            0,
            BOUNDS["h"].maximum,
            0,
            step=1,
            label=label("control.head.label"),
            elem_id="control-head",
            interactive=True,
        )
        found["row"] = gr.Number(
            None, precision=0, minimum=0, label=label("control.row.label"), elem_id="control-row", interactive=True
        )
        found["dtype"] = radio(PAGE, "dtype")
        explained("view")
    return found


def settings() -> dict[str, Any]:
    """Return the settings that only this page's script needs."""
    return {
        "figures": FIGURES,
        "cells": ("heat-maps", "jacobian"),
        "places": ("insight", "arithmetic", "upload", "take-away"),
        "folded": ("input", "mask", "view"),
        "presets": PRESETS,
        "takeAway": [kind for kind in KINDS if kind != "figure"],
        "uploadLimit": FILE_LIMIT,
    }
