"""The parts of every page: places for the script to fill, controls by name, the banner, the wiring."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import gradio as gr

from attention_core import AttentionConfig
from visualiser import models
from visualiser.export import versions
from visualiser.locale import LANGUAGES, text, texts
from visualiser.pages.labels import label
from visualiser.pages.uses import uses
from visualiser.reasons.kinds import SECTIONS
from visualiser.server import settings
from visualiser.server.http import script
from visualiser.server.http.addresses import PREFIX
from visualiser.state import names, parameters, share
from visualiser.state.link_values import offered
from visualiser.state.rules import Named
from visualiser.theme import ON_PAPER, THEMES, template

Control = gr.Slider | gr.Radio | gr.Dropdown | gr.CheckboxGroup | gr.Checkbox | gr.Number | gr.Textbox


def place(name: str, classes: str | None = None) -> gr.HTML:
    """Return an element that the page's script fills; until then it reserves the space."""
    return gr.HTML(
        "",
        html_template="<div></div>",
        js_on_load=script.mount(name),
        elem_id=name,
        elem_classes="figure-place" if name.startswith("figure-") else classes,
        apply_default_css=False,
        padding=False,
    )


def figure(shown: Named) -> gr.HTML:
    """Return the place of a figure."""
    return place(f"figure-{shown.name}")


def painter_settings(figures: Iterable[Named]) -> dict[str, tuple[str, ...]]:
    """Return the settings that tell a page's script which figures it paints as cells and which as charts."""
    found = {
        key: tuple(each.name for each in figures if each.painter == painter)
        for key, painter in (("cells", "cells"), ("charts", "chart"))
    }
    return {key: names for key, names in found.items() if names}


def slider(page: str, name: str, classes: str | None = None) -> gr.Slider:
    """Return a slider within this page's bounds of `name`."""
    bound = parameters.bounds(page)[name]
    value = parameters.own(page)[name].default if name in parameters.own(page) else bound.default
    return gr.Slider(
        bound.minimum,
        bound.maximum,
        value,
        step=bound.step,
        label=label(f"control.{name}.label"),
        elem_id=f"control-{name}",
        elem_classes=classes,
        interactive=True,
    )


def number(page: str, name: str) -> gr.Number:
    """Return a box for a number within this page's bounds of `name`."""
    bound = parameters.bounds(page)[name]
    return gr.Number(
        parameters.own(page)[name].default,
        minimum=bound.minimum,
        maximum=bound.maximum,
        step=bound.step,
        label=label(f"control.{name}.label"),
        elem_id=f"control-{name}",
        interactive=True,
    )


def radio(page: str, name: str, classes: str | None = None, info: str | None = None) -> gr.Radio:
    """Return radio buttons for this page's choices of `name`; `info` is the key of a line below the name."""
    return gr.Radio(
        [(label(f"choice.{name}.{choice}"), choice) for choice in offered(page, name)],
        value=share.as_values(share.beginning(page))[name],
        label=label(f"control.{name}.label"),
        info=info and label(info),
        elem_id=f"control-{name}",
        elem_classes=classes,
        interactive=True,
    )


MOST_SEGMENTS = 7
"""More choices than these are a list that opens."""
LONGEST_SEGMENT = 20
"""So are names of more letters."""


def model(page: str, classes: str, names: Sequence[str] | None = None) -> gr.Radio | gr.Dropdown:
    """Return the choice of a trained model: those that ship have a name in each language, others their own.

    `names` are those that are on this machine, unless the page has a list of its own for the others; a list that opens
    has all. A model that comes later is named by a link.
    """
    known, there = texts(LANGUAGES[0]), models.here() if names is None else names
    short = len(there) <= MOST_SEGMENTS and all(len(name) <= LONGEST_SEGMENT for name in there)
    if not short and names is None:
        there = models.offered()
    choices = [(label(key) if (key := f"choice.model.{name}") in known else name, name) for name in there]
    made = gr.Radio if short else gr.Dropdown
    return made(
        choices,
        value=AttentionConfig().model,
        label=label("control.model.label"),
        elem_id="control-model",
        elem_classes=f"segments {classes}" if made is gr.Radio else classes,
        interactive=True,
    )


