"""Changes of a link: one spelling, no text breaks a page, and the model that runs is changed as the link says."""

import random
from typing import Any
from urllib.parse import urlencode

import gradio as gr
import numpy as np
import pytest
import torch

from attention_core import AttentionConfig, InvalidInput
from attention_core.changes import Causal, Factor, Hide, Mean, Mute, Normalise, Replace, Treat, Uniform
from attention_core.language import WORDS
from attention_core.learned import NAMES, Said, SayingModel, corpus_measures, head_measures, shipped_model
from visualiser import models
from visualiser.figures.plots.head_entropy import head_entropy
from visualiser.figures.plots.head_map import head_map
from visualiser.figures.plots.why_key import why_key
from visualiser.locale import LANGUAGES, text
from visualiser.locale.message import message
from visualiser.models import runs
from visualiser.pages.model import MOST_TOKENS, changes, live, price
from visualiser.pages.model.change_kinds import KINDS, Item
from visualiser.pages.model.changed import changed
from visualiser.pages.model.endpoint import model_heads
from visualiser.pages.model.present import figures_of
from visualiser.pages.model.reading import Read, read
from visualiser.pages.model.sentences import insight
from visualiser.server.live.page_request import PageRequest
from visualiser.state import share

TEXT = share.beginning("model").config.text
MODEL = shipped_model("headlight")
RUN = MODEL.run(TEXT)
OUTPUTS = corpus_measures(MODEL).outputs


def asked(written: str, **settings: Any) -> PageRequest:
    query = urlencode({"page": "model", "changes": written, **settings}, errors="surrogatepass")
    return PageRequest(query, None, frozenset(), b"", "en", "light", 0, "", {}, "model")


def shown(written: str, **settings: Any) -> Read:
    return read(asked(written, **settings))


def some_item(chance: random.Random) -> Item:
    """Return any item that the shipped model can run with."""
    name = chance.choice(list(KINDS))
    kind = KINDS[name]
    value: Any = None
    if kind.again:
        value = chance.randint(1, 2), chance.randint(1, 4)
    elif kind.keys:
        value = chance.randrange(20)
    elif kind.ends is not None and isinstance(kind.ends.minimum, float):
        value = chance.choice([kind.ends.minimum, kind.ends.maximum, chance.uniform(kind.ends.minimum, 1e-7), 2.5])
        value = max(value, kind.ends.minimum)
    elif kind.ends is not None and chance.random() < 0.7:
        value = chance.randint(int(kind.ends.minimum), int(kind.ends.maximum))
    layer = chance.randint(1 if kind.one else 0, 2)
    head = chance.randint(1 if kind.one else 0, 4) if layer else 0
    return Item(name, value, layer, head)


@pytest.mark.parametrize("seed", range(40))
def test_a_list_is_read_as_it_was_written(seed: int) -> None:
    chance = random.Random(seed)
    items: dict[tuple[Any, ...], Item] = {}
    for _ in range(chance.randint(0, 20)):
        item = some_item(chance)
        kind = KINDS[item.kind]
        items.setdefault((kind.slot, item.value if kind.keys else None, item.layer, item.head), item)
    listed = tuple(items.values())
    found, notices = changes.read(changes.write(listed), RUN, 1, OUTPUTS, "en")
    assert found == listed
    assert notices == ()
    assert changes.write(found) == changes.write(listed)


@pytest.mark.parametrize("seed", range(60))
def test_whatever_is_written_a_page_is_shown(seed: int) -> None:
    chance = random.Random(seed)
    alphabet = "factormutehidesink:@.,0123456789-+e_<>\"'&%;/ \x00한\ud800"
    written = "".join(chance.choice(alphabet) for _ in range(chance.randint(0, 120)))
    if chance.random() < 0.5:
        parts = [changes.write([some_item(chance)]) for _ in range(6)]
        written = ",".join(part[: chance.randint(1, 12)] + chance.choice(["", "0", "@", "é"]) for part in parts)
    for lang in LANGUAGES:
        found, notices = changes.read(written, RUN, 1, OUTPUTS, lang)
        assert changes.read(changes.write(found), RUN, 1, OUTPUTS, lang) == (found, ())
        assert len(notices) <= 5
        for item in found:
            assert set(changes.write([item])) <= set("abcdefghijklmnopqrstuvwxyz_:@.-+0123456789")
            assert changes.said(item, lang)
    assert 1 <= changes.runs(written) <= 3


