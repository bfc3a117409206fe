"""The Explore page: controls at the side, figures beside them, wired by name."""

from dataclasses import fields
from typing import Any

import gradio as gr

from attention_core import BOUNDS
from visualiser.pages import elements
from visualiser.pages.elements import Control, check_box, explanation, place, radio, slider
from visualiser.pages.explore import MAPS, PANELS, ROW, RULES
from visualiser.pages.explore.presets import PRESETS
from visualiser.pages.explore.take_away import KINDS
from visualiser.pages.labels import label
from visualiser.pages.uses import unused_controls
from visualiser.server.http import script
from visualiser.state import parameters
from visualiser.state.view import MOST_COLUMNS, View
from visualiser.upload import FILE_LIMIT

PAGE = "explore"

NOT_AT_FIRST = unused_controls(PAGE)
"""Controls without a meaning in the default state; the script shows them when they have one."""

SLIDERS = ("d_k", "n")
"""Controls with a logarithmic slider of our own: most happens below 64."""


VIEWING = (*(item.name for item in fields(View)), "page", "pin", *parameters.own(PAGE))
"""Settings that change no number of the state, so that a question about it stands."""


def build(demo: gr.Blocks) -> None:
    """Lay the page out inside `demo` and wire it."""
    banner = elements.banner()
    elements.insight_area()
    with elements.figures_beside(PAGE, banner, _controls) as components:
        with gr.Row(elem_id="stage-row"):
            components["stage"] = radio(PAGE, "stage", "segments")
            pin = gr.Button(label("page.pin"), size="sm", elem_id="pin", min_width=90, scale=0)
        elements.figure(MAPS)
        with gr.Column(elem_id="side", min_width=0):
            with gr.Column(elem_id="row-detail", min_width=0):
                place("row-title")
                for figure in ROW:
                    elements.figure(figure)
            with gr.Column(elem_id="panels", min_width=0):
                for figure in PANELS:
                    elements.figure(figure)
        place("take-away")
    pin.click(None, None, None, js=script.act("controls.pressed", "pin"), api_visibility="private")
    elements.wire(demo, PAGE, components, settings())


def _classes(name: str) -> str | None:
    return "not-now" if name in NOT_AT_FIRST else None


def _controls() -> dict[str, Control]:
    found = elements.computed_controls(PAGE, _classes)
    found["layer"] = slider(PAGE, "layer", _classes("layer"))
    found["text"] = elements.text_box(PAGE, 2, 6, _classes("text"))
    found["split"] = radio(PAGE, "split", " ".join(filter(None, ("segments", _classes("split")))))
    place("upload", "not-now")
    place("control-n")
    place("arithmetic")
    with elements.folded_controls():
        found["tie"] = check_box(PAGE, "tie")
        found["d_model"] = slider(PAGE, "d_model")
        found["positions"] = check_box(PAGE, "positions", _classes("positions"))
        found["seed"], _ = elements.seed()
        found["colour"] = radio(PAGE, "colour", "segments")
        found["colour_range"] = radio(PAGE, "colour_range", "segments")
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
        found["qk_norm"] = check_box(PAGE, "qk_norm")
        found["log_n"] = check_box(PAGE, "log_n")
        found["softcap"] = slider(PAGE, "softcap")
        found["dtype"] = radio(PAGE, "dtype", "segments")
        found["subtract_max"] = check_box(PAGE, "subtract_max")
        for group in ("attention", "input", "mask", "view"):
            explanation(group)
    return found


def settings() -> dict[str, Any]:
    """Return the settings that only this page's script needs."""
    return {
        **elements.painter_settings(RULES.figures),
        "ofRow": [figure.name for figure in ROW],
        "places": (
            "insight",
            "predict",
            "arithmetic",
            "upload",
            "take-away",
            "menus",
            "row-title",
            "more",
            *(f"control-{name}" for name in SLIDERS),
        ),
        "scales": elements.scales(PAGE, SLIDERS),
        "viewing": VIEWING,
        "presets": PRESETS,
        "takeAway": [kind for kind in KINDS if kind != "figure"],
        "uploadLimit": FILE_LIMIT,
    }
