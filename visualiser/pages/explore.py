"""The Explore page: every control at the side, every figure beside it, wired by name."""

from typing import Any

import gradio as gr

from attention_core import BOUNDS, CHOICES, AttentionConfig
from visualiser import share
from visualiser.live import script
from visualiser.live.frame import PANELS
from visualiser.live.routes import PREFIX
from visualiser.live.take_away import KINDS
from visualiser.locale import LANGUAGES
from visualiser.pages.labels import label
from visualiser.pages.presets import PRESETS
from visualiser.theme import THEMES, template
from visualiser.upload import FILE_LIMIT
from visualiser.view import MOST_COLUMNS, VIEW_CHOICES, View

NOT_AT_FIRST = {"scale", "window", "text", "split", "positions", "upload"}
"""Controls that mean nothing in the default state; the script shows them when they do."""

FIGURES = ("heat-maps", *PANELS)

Control = gr.Slider | gr.Radio | gr.Checkbox | gr.Number | gr.Textbox

CONTROLS = tuple(
    name for name in share.as_values(share.State(AttentionConfig(), View())) if name not in ("page", "pin")
)
"""The names of the controls, in the order in which their values travel between gradio and the page's script."""


def build(demo: gr.Blocks) -> None:
    """Lays the page out inside `demo` and wires it."""
    components: dict[str, Control] = {}
    with gr.Row(elem_id="banner"):
        _html("masthead")
        components["lang"] = gr.Radio(
            [("English", "en"), ("한국어", "ko")],
            value="en",
            label=label("control.lang.label"),
            elem_id="control-lang",
            interactive=True,
            min_width=160,
            scale=0,
        )
    _html("message")
    with gr.Row(elem_id="presets"):
        presets = {
            name: gr.Button(label(f"preset.{name}"), size="sm", elem_id=f"preset-{name}", min_width=60)
            for name in PRESETS
        }
        reset = gr.Button(label("page.reset"), size="sm", variant="secondary", elem_id="reset", min_width=60)
    with gr.Row(elem_id="explore", equal_height=False):
        with gr.Column(scale=0, min_width=320, elem_id="controls"):
            components |= _controls()
        with gr.Column(scale=1, min_width=320, elem_id="figures"):
            _html("insight")
            with gr.Row(elem_id="stage-row"):
                components["stage"] = _radio("stage")
                pin = gr.Button(label("page.pin"), size="sm", elem_id="pin", min_width=90, scale=0)
            for name in FIGURES:
                _html(f"figure-{name}")
            _html("take-away")
    _wire(demo, components, presets, reset, pin)


def _html(name: str) -> gr.HTML:
    """An element that the page's script fills; until then it holds the place of what comes."""
    return gr.HTML(
        "",
        html_template="<div></div>",
        js_on_load=script.mount(name),
        elem_id=name,
        elem_classes="figure-place" if name.startswith("figure-") else _classes(name),
        apply_default_css=False,
        padding=False,
    )


def _classes(name: str) -> str | None:
    return "not-now" if name in NOT_AT_FIRST else None


def _controls() -> dict[str, Control]:
    found: dict[str, Control] = {}
    with gr.Accordion(label("group.attention"), open=True, elem_id="group-attention"):
        found["d_k"] = _slider("d_k")
        found["h"] = _slider("h")
        found["scaling"] = _radio("scaling")
        found["scale"] = _slider("scale")
        found["mechanism"] = _radio("mechanism")
        found["tie"] = gr.Checkbox(True, label=label("control.tie.label"), elem_id="control-tie", interactive=True)
        found["d_model"] = _slider("d_model")
        _html("arithmetic")
        _explained("attention")
    with gr.Accordion(label("group.input"), open=True, elem_id="group-input"):
        found["source"] = _radio("source", share.OFFERED["source"])
        found["n"] = _slider("n")
        found["text"] = gr.Textbox(
            AttentionConfig().text,
            label=label("control.text.label"),
            lines=2,
            max_lines=6,
            elem_id="control-text",
            elem_classes=_classes("text"),
            interactive=True,
        )
        found["split"] = _radio("split")
        found["positions"] = gr.Checkbox(
            False,
            label=label("control.positions.label"),
            elem_id="control-positions",
            elem_classes=_classes("positions"),
            interactive=True,
        )
        _html("upload")
        with gr.Row(elem_id="seed-row"):
            found["seed"] = gr.Number(
                0,
                precision=0,
                minimum=0,
                maximum=BOUNDS["seed"].maximum,
                label=label("control.seed.label"),
                elem_id="control-seed",
                interactive=True,
                min_width=110,
            )
            new_draw = gr.Button(label("page.new_draw"), size="sm", elem_id="new-draw", min_width=90)
        _explained("input")
    with gr.Accordion(label("group.mask"), open=True, elem_id="group-mask"):
        found["mask"] = _radio("mask")
        found["window"] = _slider("window")
        _explained("mask")
    with gr.Accordion(label("group.view"), open=True, elem_id="group-view"):
        found["colour"] = _radio("colour", VIEW_CHOICES["colour"])
        found["colour_range"] = _radio("colour_range", VIEW_CHOICES["colour_range"])
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
        found["dtype"] = _radio("dtype")
        _explained("view")
    new_draw.click(None, None, None, js=script.call("newDraw"), api_visibility="private")
    return found


