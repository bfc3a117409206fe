"""What each head costs and the curve of the factor, on the page: the model written out, priced, and cancelled."""

import math
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import Cancelled, InvalidInput
from attention_core.changes import Factor, Hide, Mute
from attention_core.language import shipped
from attention_core.learned import SayingModel, shipped_model
from tests.attention_core.models.small_folders import word_pieces, write
from tests.attention_core.models.small_pictures import write as write_picture
from tests.offline import offline
from tests.references.changed_model import changed
from tests.visualiser.pieces import opened
from visualiser.locale.message import write_all
from visualiser.models import listing, runs, without_heads
from visualiser.models.folder import LoadedModels
from visualiser.models.kept import Kept
from visualiser.pages.model import cost_run, live, present, price, reading
from visualiser.pages.model import without_heads as page
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.runs import Run

WORDS = ("Anna", "Miller", "sees", "Ben", "Taylor", ".", "the", "keys", "are", "고양이", "🦆")
LAYERS = {"headlight": 2, "headlight-one-layer": 1}


def ask(extra: dict[str, Any] | None = None, **own: Any) -> PageRequest:
    query = urlencode({"page": "model", "text": "Anna Miller sees Ben Taylor . Ben", **own})
    return PageRequest(query, None, frozenset(), b"", "en", "light", 0, "", extra or {}, "model")


def read(**own: Any) -> reading.Read:
    return reading.read(ask(**own))


def text_log(name: str, ids: tuple[int, ...], changes: list[Any]) -> float:
    logs = changed(shipped(LAYERS[name]).model.parameters, ids, changes).log_probabilities
    return float(sum(logs[row, true] for row, true in enumerate(ids[1:])))


MADE = {"": [], "factor:2.5": [Factor(2.5)], "mute@1.2,hide:1": [Mute(0, 1), Hide(1)]}


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(
    words=st.lists(st.sampled_from(WORDS), min_size=2, max_size=14),
    name=st.sampled_from([*LAYERS]),
    written=st.sampled_from([*MADE]),
)
def test_costs_of_any_text_are_those_of_the_model_written_out(words: list[str], name: str, written: str) -> None:
    found = read(text=" ".join(words), model=name, changes=written, cost="text")
    shown, changes = found.shown, MADE[written]
    assert shown.costs is not None
    whole = text_log(name, shown.run.ids, changes)
    assert shown.costs.found.log == pytest.approx(whole, abs=1e-2)
    values = live._costs(found)
    assert len(values) == len(shown.heads)
    for value, (layer, head) in zip(values.tolist(), shown.heads, strict=True):
        cost = whole - text_log(name, shown.run.ids, [*changes, Mute(layer - 1, head - 1)])
        assert value == pytest.approx(cost, abs=1e-2, rel=1e-3)
        assert shown.measured("cost", layer, head) == pytest.approx(value, rel=1e-6)
    (layer, head), most = shown.costs.most
    assert most == pytest.approx(max(values))
    assert shown.measured("cost", layer, head) == most


def test_nothing_costs_anything_unless_a_link_asks() -> None:
    found = read()
    assert found.shown.costs is None
    assert "cost" not in found.shown.measures
    assert live._costs(found).size == 0
    assert page.lacking(found.state, b"", found.shown) is None
    assert read(sort="cost", x="cost").shown.axes[0] == "distance"
    assert live.ordered(read(sort="cost")) == [*range(8)]


