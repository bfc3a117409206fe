"""The Anatomy page: Figure 2 drawn with this configuration's shapes, and one query walked through it."""

from typing import Any, Final

import gradio as gr

from visualiser.pages import elements
from visualiser.pages.anatomy import FIGURES
from visualiser.pages.elements import Control, check_box, explanation, place, radio, slider
from visualiser.pages.labels import label
from visualiser.pages.uses import unused_controls
from visualiser.reasons.tensors import TENSORS
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
    "anatomy_trained": {
        "source": "model",
        "text": "Anna , Ben , Anna",
        "layer": 2,
        "step": "weights",
    },
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

NOT_AT_FIRST = unused_controls(PAGE)
"""Controls without a meaning in the default state; the script shows them when they have one."""

SLIDERS = ("d_k", "n")
"""Controls with a logarithmic slider of our own."""


def build(demo: gr.Blocks) -> None:
    """Lay the page out inside `demo` and wire it."""
    banner = elements.banner()
    place("insight")
    with elements.figures_beside(PAGE, banner, _controls) as components:
        for figure in FIGURES:
            elements.figure(figure)
        place("predict")
        place("take-away")
    elements.wire(demo, PAGE, components, settings())


def _classes(name: str) -> str | None:
    return "not-now" if name in NOT_AT_FIRST else None


def _controls() -> dict[str, Control]:
    found = elements.computed_controls(PAGE, _classes)
    found["layer"] = slider(PAGE, "layer")
    found["text"] = elements.text_box(PAGE, 1, 4)
    place("control-n", _classes("n"))
    with elements.folded_controls():
        found["tie"] = check_box(PAGE, "tie")
        found["d_model"] = slider(PAGE, "d_model")
        found["split"] = radio(PAGE, "split", "segments")
        found["positions"] = check_box(PAGE, "positions")
        found["seed"], _ = elements.seed()
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
        found["qk_norm"] = check_box(PAGE, "qk_norm")
        found["log_n"] = check_box(PAGE, "log_n")
        found["softcap"] = slider(PAGE, "softcap")
        explanation("walk")
    return found


def settings() -> dict[str, Any]:
    """Return the settings that only this page's script needs."""
    return {
        "formulas": {name: (each.formula, each.section) for name, each in TENSORS.items()},
        "places": ("insight", "predict", "take-away", "menus", "more", *(f"control-{name}" for name in SLIDERS)),
        "scales": elements.scales(PAGE, SLIDERS),
        "presets": PRESETS,
        "mostLayers": parameters.bounds(PAGE)["layer"].maximum,
        "colours": {"signed": DIVERGING, "weights": WEIGHTS},
        # Sizes that fit one screen here say nothing about the pages that draw a thousand times as many numbers.
        "leaves": ("n", "d_model", "h", "d_k", "tie", "window"),
    }
