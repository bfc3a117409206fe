"""What the map of one head shows in place of weights: its cells, its words, and why some cannot be had."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from attention_core.language import shipped
from attention_core.models import text_model
from tests.attention_core.models import small_folders
from tests.visualiser.upload.test_weights import TOKENS, npz, weights
from visualiser.figures.plots.head_map import head_map
from visualiser.figures.shown_map import SHOWS, of_rest
from visualiser.held import new_name
from visualiser.locale import LANGUAGES, text
from visualiser.locale.message import write_all
from visualiser.models import HELD, HeldModel, unmeasured
from visualiser.models.file_weights import read_file
from visualiser.pages.model import MOST_TOKENS, other_maps, price, reading, sentences
from visualiser.pages.model.live import _values
from visualiser.server.live.page_request import PageRequest
from visualiser.state.view import View

NORMS = {"shows": "norms"}


def request(upload: bytes = b"", **settings: Any) -> PageRequest:
    query = "&".join(f"{name}={value}" for name, value in {"page": "model", **settings}.items())
    return PageRequest(query, None, frozenset(), upload, str(settings.get("lang", "en")), "light", 0, "", {}, "model")


def read(**settings: Any) -> reading.Read:
    return reading.read(request(**settings))


def norms(found: reading.Read) -> np.ndarray:
    """Return the norm of what the head adds for each key, from the model's parameters."""
    shown = found.shown
    V = shown.attention.V
    assert V is not None
    W_O = shipped(2).model.parameters[f"W_O/{shown.layer}"].double().numpy()[16 * shown.head - 16 : 16 * shown.head]
    return np.linalg.norm(V[shown.head - 1].double().numpy() @ W_O, axis=-1)


def cells(found: reading.Read, **view: Any) -> np.ndarray:
    return np.asarray(head_map.drawing(found.shown, View(**view)).data[0]["z"])


@pytest.mark.parametrize("settings", [{"layer": 2, "head": 1}, {"layer": 1, "head": 3, "row": 4}, {"text": "Ben"}])
def test_each_weight_is_multiplied_by_the_norm_of_what_is_read(settings: dict[str, Any]) -> None:
    found = read(**NORMS, **settings)
    weights = found.shown.attention.weights[found.shown.head - 1].double().numpy()
    below = np.tri(len(weights), dtype=bool)
    true = np.where(below, weights * norms(found), np.nan)
    np.testing.assert_allclose(cells(found), true, rtol=1e-5, atol=1e-30)
    np.testing.assert_allclose(10 ** cells(found, colour="log"), true, rtol=1e-4, atol=1e-11)
    assert not found.notices


def layers_of(found: reading.Read) -> list[np.ndarray]:
    return [one.weights.double().numpy() for one in found.shown.run.layers]


@pytest.mark.parametrize("settings", [{"layer": 2, "head": 1}, {"layer": 1, "head": 2, "changes": "mute@1.2"}])
def test_without_the_first_position_a_row_is_divided_by_what_is_left(settings: dict[str, Any]) -> None:
    found = read(shows="without_first", **settings)
    weights = layers_of(found)[found.shown.layer - 1][found.shown.head - 1]
    left = weights[:, 1:].sum(-1)
    true = np.full_like(weights, np.nan)
    for row in np.flatnonzero(left):
        true[row, : row + 1] = weights[row, : row + 1] / left[row]
        true[row, 0] = 0
    np.testing.assert_allclose(cells(found), true, rtol=1e-5, atol=1e-30)
    (empty,) = [one for one in sentences.insight(found.shown, found.model, None) if one.key == "model.rows_empty"]
    assert empty.facts["count"] == (left == 0).sum() == (len(weights) if "changes" in settings else 1)