@pytest.mark.parametrize("over", ["corpus", "text"])
def test_costs_are_a_measure_of_heads_beside_the_others(over: str) -> None:
    found = read(cost="text", sort="cost", x="previous_token", y="cost", over=over)
    shown = found.shown
    values = live._costs(found)
    assert live.ordered(found) == sorted(range(8), key=lambda at: -values[at])
    (figure,) = [one for one in present.figures_of(shown) if one.name == "model-heads"]
    (column,) = [one for one in figure.table(shown, found.state.view).columns if one.label == "cost without it (nats)"]
    np.testing.assert_allclose(np.asarray(column.values, dtype=np.float64), np.sort(values)[::-1], rtol=1e-6)
    assert column.kind == "head_cost"
    assert column.made is not None
    arithmetic = column.made(3)
    assert arithmetic is not None
    assert arithmetic.key == "reason.made.head_cost"
    (points,) = [one for one in present.figures_of(shown) if one.name == "head-scatter"]
    drawn = points.drawing(shown, found.state.view)
    heights = np.concatenate([one["y"] for one in drawn.data if one.get("meta", {}).get("kind") == "heads"])
    np.testing.assert_allclose(heights, values, rtol=1e-6)
    low, high = drawn.layout["yaxis"]["range"]
    assert low <= min(0, values.min())
    assert high > values.max() > 1


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_costliest_head_is_named(lang: str) -> None:
    shown = read(cost="text").shown
    assert shown.costs is not None
    (layer, head), nats = shown.costs.most
    (said,) = write_all([shown.costs.said()], lang)
    assert f"{layer}.{head}" in said
    assert f"{nats:.3g}" in said
    assert shown.costs.said().key == "muting.most"


def test_a_question_s_answer_shows_no_cost() -> None:
    found = read(cost="text", predict="true", question="model_previous")
    assert found.posed is not None
    assert live._costs(found).size == 0


@pytest.mark.parametrize("written", ["factor:3", "hide:2,factor:0.4,mute@1.2", "factor:16"])
def test_the_curve_is_a_loop_over_runs(written: str) -> None:
    found = read(changes=written)
    shown = found.shown
    assert shown.curve is not None
    others = [one for one in found.acting if not isinstance(one, Factor)]
    for at in (0, 7, 12, 24):
        expected = text_log("headlight", shown.run.ids, [*others, Factor(float(shown.curve.times[at]))])
        assert shown.curve.logs[at] == pytest.approx(expected, abs=1e-2)
    (figure,) = [one for one in present.figures_of(shown) if one.name == "factor-curve"]
    assert "layer-entropies" not in [one.name for one in present.figures_of(shown)]
    drawn = figure.drawing(shown, found.state.view)
    (line,) = drawn.layout["shapes"]
    assert line["x0"] == min(shown.factor, 10)
    best = int(np.argmax(shown.curve.logs))
    (mark,) = [one for one in drawn.data if one["meta"].get("kind") == "best"]
    assert (mark["x"][0], mark["y"][0]) == (shown.curve.times[best], shown.curve.logs[best])
    (sentence,) = figure.sentence(shown, found.state.view)
    assert sentence.facts == {"count": 25, "times": shown.curve.times[best], "log": shown.curve.logs[best]}
    table = figure.table(shown, found.state.view)
    np.testing.assert_array_equal(np.asarray(table.columns[1].values), shown.curve.logs)


@pytest.mark.parametrize("written", ["", "factor:3@1", "factor:3@1.2", "mute@1.2"])
def test_without_a_factor_of_all_heads_there_is_no_curve(written: str) -> None:
    names = [one.name for one in present.figures_of(read(changes=written).shown)]
    assert "factor-curve" not in names
    assert ("layer-entropies" in names) == bool(written)


@pytest.mark.slow
def test_a_drag_of_the_factor_computes_its_curve_once(monkeypatch: pytest.MonkeyPatch) -> None:
    without_heads._CURVES.clear()
    counted: Counter[str] = Counter()
    own = without_heads.factor_curve

    def curve(*given: Any) -> Any:
        counted["curves"] += 1
        return own(*given)

    monkeypatch.setattr(without_heads, "factor_curve", curve)
    logs = [read(changes=f"hide:1,factor:{times}").shown.curve for times in (2, 3, 0.5)]
    assert counted["curves"] == 1
    assert logs[0] is logs[2]
    assert read(changes="hide:2,factor:2").shown.curve is not logs[0]
    assert counted["curves"] == 2