def _slider(name: str) -> gr.Slider:
    bound = BOUNDS[name]
    return gr.Slider(
        bound.minimum,
        bound.maximum,
        bound.default,
        step=bound.step,
        label=label(f"control.{name}.label"),
        elem_id=f"control-{name}",
        elem_classes=_classes(name),
        interactive=True,
    )


def _radio(name: str, choices: tuple[str, ...] | None = None) -> gr.Radio:
    choices = choices or CHOICES[name]
    default = getattr(AttentionConfig(), name, None) or getattr(View(), name)
    return gr.Radio(
        [(label(f"choice.{name}.{choice}"), choice) for choice in choices],
        value=default,
        label=label(f"control.{name}.label"),
        elem_id=f"control-{name}",
        elem_classes=_classes(name),
        interactive=True,
    )


def _explained(group: str) -> None:
    with gr.Accordion(label("page.explain"), open=False, elem_id=f"explain-{group}", elem_classes="explain"):
        gr.Markdown(label(f"explain.{group}"))


def _wire(
    demo: gr.Blocks, components: dict[str, Control], presets: dict[str, gr.Button], reset: gr.Button, pin: gr.Button
) -> None:
    """Every event runs in the browser: the script asks the routes; `messenger` gives the controls their values."""
    ordered = [components[name] for name in CONTROLS]
    for name, component in components.items():
        if isinstance(component, gr.Slider):
            continue  # heard at its own element: through gradio a drag would wait a frame longer
        # gradio's `input` of a box says nothing of a paste or a cut; its `change` does, and the script ignores its own.
        event = component.change if isinstance(component, gr.Textbox | gr.Number) else component.input
        event(None, component, None, js=script.call("changed", name), trigger_mode="multiple", api_visibility="private")
    for name, button in presets.items():
        button.click(None, None, None, js=script.call("preset", name), api_visibility="private")
    reset.click(None, None, None, js=script.call("reset"), api_visibility="private")
    pin.click(None, None, None, js=script.call("togglePin"), api_visibility="private")
    # The script raises "change" on this element whenever it, and not the visitor, moved the controls.
    messenger = gr.HTML(
        "",
        html_template="<div></div>",
        js_on_load=script.mount("messenger"),
        elem_id="messenger",
        apply_default_css=False,
        padding=False,
    )
    messenger.change(
        None,
        None,
        ordered,
        js="async () => (await window.headlight).controlValues()",
        trigger_mode="always_last",
        api_visibility="private",
    )
    demo.load(None, None, ordered, js=script.start(settings()), api_visibility="private")


def settings() -> dict[str, Any]:
    """What the page's script has to know from Python, as JSON."""
    return {
        "prefix": PREFIX.lstrip("/"),
        "plotly": f"{script.BASE}/assets/{script.assets.plotly_version()}/plotly.min.js",
        "locales": {lang: script.address(f"locales/{lang}.json") for lang in LANGUAGES},
        "controls": CONTROLS,
        "defaults": share.as_values(share.State(AttentionConfig(), View())),
        "figures": FIGURES,
        "templates": {theme: template(theme) for theme in THEMES},
        "presets": PRESETS,
        "takeAway": [kind for kind in KINDS if kind != "figure"],
        "seedMaximum": BOUNDS["seed"].maximum,
        "uploadLimit": FILE_LIMIT,
    }