def test_a_page_has_no_more_of_a_hostile_text_than_a_short_sentence() -> None:
    found = shown("<script>alert(1)</script>" * 50 + ",mute@1.1")
    assert found.state.own["changes"] == "mute@1.1"
    assert "script" not in share.canonical(found.state)
    (notice,) = found.notices
    assert len(notice) < 150


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ("factor:2.5", Factor(2.5)),
        ("factor:0@2", Factor(0.0, layers={1})),
        ("factor:16@2.3", Factor(16.0, layers={1}, heads={2})),
        ("qk_norm", Treat(qk_norm=True)),
        ("softcap:50@1", Treat(softcap=50.0, layers={0})),
        ("log_n", Treat(log_n=True)),
        ("softmax", Normalise("softmax")),
        ("sink:-1.5", Normalise("sink", -1.5)),
        ("sigmoid@2.1", Normalise("sigmoid", layers={1}, heads={0})),
        ("entmax", Normalise("entmax")),
        ("causal", Causal(True)),
        ("causal:3@1", Causal(True, 3, layers={0})),
        ("full", Causal(False)),
        ("full:4", Causal(False, 4)),
        ("hide:4", Hide(4)),
        ("hide:0@2.2", Hide(0, layers={1}, heads={1})),
        ("mute@1.3", Mute(0, 2)),
        ("uniform@2.4", Uniform(1, 3)),
        ("replace:2.1@1.3", Replace(0, 2, 1, 0)),
    ],
)
def test_each_kind_is_the_change_of_its_name(written: str, made: object) -> None:
    found = changed(AttentionConfig(source="model", text=TEXT), written, "en")
    assert (found.changes, found.notices) == ((made,), ())
    assert changes.write(found.items) == written
    for layer, expected in zip(found.run.layers, MODEL.run(TEXT, changes=[made]).layers, strict=True):  # type: ignore[list-item]
        torch.testing.assert_close(layer.weights, expected.weights)


def test_the_mean_is_that_of_the_heads_output_over_the_corpus() -> None:
    found = changed(AttentionConfig(source="model", text=TEXT), "mean@1.3", "en")
    (made,) = found.changes
    assert isinstance(made, Mean)
    assert (made.layer, made.head, len(made.output)) == (0, 2, 16)
    outputs = OUTPUTS[0]
    assert outputs is not None
    assert made.output == tuple(outputs[2].tolist())


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("factor:2,factor:3", "factor:3"),
        ("factor:2,factor:3@1", "factor:2,factor:3@1"),
        ("mute@1.1,mean@1.1,mute@1.2", "mean@1.1,mute@1.2"),
        ("sink:1,mute@2.1,entmax", "mute@2.1,entmax"),
        ("causal,full:3", "full:3"),
        ("hide:4,hide:5,hide:4", "hide:5,hide:4"),
        ("factor:2,factor:1", ""),
        ("factor:2.50@01.02,,", "factor:2.5@1.2"),
        ("factor:-0", "factor:0"),
    ],
)
def test_a_later_change_takes_the_place_of_what_does_the_same_there(written: str, kept: str) -> None:
    found = shown(written)
    assert found.notices == ()
    assert found.state.own["changes"] == kept


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    ("written", "code", "details"),
    [
        ("loud", "change_unknown", {}),
        ("factor", "change_unknown", {}),
        ("factor:nan", "change_unknown", {}),
        ("factor:17", "out_of_range", {"field": "value", "value": "17.0", "range": "0.0 … 16.0"}),
        ("mute", "change_place", {"change": "mute"}),
        ("mute@2", "change_place", {"change": "mute"}),
        ("mute@3.1", "out_of_range", {"field": "layer", "value": "3", "range": "1 … 2"}),
        ("factor:2@1.5", "out_of_range", {"field": "head", "value": "5", "range": "1 … 4"}),
        ("factor:2@0", "change_unknown", {}),
        ("hide:20", "out_of_range", {"field": "key", "value": "20", "range": "0 … 19"}),
        ("replace:2.9@1.1", "out_of_range", {"field": "head", "value": "9", "range": "1 … 4"}),
        ("softcap:0", "out_of_range", {"field": "value", "value": "0.0", "range": "0.5 … 100.0"}),
    ],
)
def test_what_cannot_be_is_left_out_and_said(written: str, code: str, details: dict[str, Any], lang: str) -> None:
    found = shown(f"{written},mute@1.1", lang=lang)
    assert found.state.own["changes"] == "mute@1.1"
    assert found.notices == (text(lang, "notice.change", value=written, why=text(lang, f"error.{code}", **details)),)
    with pytest.raises(InvalidInput) as refused:
        changes.required(written, RUN, 1, OUTPUTS)
    assert refused.value.code == code