def test_padding_on_the_left_is_no_first_position() -> None:
    found = read(shows="without_first", layer=2, head=1)
    shown = found.shown
    line, layer = shown.run.lines[0], shown.attention
    padded = layer.scores.clone()
    padded[:, :, :3] = -torch.inf
    weights = torch.where(padded.isneginf(), 0, padded.double().softmax(-1)).nan_to_num().float()
    run = replace(
        shown.run,
        lines=(replace(line, begins=3),),
        layers=(shown.run.layers[0], replace(layer, scores=padded, weights=weights)),
    )
    made = of_rest(replace(shown, run=run))
    rest = weights[0, 5, 4:6].double()
    np.testing.assert_allclose(made.cells[5, 3:6], [0, *(rest / rest.sum())], rtol=1e-5)
    assert np.isnan(made.cells[5, :3]).all()
    assert np.isnan(made.cells[3]).all()  # it reads the first position of the text alone


def test_the_mean_of_the_heads_of_a_layer() -> None:
    found = read(shows="mean", layer=2, head=3)
    mean = layers_of(found)[1].mean(0)
    np.testing.assert_allclose(cells(found), np.where(np.tri(len(mean), dtype=bool), mean, np.nan), rtol=1e-5)


@pytest.mark.parametrize("layer", [1, 2])
def test_rollout_up_to_the_chosen_layer(layer: int) -> None:
    found = read(shows="rollout", layer=layer, head=3)
    n = len(found.shown.run.tokens)
    true = np.eye(n)
    for one in layers_of(found)[:layer]:
        true = (one.mean(0) + np.eye(n)) / 2 @ true
    np.testing.assert_allclose(cells(found), np.where(np.tri(n, dtype=bool), true, np.nan), rtol=1e-4, atol=1e-9)


@pytest.mark.parametrize("shows", SHOWS[1:])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_map_names_itself_in_words_in_its_table_and_beside_its_colours(shows: str, lang: str) -> None:
    found = read(shows=shows, layer=2, head=1, row=12, lang=lang)
    shown, view = found.shown, View(lang=lang)
    assert found.notices == ()
    name = text(lang, f"figure.shows.{shows}")
    table, row = head_map.table(shown, view), np.asarray(cells(found))[12, :13]
    np.testing.assert_array_equal(table.columns[-1].values, row)
    assert table.columns[-1].label == name
    assert head_map.drawing(shown, view).layout["coloraxis"]["colorbar"]["title"]["text"].startswith(name[:3])
    first, *_ = head_map.sentence(shown, view)
    assert first.facts["value"] == pytest.approx(float(row.max()))
    assert write_all(head_map.brief(shown, view), lang) != []
    made = table.columns[-1].made
    assert made is not None
    assert write_all([made(5) or first], lang)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_words_say_which_key_has_most_and_that_rows_are_no_shares(lang: str) -> None:
    found = read(**NORMS, layer=2, head=1, lang=lang)
    shown = found.shown
    row = shown.attention.weights[0, shown.row].double().numpy() * norms(found)
    (said,) = [one for one in sentences.insight(shown, found.model, None) if "shows" in one.key]
    assert said.key == "model.shows.norms"
    assert said.facts["key"] == shown.said_key(int(row.argmax()))
    assert said.facts["value"] == pytest.approx(row.max(), rel=1e-5)
    assert write_all(head_map.sentence(shown, View(lang=lang)), lang) == write_all([said], lang)
    assert text(lang, "figure.shows.norms") in write_all([said], lang)[0]
    assert head_map.drawing(shown, View(lang=lang)).layout["coloraxis"]["colorbar"]["title"]["text"]


def test_the_table_has_the_weight_the_norm_and_their_product() -> None:
    found = read(**NORMS, layer=2, head=1, row=12)
    columns = {one.label: np.asarray(one.values) for one in head_map.table(found.shown, View()).columns}
    np.testing.assert_allclose(columns["‖W_O v‖"], norms(found)[:13], rtol=1e-5)
    np.testing.assert_allclose(columns["‖W_O v‖·p"], columns["weight"] * columns["‖W_O v‖"], rtol=1e-6)


def test_the_script_has_the_same_cells_and_the_weights_beside_them() -> None:
    found = read(**NORMS, layer=2, head=2)
    values = _values(found)
    np.testing.assert_array_equal(values["mapped"], cells(found))
    np.testing.assert_array_equal(values["weights"], cells(read(layer=2, head=2)))
    assert values["shows"] == "norms"