def check_boxes(page: str, name: str, classes: str | None = None) -> gr.CheckboxGroup:
    """Return check boxes for a parameter that takes several of its choices."""
    own = parameters.own(page)[name]
    return gr.CheckboxGroup(
        [(label(f"choice.{name}.{choice}"), choice) for choice in own.choices],
        value=list(own.default),
        label=label(f"control.{name}.label"),
        elem_id=f"control-{name}",
        elem_classes=classes,
        interactive=True,
    )


def check_box(page: str, name: str, classes: str | None = None) -> gr.Checkbox:
    """Return a check box."""
    own = parameters.own(page).get(name)
    return gr.Checkbox(
        own.default if own else getattr(AttentionConfig(), name),
        label=label(f"control.{name}.label"),
        elem_id=f"control-{name}",
        elem_classes=classes,
        interactive=True,
    )


def text_box(page: str, lines: int, most_lines: int, classes: str | None = None, name: str = "text") -> gr.Textbox:
    """Return the box of the text that is read, or of another one, `lines` high and at most `most_lines`."""
    return gr.Textbox(
        share.as_values(share.beginning(page))[name],
        label=label(f"control.{name}.label"),
        lines=lines,
        max_lines=most_lines,
        elem_id=f"control-{name}",
        elem_classes=classes,
        interactive=True,
    )


def seed() -> tuple[gr.Number, gr.Button]:
    """Return the seed's control and a button that takes another seed."""
    with gr.Row(elem_id="seed-row"):
        number = gr.Number(
            0,
            precision=0,
            minimum=0,
            maximum=parameters.bounds(parameters.EXPLORE)["seed"].maximum,
            label=label("control.seed.label"),
            elem_id="control-seed",
            interactive=True,
            min_width=110,
        )
        button = gr.Button(label("page.new_draw"), size="sm", elem_id="new-draw", min_width=90)
    button.click(None, None, None, js=script.act("controls.pressed", "new_draw"), api_visibility="private")
    return number, button


def explanation(group: str) -> None:
    """Add a short explanation that opens; its first line names the subject."""
    with gr.Accordion(label(f"explained.{group}"), open=False, elem_id=f"explain-{group}", elem_classes="explain"):
        gr.Markdown(label(f"explain.{group}"))


def computed_controls(page: str, classes: Callable[[str], str | None]) -> dict[str, Control]:
    """Add what is computed, and from what: the controls that stand first on a page of one small attention.

    `classes` returns the classes of a control that has no meaning in some states.
    """
    place("control-d_k")
    return {
        "h": slider(page, "h"),
        "scaling": radio(page, "scaling", "segments"),
        "scale": slider(page, "scale", classes("scale")),
        "normalisation": radio(page, "normalisation", "segments"),
        "sink": slider(page, "sink", classes("sink")),
        "mechanism": radio(page, "mechanism", "segments"),
        "mask": radio(page, "mask", "segments"),
        "window": slider(page, "window", classes("window")),
        "source": radio(page, "source", "segments"),
        "model": model(page, "not-now"),
    }


@contextmanager
def folded_controls() -> Iterator[None]:
    """Fold the controls that a class seldom needs: a button unfolds them.

    gradio's accordion would make them when it opens, too late for the script that hears, names and moves them.
    """
    place("more")
    with gr.Column(elem_id="group-more", min_width=0):
        yield


def banner() -> dict[str, Control]:
    """Add name, navigation and language, with the line for messages below."""
    with gr.Row(elem_id="banner"):
        place("masthead")
        place("control-page")
        place("menus")
        place("present")
        lang = gr.Radio(
            [(text(lang, "language.name"), lang) for lang in LANGUAGES],
            value=LANGUAGES[0],
            label=label("control.lang.label"),
            elem_id="control-lang",
            interactive=True,
            min_width=0,
            scale=0,
        )
    place("message")
    return {"lang": lang}


