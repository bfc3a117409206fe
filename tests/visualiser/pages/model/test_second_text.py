"""Heads from a second text, on the page: what the core measures, in both directions; refusals, prices and a run."""

import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from attention_core import Cancelled
from attention_core.learned import PatchingModel, patched_heads, shipped_model
from tests.visualiser.pages.model.test_without_heads import ask, read
from tests.visualiser.pieces import opened
from visualiser.figures.patched_heads import Patches
from visualiser.figures.plots.model_heads import model_heads
from visualiser.locale.message import write_all
from visualiser.models import second_text
from visualiser.pages.model import cost_run, live, price, sentences
from visualiser.pages.model import without_heads as page
from visualiser.pages.model.layout import PATCH_EXAMPLES
from visualiser.server.live.runs import Run

EXAMPLE = PATCH_EXAMPLES["headlight"]


@pytest.fixture(autouse=True)
def _nothing_kept() -> None:
    second_text._PATCHED.clear()


def model() -> PatchingModel:
    found = shipped_model("headlight")
    assert isinstance(found, PatchingModel)
    return found


@pytest.mark.parametrize("what", ["output", "weights"])
@pytest.mark.parametrize(("written", "positions"), [("", None), ("8, −1", (8, -1))])
def test_the_maps_have_what_the_answer_loses_or_gains(what: str, written: str, positions: tuple[int, ...]) -> None:
    own, other = EXAMPLE["text"], EXAMPLE["other"]
    noised = patched_heads(model(), own, other, " Miller", what, positions)
    denoised = patched_heads(model(), other, own, " Miller", what, positions)
    for cost, nats in (("noise", -noised.nats), ("denoise", denoised.nats)):
        found = read(**EXAMPLE, cost=cost, patch=what, patch_at=written, sort="patch")
        np.testing.assert_allclose(live._costs(found), nats.numpy(), atol=1e-6)
        assert "patch" in live._values(found)["measures"]
        assert live.ordered(found) == sorted(range(8), key=lambda at: -float(nats[at]))
        columns = {one.label: one for one in model_heads.table(found.shown, found.state.view).columns}
        column = columns["effect on the answer (nats)"]
        assert column.made is not None
        assert column.made(0).facts == {
            "value": float(nats.max()),
            "log": (noised if cost == "noise" else denoised).log,
        }


def test_the_sentence_names_the_head_of_all_with_both_ends() -> None:
    noise, denoise = (read(**EXAMPLE, cost=cost).shown.costs for cost in ("noise", "denoise"))
    assert noise is not None
    assert denoise is not None
    assert write_all([noise.said(), denoise.said()], "en") == [
        "Of 8 heads, 2.1 changes ln p of “Miller” most with its output from the second text: from −0.0517 to −3.19. "
        "The second text itself gives −4.35.",
        "Of 8 heads, 2.1 changes ln p of “Miller” after the second text most with its output from the first: "
        "from −4.35 to −0.0841. The first text itself gives −0.0517.",
    ]


def test_the_sentence_says_that_no_head_changes_the_answer() -> None:
    found = read(**EXAMPLE, cost="noise", patch="weights", patch_at="0")
    costs = found.shown.costs
    assert isinstance(costs, Patches)
    # the first position has one key to read in both; a batch may round otherwise than one text
    np.testing.assert_allclose(costs.found.nats.numpy(), 0, atol=1e-6)
    assert costs.said() in sentences.insight(found.shown, found.model, found.footnote)
    for moved, key in ((0.0, "same"), (4e-4, "unseen"), (-4e-4, "unseen"), (6e-4, "noise"), (-6e-4, "noise")):
        nats = torch.zeros_like(costs.found.nats)
        nats[3] = moved
        assert replace(costs, found=replace(costs.found, nats=nats)).said().key == f"patching.{key}", moved


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ({"other": ""}, "Write a second text with as many tokens as the text, and an answer."),
        ({"answer": " "}, "Write a second text with as many tokens as the text, and an answer."),
        (
            {"patch_at": "3,x"},
            "Positions are up to 64 whole numbers with commas between them, such as 3, -1; got '3,x'.",
        ),
        ({"patch_at": "11"}, "positions cannot be 11: it must be in the range -11 … 10."),
        (
            {"other": "Anna Miller sees Ben Taylor . Ben Taylor sees"},
            "The text has 11 tokens and the second text 10; both must have as many. From token 10 on, counted from 0, "
            "the one has 'Anna' where the other has ''.",
        ),
    ],
    ids=lambda one: str(one)[:20],
)
def test_what_cannot_be_taken_is_said_below_the_choice(own: dict[str, str], said: str) -> None:
    found = read(**{**EXAMPLE, **own}, cost="noise")
    assert found.shown.costs is None
    assert live._costs(found).size == 0
    assert page.lacking(found.state, b"", found.shown) == {"seconds": 0.0, "heads": 8, "refused": said}


def test_it_has_its_price() -> None:
    plain, patched = (price.frame(ask(**EXAMPLE, cost=cost)) for cost in ("none", "noise"))
    assert patched.multiply_adds - plain.multiply_adds == (8 + 5) * model().says_multiply_adds(12)
    assert patched.memory > plain.memory
    assert price.frame(ask(**{**EXAMPLE, "other": ""}, cost="noise")) == plain


def test_what_takes_long_is_a_run_which_the_next_frame_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("visualiser.models.AT_ONCE", 1e-6)
    own = {**EXAMPLE, "cost": "denoise"}
    found = read(**own)
    assert page.lacking(found.state, b"", found.shown) == {"seconds": 1.0, "heads": 8, "refused": ""}
    asked, key = ask({"costs": True}, **own), ask(**own).cache_key
    assert cost_run.price(asked).multiply_adds == (8 + 5) * model().says_multiply_adds(12)
    headers = [opened(piece)[0] for piece in cost_run.run(asked, Run())]
    assert [one["part"] for one in headers] == ["progress", "ended"]
    assert ask(**own).cache_key != key
    assert read(**own).shown.costs is not None
    assert read(**{**own, "cost": "noise"}).shown.costs is None


def test_a_cancelled_run_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("visualiser.models.AT_ONCE", 1e-6)
    own: dict[str, Any] = {**EXAMPLE, "cost": "noise"}
    run = Run()
    run.cancel()
    with pytest.raises(Cancelled):
        list(cost_run.run(ask({"costs": True}, **own), run))
    assert read(**own).shown.costs is None
    assert threading.active_count() < 50


def test_a_question_shows_no_patch() -> None:
    found = read(**EXAMPLE, cost="noise", predict="true", question="model_previous")
    assert found.posed is not None
    assert live._costs(found).size == 0