def test_a_list_ends_at_its_most() -> None:
    written = ",".join(f"hide:{key}@{layer}" for layer in (1, 2) for key in range(20))
    found = shown(written)
    assert len(found.changes) == 32
    assert len(found.notices) == 5
    assert found.notices[-1] == text("en", "notice.changes_left_out", count=4)


def test_the_page_shows_the_changed_model_and_keeps_the_one_before() -> None:
    found = shown("mute@1.1", layer=2)
    expected = MODEL.run(TEXT, changes=[Mute(0, 0)])
    torch.testing.assert_close(torch.from_numpy(found.shown.weights), expected.layers[1].weights[0])
    torch.testing.assert_close(found.before.layers[1].weights, RUN.layers[1].weights)
    assert not torch.allclose(expected.layers[1].weights, RUN.layers[1].weights, atol=0.1)
    assert found.changes == (Item("mute", None, 1, 1),)
    alone = shown("", layer=2)
    assert alone.before is alone.shown.run


def test_a_head_without_weights_has_no_measure_of_them_and_is_said_to_be_muted() -> None:
    found = shown("mute@1.1,sigmoid@2.2", over="text")
    here = head_measures(found.shown.run, MODEL.delimiters)
    for name, rows in found.shown.measures.items():
        gone = name != "variance"
        assert bool(rows[0, 0].isnan()) == gone, name
        assert bool(rows[1, 1].isnan()) == gone, name
        assert torch.equal(rows.nan_to_num(-1), here[name].nan_to_num(-1))
    assert found.shown.muted
    assert not found.shown.is_muted(2, 2)
    values = live._values(found)
    assert values["labels"][0] == text("en", "model.label_muted")
    assert "head-entropy" in values["absent"]
    assert [one["written"] for one in values["changes"]] == ["mute@1.1", "sigmoid@2.2"]
    assert [one["said"] for one in values["changes"]] == ["1.1 muted", "weights by sigmoid (head 2.2)"]


@pytest.mark.parametrize(
    ("written", "overruled"),
    [
        ("factor:4@1.2,mute@1.2", [True, False]),
        ("factor:4@1,mute@1.2", [False, False]),
        ("sigmoid@1,entmax", [True, False]),
        ("entmax,sigmoid@1", [False, False]),
        ("hide:1@1.2,uniform@1.2", [False, False]),
        ("hide:1@1.2,replace:2.1@1.2", [True, False]),
        ("factor:4@1.2,mean@1.2", [False, False]),
    ],
)
def test_a_change_that_others_overrule_is_told_apart(written: str, overruled: list[bool]) -> None:
    assert [one["overruled"] for one in live._values(shown(written))["changes"]] == overruled


def test_runs_are_kept_by_their_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    config = AttentionConfig(source="model", text="Anna sees Ben . Anna")
    runs._KEPT.clear()
    plain, muted = models.run(config, 32), models.run(config, 32, changes=(Mute(0, 0),))
    assert models.run(config, 32) is plain
    assert models.run(config, 32, changes=(Mute(0, 0),)) is muted
    assert float(muted.layers[0].weights[0].sum()) == 0
    assert float(plain.layers[0].weights[0].sum()) > 1


def test_each_run_of_the_model_is_priced() -> None:
    config = AttentionConfig(source="model", text=TEXT)
    plain, twice, thrice = (price.run_cost(config, written=one) for one in ("", "mute@1.1", "replace:1.2@1.1"))
    assert plain.multiply_adds < twice.multiply_adds < thrice.multiply_adds
    assert plain.memory < twice.memory < thrice.memory
    assert twice.multiply_adds - plain.multiply_adds == thrice.multiply_adds - twice.multiply_adds