def test_weights_are_shown_without_anything_else() -> None:
    found = read(layer=2, head=2)
    assert found.shown.mapped is None
    assert (_values(found)["shows"], _values(found)["mapped"]) == ("weights", None)


def test_a_question_that_the_map_answers_hides_it() -> None:
    values = _values(read(**NORMS, predict="true", question="model_key"))
    assert (values["shows"], values["mapped"]) == ("weights", None)


@pytest.mark.parametrize("change", ["mute@2.1", "mean@2.1"])
def test_a_head_that_adds_the_same_whatever_it_reads_shows_weights(change: str) -> None:
    found = read(**NORMS, layer=2, head=1, changes=change)
    assert found.shown.mapped is None
    assert text("en", "error.norms_decided", head="2.1") in found.notices
    assert read(**NORMS, layer=2, head=1, changes="uniform@2.1").shown.mapped is not None


@pytest.mark.parametrize("shows", SHOWS[2:])
def test_weights_alone_have_every_map_of_weights(shows: str) -> None:
    W = weights(3, 2)
    file = read_file("a.npz", npz(weights=W, tokens=np.array(TOKENS)), MOST_TOKENS)
    found = reading.read(request(file.file, model=file.name, shows=shows, layer=2, head=2))
    assert found.shown.mapped is not None
    if shows == "mean":
        np.testing.assert_allclose(cells(found), np.where(W[1].any(0), W[1].mean(0), np.nan), rtol=1e-5)


def test_weights_alone_have_no_norms() -> None:
    file = read_file("a.npz", npz(weights=weights(3, 2), tokens=np.array(TOKENS)), MOST_TOKENS)
    found = reading.read(request(file.file, model=file.name, **NORMS))
    assert found.shown.mapped is None
    assert found.notices == (text("en", "error.norms_unread", value=found.shown.attention.name),)


@pytest.mark.slow
def test_a_model_of_a_folder_has_the_norms_of_its_own_projections() -> None:
    model = text_model(small_folders.MODELS["bert"](), small_folders.word_pieces(), "bert")
    name = new_name("bert")
    HELD.put(name, HeldModel(model, unmeasured(model), fixed=False))
    found = read(**NORMS, model=name, text="The+keys+to+the+cabinet", layer=2, head=2)
    shown = found.shown
    V, W_O = shown.attention.V, model.model.bert.encoder.layer[1].attention.output.dense.weight.detach()  # type: ignore[attr-defined]
    assert V is not None
    d_v = V.shape[-1]
    added = V[1].double() @ W_O[:, d_v : 2 * d_v].T.double()
    np.testing.assert_allclose(cells(found), shown.weights * added.norm(dim=-1).numpy(), rtol=1e-3)


def test_rollout_is_refused_for_a_layer_that_reads_another_line() -> None:
    found = read(layer=2, head=1)
    run = found.shown.run
    crossing = replace(run, lines=(run.lines[0], run.lines[0]), between=((0, 0), (1, 0)))
    notices: list[str] = []
    state = replace(found.state, own={**found.state.own, "shows": "rollout"})
    assert other_maps.asked(replace(found.shown, run=crossing), state, notices) is None
    assert notices == [text("en", "error.rollout_lines", value=2)]
    first = replace(found.shown, run=crossing, layer=1)
    assert other_maps.asked(first, state, notices) is not None  # only the layers up to the chosen one count


@pytest.mark.parametrize("shows", SHOWS[2:])
def test_the_price_grows_little_by_maps_of_weights(shows: str) -> None:
    as_weights, other = (price.frame(request(shows=one, layer=2)) for one in ("weights", shows))
    assert as_weights.multiply_adds < other.multiply_adds
    assert as_weights.seconds < other.seconds < as_weights.seconds + 0.01


def test_the_price_grows_by_the_projection() -> None:
    as_weights, as_norms = (price.frame(request(shows=one)) for one in ("weights", "norms"))
    assert as_norms.multiply_adds - as_weights.multiply_adds == pytest.approx(64**3, rel=0.1)
    assert as_weights.seconds < as_norms.seconds < as_weights.seconds + 0.01