def test_costs_and_a_curve_have_their_price() -> None:
    plain = price.frame(ask())
    costs, curve = price.frame(ask(cost="text")), price.frame(ask(changes="factor:2"))
    assert costs.seconds > plain.seconds
    runs_of_heads = costs.multiply_adds - plain.multiply_adds
    model = shipped_model("headlight")
    assert isinstance(model, SayingModel)
    assert runs_of_heads == 9 * model.says_multiply_adds(8)  # as it is, and without each of eight heads
    long = "Anna " * 64
    assert price.frame(ask(cost="text", text=long)).memory > price.frame(ask(text=long)).memory
    assert curve.seconds > price.frame(ask(changes="mute@1.1")).seconds


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> LoadedModels:
    root: Path = tmp_path_factory.mktemp("here") / "models"
    with offline():
        for name in ("llama", "roberta"):
            write(root, name)
        write(root, "bert", tokenizer=word_pieces())
        write_picture(root, "vit")
        found = LoadedModels(root, 2**30, 2**28)
        for name in ("llama", "roberta", "bert", "vit"):
            found.load(name, lambda done: None)
            found.measure(name, lambda done: None)
    return found


@pytest.fixture
def folder(served: LoadedModels, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(listing, "FOLDER", served)
    monkeypatch.setattr(runs, "_KEPT", Kept(runs.MOST_BYTES, runs.size_of))
    without_heads._COSTS.clear()
    with offline():
        yield


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
class TestOfAFolder:
    @pytest.mark.night
    def test_costs_that_take_long_are_a_run_which_the_next_frame_finds(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("visualiser.models.AT_ONCE", 1e-6)
        own: dict[str, Any] = {"model": "llama", "text": "the cat sees the dog", "cost": "text"}
        found = read(**own)
        assert found.shown.costs is None
        lacks = page.lacking(found.state, b"", found.shown)
        assert lacks == {"seconds": 1.0, "heads": 12, "refused": ""}
        asked = ask({"costs": True}, **own)
        key = ask(**own).cache_key
        headers = [opened(piece)[0] for piece in cost_run.run(asked, Run())]
        assert [one["part"] for one in headers] == ["progress", "ended"]
        assert headers[0]["done"] == 1
        assert ask(**own).cache_key != key  # nobody is given the frame without them
        again = read(**own).shown
        assert again.costs is not None
        assert page.lacking(found.state, b"", again) is None
        assert read(**own, row=2).shown.costs is not None
        assert read(**own, changes="mute@1.1").shown.costs is None
        assert cost_run.price(asked).seconds > 0

    def test_a_cancelled_run_leaves_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("visualiser.models.AT_ONCE", 1e-6)
        own: dict[str, Any] = {"model": "llama", "text": "the cat", "cost": "text"}
        run = Run()
        run.cancel()
        with pytest.raises(Cancelled):
            list(cost_run.run(ask({"costs": True}, **own), run))
        assert read(**own).shown.costs is None
        assert threading.active_count() < 50

    def test_what_masked_words_and_classes_cost_are_distances(self) -> None:
        found = {row: read(model="bert", text="the cat sees", cost="text", row=row).shown for row in (1, 2)}
        for shown in found.values():
            assert shown.costs is not None
            assert not shown.costs.found.of_text
            assert shown.costs.kind == "kl"
            assert shown.costs.said().key in ("muting.most_kl", "muting.none")
            assert min(shown.costs.found.nats) >= 0
        assert live._costs(read(model="bert", text="the cat sees", cost="text", row=1)).tolist() != pytest.approx(
            live._costs(read(model="bert", text="the cat sees", cost="text", row=2)).tolist(), abs=1e-6
        )
        vit = read(model="vit", cost="text").shown
        assert vit.costs is not None
        assert vit.costs.kind == "kl"

    def test_a_model_that_says_nothing_has_no_costs_and_says_so(self) -> None:
        found = read(model="roberta", text="the cat sees", cost="text")
        assert found.shown.costs is None
        lacks = page.lacking(found.state, b"", found.shown)
        assert lacks == {"seconds": 0.0, "heads": len(found.shown.heads), "refused": ""}
        with pytest.raises(InvalidInput) as problem:
            list(cost_run.run(ask({"costs": True}, model="roberta", text="the cat sees", cost="text"), Run()))
        assert problem.value.code == "nothing_said"

    def test_no_curve_of_what_is_no_text(self) -> None:
        assert read(model="bert", text="the cat sees", changes="factor:2").shown.curve is None
        assert not math.isnan(read(model="llama", text="the cat sees", changes="factor:2").shown.factor)
