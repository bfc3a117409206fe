"""The Anatomy page: Figure 2 drawn with this configuration's shapes, and one query walked through it."""

from typing import Any, Final

import gradio as gr

from visualiser.pages import elements
from visualiser.pages.elements import Control, explained, flag, place, radio, slider
from visualiser.pages.labels import label
from visualiser.pages.uses import unused
from visualiser.state import parameters
from visualiser.theme import DIVERGING, WEIGHTS

PAGE = "anatomy"

PRESETS: Final[dict[str, dict[str, Any]]] = {
    "anatomy_default": {},
    # The slides' picture: bⁱ·¹ and bⁱ·² side by side, multiplied by W_O.
    "anatomy_two_heads": {"step": "output", "row": 0},
    "anatomy_additive": {"mechanism": "additive", "step": "hidden_q"},
    "anatomy_causal": {"mask": "causal", "step": "masked", "rows": "all"},
    "anatomy_hidden": {"layer": 2},
    # Section 3.2.2
    "anatomy_paper": {
        "source": "gaussian",
        "n": 32,
        "d_model": 512,
        "h": 8,
        "d_k": 64,
        "step": "weights",
        "rows": "all",
    },
}
"""States of this page worth a class's time, each as the parameters that differ from the defaults."""

NOT_AT_FIRST = unused(PAGE)
"""Controls without a meaning in the default state; the script shows them when they have one."""


def build(demo: gr.Blocks) -> None:
    """Lay the page out inside `demo` and wire it."""
    banner = elements.banner(PAGE)
    with gr.Row(elem_id="presets"):
        elements.presets(PRESETS)
    with elements.figures_beside(PAGE, banner, _controls) as components:
        place("insight")
        place("figure-anatomy")
        place("predict")
        place("figure-walk")
        place("take-away")
    elements.wire(demo, PAGE, components, settings())


def _classes(name: str) -> str | None:
    return "not-now" if name in NOT_AT_FIRST else None


def _controls() -> dict[str, Control]:
    found: dict[str, Control] = {}
    with gr.Accordion(label("group.attention"), open=True, elem_id="group-attention"):
        found["d_k"] = slider(PAGE, "d_k")
        found["h"] = slider(PAGE, "h")
        found["d_model"] = slider(PAGE, "d_model")
        found["tie"] = flag(PAGE, "tie")
        found["mechanism"] = radio(PAGE, "mechanism")
        found["scaling"] = radio(PAGE, "scaling")
        found["scale"] = slider(PAGE, "scale", _classes("scale"))
        found["mask"] = radio(PAGE, "mask")
        found["window"] = slider(PAGE, "window", _classes("window"))
    with gr.Accordion(label("group.input"), open=True, elem_id="group-input"):
        found["source"] = radio(PAGE, "source")
        found["text"] = gr.Textbox(
            parameters.beginning(PAGE).text,
            label=label("control.text.label"),
            lines=1,
            max_lines=4,
            elem_id="control-text",
            interactive=True,
        )
        found["split"] = radio(PAGE, "split")
        found["positions"] = flag(PAGE, "positions")
        found["n"] = slider(PAGE, "n", _classes("n"))
        found["seed"], _ = elements.seed()
    with gr.Accordion(label("group.walk"), open=True, elem_id="group-walk"):
        found["layer"] = slider(PAGE, "layer")
        found["head"] = gr.Slider(
            1,
            parameters.bounds(PAGE)["h"].maximum,
            parameters.first_view(PAGE).head,
            step=1,
            label=label("control.head_walked.label"),
            elem_id="control-head",
            interactive=True,
        )
        found["row"] = gr.Number(
            None,
            precision=0,
            minimum=0,
            label=label("control.row_walked.label"),
            elem_id="control-row",
            interactive=True,
        )
        found["predict"] = flag(PAGE, "predict")
        explained("walk")
    return found


def settings() -> dict[str, Any]:
    """Return the settings that only this page's script needs."""
    return {
        "figures": ("anatomy", "walk"),
        "places": ("insight", "predict", "take-away"),
        "folded": ("input", "walk"),
        "presets": PRESETS,
        "mostLayers": parameters.bounds(PAGE)["layer"].maximum,
        "colours": {"signed": DIVERGING, "weights": WEIGHTS},
        # Sizes that fit one screen here say nothing about the pages that draw a thousand times as many numbers.
        "leaves": ("n", "d_model", "h", "d_k", "tie", "window"),
    }
