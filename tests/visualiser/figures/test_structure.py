"""numpy values are data, Python values are structure: a slider moves only numpy values, and the rest stays equal."""

import inspect
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from tests.signatures import defaults
from visualiser import figures
from visualiser.drawing.drawing import Drawing
from visualiser.figures import compare, entropy, gradient, heat_maps, jacobian, row_weights, score_distribution
from visualiser.locale import texts
from visualiser.state.view import View

FIGURES: dict[str, figures.Figure[Any, ...]] = {
    "heat_maps": heat_maps,
    "score_distribution": score_distribution,
    "entropy": entropy,
    "gradient": gradient,
    "jacobian": jacobian,
    "row_weights": row_weights,
    "compare": compare,
}
VIEWS = [
    View(),
    View(row=3),
    View(head=2, row=3),
    View(colour="log"),
    View(colour_range="full"),
    View(colour_range="per_head"),
    View(columns=2, theme="dark", lang="ko"),
]


def drawing(name: str, result, view: View) -> Drawing:
    return FIGURES[name].draw(result, result, view) if name == "compare" else FIGURES[name].draw(result, view)


def structure(value: Any) -> Any:
    """Replace every numpy array and scalar by a placeholder, and check that the rest is plain Python."""
    if isinstance(value, (np.ndarray, np.generic)):
        return "numpy"
    if isinstance(value, dict):
        return {key: structure(item) for key, item in value.items()}
    if isinstance(value, list):
        return [structure(item) for item in value]
    assert value is None or isinstance(value, (str, int, float, bool)), type(value)
    return value


@pytest.mark.night(but=24)
@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("mask", ["none", "causal"])
def test_d_k_and_seed_change_numpy_values_only(name, view, mask, result):
    one = drawing(name, result(d_k=2, seed=0, mask=mask), view)
    other = drawing(name, result(d_k=509, scaling="none", seed=1, mask=mask), view)
    assert structure(one.data) == structure(other.data)
    assert structure(one.layout) == structure(other.layout)


@pytest.mark.parametrize("name", ["score_distribution", "entropy", "gradient"])
def test_locking_a_row_keeps_every_trace(name, result):
    free, locked = (drawing(name, result(), view) for view in (View(), View(row=3)))
    assert [trace["type"] for trace in free.data] == [trace["type"] for trace in locked.data]
    assert [trace["meta"] for trace in free.data] == [trace["meta"] for trace in locked.data]


@pytest.mark.night(but=49)
@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize(
    "settings",
    [
        {"n": 1},
        {"mask": "window", "window": 1},
        *(pytest.param(one, marks=pytest.mark.slow) for one in ({}, {"n": 2, "h": 1})),
    ],
)
def test_plotly_accepts_every_drawing(name, view, settings, result):
    one = result(**settings)
    figure = FIGURES[name](one, one, view) if name == "compare" else FIGURES[name](one, view)
    assert len(list(figure.data)) == len(drawing(name, one, view).data)
    assert figure.layout.template.layout.font.size
    assert figure.to_json()


@pytest.mark.parametrize("name", FIGURES)
def test_a_drawing_has_no_template_and_its_figure_has_the_theme_of_the_view(name, result):
    one = result()
    assert "template" not in drawing(name, one, View()).layout
    view = View(theme="dark")
    figure = FIGURES[name](one, one, view) if name == "compare" else FIGURES[name](one, view)
    assert figure.layout.template.layout.paper_bgcolor == "#0f172a"


@pytest.mark.parametrize("name", FIGURES)
def test_a_drawing_is_called_as_its_figure(name, result):
    """The page finds its place by this name; a comparison stands in the place of the maps."""
    assert drawing(name, result(), View()).name == {"compare": "heat-maps"}.get(name, name.replace("_", "-"))


@pytest.mark.parametrize("name", FIGURES)
def test_each_figure_says_how_it_can_mislead(name):
    module = sys.modules[FIGURES[name].draw.__module__]
    assert "How this can mislead:" in (inspect.getdoc(module) or "")
    assert "How this can mislead:" in texts("en")[f"figure.{name}.hint"]
    assert "오해하기 쉬운 점:" in texts("ko")[f"figure.{name}.hint"]
    assert texts("en")[f"figure.{name}.title"]


def test_a_notebook_s_figures_are_english_and_wide_if_nothing_is_said():
    of_heads = (
        "factor_curve",
        "head_entropy",
        "head_map",
        "head_picture",
        "head_row",
        "head_scatter",
        "head_scores",
        "head_writes",
        "layer_entropies",
        "model_heads",
        "model_says",
        "moved_heads",
        "picture_reads",
        "reads_by_layer",
        "why_key",
    )
    of_results = (*FIGURES, "mechanism_maps", "mechanism_scores", *of_heads)
    assert {name: left_out for name, left_out in defaults(figures).items() if name not in ("Figure", "strips")} == {
        name: {"view": None} if name in of_results else {"lang": "en", "view": None}
        for name in figures.FIGURES
        if name != "strips"
    }
    assert defaults(figures)["strips"] == {"head": 1, "lang": "en", "view": None, "first": 0, "stop": None}


@pytest.mark.slow
def test_figures_import_no_gradio():
    modules = "visualiser.figures, visualiser.pages.explore.sentences"
    code = f"import sys, {modules}; sys.exit('gradio' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("view", [View(), View(columns=2)])
def test_the_panels_fill_the_figure_s_width(name, view, result):
    layout = drawing(name, result(), view).layout
    domains = [axis.get("domain", (0, 1)) for key, axis in layout.items() if key.startswith("xaxis")]
    assert (min(domain[0] for domain in domains), max(domain[1] for domain in domains)) == (0, 1)