def test_the_endpoint_answers_with_the_changed_model() -> None:
    answer = model_heads(text=TEXT, layer=2, head=1, changes="mute@1.1")
    expected = MODEL.run(TEXT, MOST_TOKENS, [Mute(0, 0)])
    assert answer["weights"] == expected.layers[1].weights[0, -1].tolist()
    assert answer["measures"]["entropy"][0][0] is None
    assert answer["measures"]["variance"][0][0] is not None
    with pytest.raises(gr.Error, match="layer must be between 1 and 2"):
        model_heads(text=TEXT, changes="mute@9.1")


def test_a_muted_head_is_not_asked_about() -> None:
    def posed(written: str, question: str) -> str:
        found = shown(written, predict="true", question=question).posed
        return found.choice.name if found else ""

    assert posed("mute@1.1", "model_key") != "model_key"
    assert posed("mute@1.2", "model_key") == "model_key"
    assert posed("", "model_previous") == "model_previous"
    assert posed("mute@1.2", "model_previous") != "model_previous"


def test_nothing_is_said_of_weights_that_are_not_there() -> None:
    found = shown("mute@1.1")
    view = found.state.view
    said = [one.key for figure in figures_of(found.shown) for one in figure.sentence(found.shown, view)]
    assert said.count("table.head_row.nothing") == 2
    assert not {"table.head_map.summary", "table.head_row.summary", "table.head_entropy.summary"} & set(said)
    told = [one.key for one in insight(found.shown, found.model, found.footnote, found.changes)]
    assert told.count("model.muted") == 1
    assert "model.reads" not in told
    assert "model.footnote" not in told
    assert "model.changed" in told
    unread = shown("hide:0", row=0)
    assert [one.key for one in head_map.sentence(unread.shown, view)] == ["table.head_row.nothing"]
    plain = shown("")
    assert "model.changed" not in [one.key for one in insight(plain.shown, plain.model, plain.footnote)]


def test_a_row_that_may_read_nothing_has_neither_an_entropy_nor_a_ceiling() -> None:
    """The next row may read one key, of which the most is ln 1: the two are not the same."""
    found = shown("hide:0", row=0)
    *_, entropy, ceiling = head_entropy.table(found.shown, found.state.view).columns
    for one in (entropy, ceiling):
        assert np.isnan(one.values[0])
        assert one.made is not None
        assert one.made(0) == message("reason.made.learned_no_key")
    assert ceiling.values[1] == 0
    assert np.isfinite(head_entropy.drawing(found.shown, found.state.view).layout["yaxis"]["range"]).all()


def instead_of(found: Read) -> dict[str, list[str]]:
    """Return the sentences that stand on the page in the place of drawings, by figure."""
    kept = ((each.name, each.instead(found.shown, found.state.view)) for each in figures_of(found.shown))
    return {name: [one.key for one in said] for name, said in kept if said}


def test_why_a_key_is_read_is_not_drawn_of_a_head_that_a_change_decides_for() -> None:
    back = ["model.unused_score", "model.way_back"]
    for change, key in (("mute", "muted"), ("uniform", "uniform"), ("replace:1.3", "replace"), ("mean", "mean")):
        found = shown(f"{change}@2.1", layer=2, head=1, key=5)
        assert instead_of(found)["why-key"] == [f"model.{key}", *back], change
        assert found.shown.why is not None
        (said,) = (one for one in why_key.instead(found.shown, found.state.view) if one.key == "model.unused_score")
        assert said.facts["score"] == pytest.approx(float(found.shown.scores[19, 5]), abs=1e-4)
        (first, *_) = live._values(found)["labels"][4:]
        assert first == text("en", f"model.label_{key}", other="1.3")
        (brief,) = head_map.brief(found.shown, found.state.view)
        assert brief.written("en") == f"2.1: {first}"
        told = [one.key for one in insight(found.shown, found.model, found.footnote, found.changes)]
        assert f"model.{key}" in told
        assert "why-key" not in instead_of(shown(f"{change}@2.1", layer=2, head=2))


def test_an_empty_chart_is_never_drawn_of_a_changed_model() -> None:
    assert instead_of(shown("mute@2.1", layer=2, head=1))["head-row"] == ["table.head_row.nothing"]
    assert instead_of(shown("factor:0"))["why-key"] == ["table.why_key.zero"]
    assert instead_of(shown("qk_norm"))["why-key"] == ["table.why_key.rebuilt"]
    assert instead_of(shown("sigmoid"))["layer-entropies"] == ["table.layer_entropies.none"]
    everywhere = ",".join(f"mute@{layer}.{head}" for layer in (1, 2) for head in (1, 2, 3, 4))
    assert instead_of(shown(everywhere))["layer-entropies"] == ["table.layer_entropies.none"]
    assert instead_of(shown("")) == {}


