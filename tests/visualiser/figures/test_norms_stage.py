"""The stage of Explore's maps that has weights times the norms of what is read."""

from dataclasses import replace

import numpy as np
import pytest

from attention_core import AttentionConfig, AttentionResult, compute, draw_inputs
from visualiser.drawing.cells import stage_of
from visualiser.figures.plots.heat_maps import heat_maps
from visualiser.locale import LANGUAGES, text
from visualiser.locale.message import write_all
from visualiser.pages.explore import frame, price
from visualiser.server.live.page_request import PageRequest
from visualiser.state.view import View

CONFIG = AttentionConfig(n=7, h=3, d_k=5, d_model=15, mask="causal", seed=3)


def found(*, projects: bool) -> AttentionResult:
    inputs = draw_inputs(CONFIG)
    return compute(CONFIG, inputs if projects else replace(inputs, W_O=None))


def norms(*, projects: bool) -> np.ndarray:
    inputs = draw_inputs(CONFIG)
    assert inputs.W_O is not None
    V = inputs.V.double().numpy()
    return np.linalg.norm(V @ inputs.W_O.double().numpy().reshape(3, 5, -1) if projects else V, axis=-1)


def request(**settings: object) -> PageRequest:
    link = "&".join(f"{name}={value}" for name, value in {"page": "explore", **settings}.items())
    return PageRequest(link, None, frozenset(), b"", "en", "light", 0, "", {}, "explore")


@pytest.mark.parametrize("projects", [True, False])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_weight_times_the_norm_of_what_is_read(projects: bool, lang: str) -> None:
    result, view = found(projects=projects), View(stage="norms", lang=lang)
    drawn = heat_maps.drawing(result, view)
    true = result.weights.double().numpy() * norms(projects=projects)[:, None]
    below = np.tri(7, dtype=bool)
    for head in range(3):
        np.testing.assert_allclose(drawn.data[head]["z"], np.where(below, true[head], np.nan), rtol=1e-5)
    assert drawn.layout["coloraxis"]["cmin"] == 0
    name = text(lang, "figure.stage.norms" if projects else "figure.stage.norms_of_values")
    assert drawn.layout["coloraxis"]["colorbar"]["title"]["text"] == name
    said = [one.key for one in heat_maps.sentence(result, view)]
    assert ("table.heat_maps.norms" if projects else "table.heat_maps.norms_of_values") in said
    assert write_all(heat_maps.sentence(result, view), lang)


@pytest.mark.parametrize("projects", [True, False])
def test_the_tables_have_the_product_and_its_terms(projects: bool) -> None:
    result = found(projects=projects)
    true = result.weights.double().numpy() * norms(projects=projects)[:, None]
    largest = heat_maps.table(result, View(stage="norms"))
    values = next(one for one in largest.columns if one.label == text("en", "table.largest_value"))
    np.testing.assert_allclose(np.asarray(values.values), true.max((1, 2)), rtol=1e-5)
    assert values.made is not None
    assert write_all([one for head in range(3) if (one := values.made(head))], "en")
    row = heat_maps.table(result, View(stage="norms", row=4, head=2)).columns[-1]
    np.testing.assert_allclose(np.asarray(row.values)[:5], true[1, 4, :5], rtol=1e-5)
    assert row.kind == ("weighted_norm" if projects else "weighted_value")
    made = {one.label: one.made for one in heat_maps.table(result, View(stage="norms", row=4, head=2)).columns}
    score = made[text("en", "table.score")]
    assert score is not None
    assert (said := score(2)) is not None
    assert said.key == "reason.made.scaled.dot_product"
    assert heat_maps.table(result, View(row=4, head=2)).columns[-1].kind == "weight"


def test_the_row_under_the_pointer_has_the_same_numbers() -> None:
    asked = request(stage="norms", n=7, h=3, d_model=15, mask="causal", seed=3)
    state = asked.reading.state
    result = frame.result_of(state, b"")
    answer = b"".join(frame.row(replace(asked, extra={"row": 4})))
    assert np.asarray(stage_of(result, "norms")[:, 4].float()).tobytes() in answer


def test_the_price_grows_by_the_norms() -> None:
    weights, other = (price.frame(request(stage=stage)) for stage in ("weights", "norms"))
    assert weights.multiply_adds < other.multiply_adds
    assert weights.seconds < other.seconds < weights.seconds + 0.05