def insight_area() -> None:
    """Add the sentences of a page, and the place of the question that stands there instead."""
    with gr.Column(elem_id="said", min_width=0):
        place("predict")
        place("insight")


def scales(page: str, names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the ends of logarithmic sliders, and whether they take whole numbers alone."""
    bounds = {name: parameters.bounds(page)[name] for name in names}
    return {
        name: {"low": bound.minimum, "high": bound.maximum, "whole": isinstance(bound.step, int)}
        for name, bound in bounds.items()
    }


@contextmanager
def figures_beside(
    page: str, above: Mapping[str, Control], controls: Callable[[], dict[str, Control]]
) -> Iterator[dict[str, Control]]:
    """Lay out two columns: what `controls` makes, and the figures that the caller places inside.

    Yield the controls of the page: those `above` and those made.
    """
    with gr.Row(elem_id=page, elem_classes="page", equal_height=False):
        with gr.Column(scale=0, min_width=320, elem_id="controls"):
            components = {**above, **controls()}
        with gr.Column(scale=1, min_width=320, elem_id="figures"):
            yield components


def controls_of(page: str) -> tuple[str, ...]:
    """Return all control names of this page, in the order in which their values travel to gradio."""
    return tuple(name for name in share.as_values(share.beginning(page)) if name != "pin")


def wire(demo: gr.Blocks, page: str, components: Mapping[str, Control], settings: Mapping[str, Any]) -> None:
    """Wire the page's controls to its script.

    Every event runs in the browser: the script calls the routes; `messenger` gives the controls their values.
    """
    controls = [name for name in controls_of(page) if name in components]
    if unknown := components.keys() - set(controls):
        raise KeyError(f"The page {page} has no parameter {', '.join(sorted(unknown))}.")
    ordered = [components[name] for name in controls]
    texts = [name for name in controls if isinstance(components[name], gr.Textbox)]
    for name, component in components.items():
        if isinstance(component, gr.Slider | gr.Textbox):
            continue  # heard at its own element: through gradio a drag or a letter would wait a frame longer
        # A box's `input` misses pastes and cuts; its `change` does not, and the script ignores its own changes.
        event = component.change if isinstance(component, gr.Number) else component.input
        heard = script.act("controls.heard", name)
        event(None, component, None, js=heard, trigger_mode="multiple", api_visibility="private")
    # The script raises "change" on this element whenever the script, and not the visitor, moved the controls.
    messenger = place("messenger")
    messenger.change(
        None,
        None,
        ordered,
        js="async () => (await window.headlight).controlValues()",
        trigger_mode="always_last",
        api_visibility="private",
    )
    all_settings = {**shared_settings(page), "controls": controls, "texts": texts, **settings}
    demo.load(None, None, ordered, js=script.start(all_settings), api_visibility="private")


def shared_settings(page: str) -> dict[str, Any]:
    """Return the settings that every page's script needs from Python, as JSON."""
    return {
        "page": page,
        "pages": parameters.PAGES,
        "first": parameters.EXPLORE,
        "own": list(parameters.own(page)),
        "figures": parameters.figures(page),
        "parts": names.parts_of(page),
        "unread": parameters.unread(page),
        "lesson": parameters.lesson(page),
        "reach": parameters.reach(),
        "prefix": PREFIX.lstrip("/"),
        "space": settings.space(),
        "plotly": f"{script.BASE}/assets/{script.assets.plotly_version()}/plotly.min.js",
        "unpacking": script.address("offline/unpacking.js"),
        "versions": versions(),
        "locales": {lang: script.address(f"locales/{lang}.json") for lang in LANGUAGES},
        "defaults": share.as_values(share.beginning(page)),
        "templates": {theme: template(theme) for theme in THEMES},
        "paper": ON_PAPER,
        "uses": uses(page),
        "sections": dict(SECTIONS),
        "seedMaximum": parameters.bounds(page)["seed"].maximum,
    }