def test_rows_of_the_head_stay_where_no_other_head_moved() -> None:
    def absent(written: str, **settings: Any) -> set[str]:
        names = set(live._values(shown(written, **settings))["absent"])
        return names & {"head-entropy", "head-scores", "moved-heads", "layer-entropies"}

    assert absent("mute@2.1", layer=2) == {"head-entropy", "moved-heads"}
    assert absent("uniform@2.1", layer=2) == {"head-scores", "moved-heads"}
    assert absent("mute@1.1", layer=1) == {"head-entropy", "head-scores"}
    assert absent("") == {"layer-entropies", "moved-heads"}


def test_a_word_that_the_vocabulary_lacks_is_explained_where_it_is_an_outcome() -> None:
    def told(written: str) -> list[Any]:
        found = shown("", text=written)
        said = insight(found.shown, found.model, found.footnote, found.changes)
        return [one for one in said if one.key == "says.numbered"]

    (said,) = told("my zebra sees 고양이 . my")
    assert said.written("en").startswith(f"“{said.facts['name']}” stands for a word that this model's vocabulary lacks")
    assert str(said.facts["number"]) in str(said.facts["name"])
    assert told(TEXT) == []


def test_what_a_silent_head_writes_is_not_drawn() -> None:
    for change, key in (("mute", "model.muted"), ("mean", "model.mean")):
        found = shown(f"{change}@2.1", layer=2, head=1, key_figure="writes")
        assert instead_of(found)["head-writes"] == [key, "model.way_back"]
    assert "head-writes" not in instead_of(shown("uniform@2.1", layer=2, head=1, key_figure="writes"))


def test_the_endpoint_says_what_the_model_says_before_and_now() -> None:
    as_it_is, muted = model_heads(text=NAMES), model_heads(text=NAMES, changes="mute@1.1")
    assert as_it_is["says"] is not None
    assert muted["says"] is not None
    assert as_it_is["says"]["before"] == as_it_is["says"]["now"]
    assert as_it_is["says"]["distance"] == 0
    at = muted["says"]["outcomes"].index("Taylor")
    assert muted["says"]["before"][at] == max(as_it_is["says"]["now"])
    model = shipped_model("headlight")
    assert isinstance(model, SayingModel)
    said = model.says(NAMES, changes=[Mute(0, 0)])
    assert isinstance(said, Said)
    assert muted["says"]["now"][at] == pytest.approx(float(said.logs[-1].exp()[WORDS.index("Taylor")]), rel=1e-5)
    assert muted["says"]["text"] == [as_it_is["says"]["text"][0], pytest.approx(said.text_log)]


def test_a_layer_of_places_that_takes_weights_of_words_is_not_said_to_compare_places_alone() -> None:
    def keys(written: str, layer: int) -> set[str]:
        found = shown(written, layer=layer, head=2)
        return {one.key for one in insight(found.shown, found.model, found.footnote, found.changes)}

    assert "model.positional" in keys("", 1)
    assert "model.positional" in keys("mute@1.1", 1)
    assert "model.positional" not in keys("replace:2.2@1.2", 1)
    assert "model.positional" in keys("replace:1.3@2.2", 1)


@pytest.mark.parametrize(
    ("written", "sunk"),
    [("sink:1@2.1", {1}), ("sink:-3,sigmoid@2", set()), ("sigmoid@2,sink:-3@2.3", {3}), ("sink:1,mute@2.4", {1, 2, 3})],
)
def test_a_head_has_a_sink_of_its_own_alone(written: str, sunk: set[int]) -> None:
    """The largest entropy of its rows is that of the keys and, only beside a sink, of one outcome more."""
    for head in range(1, 5):
        found = shown(written, layer=2, head=head).shown
        keys = np.arange(1, len(found.weights) + 1) + (head in sunk)
        np.testing.assert_allclose(found.ceiling, np.log(keys), rtol=1e-6)
        assert (found.sink is not None) == (head in sunk)
        if found.sink is not None:
            np.testing.assert_allclose(found.sink, 1 - found.weights.sum(-1), atol=1e-5)
            assert found.sink.max() > 1e-6
