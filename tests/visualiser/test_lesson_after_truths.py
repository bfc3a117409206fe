"""The lesson *What came after √d_k*: its truths and claims over several seeds."""

import math
import re
from dataclasses import replace
from typing import Any

import pytest
import torch

from attention_core import AttentionResult, compute
from attention_core.exact.rms_norm import rms_norm
from attention_core.experiments import QualityExperiment, QualitySnapshot
from attention_core.inputs.structured import heads_with, motif_length, motif_starts
from tests.visualiser.test_lesson_truths import lesson
from visualiser.figures import FIGURES, heat_maps
from visualiser.pages.train import questions
from visualiser.pages.train.live import experiment
from visualiser.pages.train.shipped_results import of_shipped
from visualiser.shipped import shipped
from visualiser.state import share
from visualiser.state.view import View

STEPS: list[dict[str, Any]] = lesson("after-sqrt-d-k")["steps"]
SEEDS = range(1, 6)
"""Other draws than the lesson's."""


def result(link: str, seed: int) -> AttentionResult:
    """Compute the state of a link on the draws of a seed."""
    return compute(replace(share.read(link, "en").state.config, seed=seed), device="cpu")


def quantity(link: str, seed: int, wanted: dict[str, Any]) -> float:
    """Return what `assets/js/lesson/quantity.js` reads in a figure's table."""
    table = FIGURES[wanted["figure"].replace("-", "_")].table(result(link, seed), share.read(link, "en").state.view)
    first, last = wanted.get("lines", (1, None))
    values = [float(one) for one in table.columns[wanted["column"] - 1].values[first - 1 : last]]
    return max(values) if wanted.get("take") == "largest" else sum(values) / len(values)


def within(value: float, limits: dict[str, Any]) -> bool:
    return limits.get("from", -math.inf) <= value < limits.get("below", math.inf)


ASKED = {number: step for number, step in enumerate(STEPS, 1) if "truth" in step.get("question", {})}
RIGHT = {2: "about d_k", 7: "about 1", 9: "about half", 10: "it falls"}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("number", ASKED)
def test_every_seed_gives_the_same_answer(number: int, seed: int) -> None:
    question = ASKED[number]["question"]
    wanted = question["truth"]["of"]
    value = quantity(question["reveal"], seed, wanted)
    if question["truth"].get("before"):
        value /= quantity(ASKED[number]["link"], seed, wanted)
    assert [one["text"]["en"] for one in question["answers"] if within(value, one)] == [RIGHT[number]]
    assert ASKED.keys() == RIGHT.keys()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("number", [number for number, step in enumerate(STEPS, 1) if "holds" in step])
def test_every_seed_holds_what_a_step_claims(number: int, seed: int) -> None:
    step = STEPS[number - 1]
    for claim in step["holds"]:
        assert within(quantity(step["link"], seed, claim["of"]), claim), claim


@pytest.mark.parametrize("seed", SEEDS)
def test_the_norm_leaves_the_direction_and_the_length_root_d_k(seed: int) -> None:
    """Step 2: q · k is d_k · cos θ; random vectors have nearly this length, and cos θ the variance 1/d_k."""
    plain, normed = (result(link, seed) for link in ("d_k=512&scaling=none", STEPS[2]["link"]))
    q, k = (draw.double() / draw.double().norm(dim=-1, keepdim=True) for draw in (plain.Q, plain.K))
    cos = q @ k.mT
    torch.testing.assert_close(normed.scores.double(), 512 * cos, rtol=1e-4, atol=2e-3)
    lengths = plain.Q.double().norm(dim=-1) / math.sqrt(512)
    assert lengths.sub(1).abs().max() < 0.15
    assert cos.var().item() * 512 == pytest.approx(1, abs=0.1)
    same = normed.weights.amax(-1).median(), plain.weights.amax(-1).median()
    assert min(same) > 0.95, "step 3: nearly one-hot with the norm as without"


@pytest.mark.parametrize("seed", SEEDS)
def test_no_score_leaves_root_d_k_however_long_q_and_k_were(seed: int) -> None:
    """Step 5; without the norm, step 4, scores do."""
    link = STEPS[4]["link"]
    assert result(link, seed).scaled.abs().max() <= 2 * (1 + 1e-6)
    assert result(STEPS[3]["link"], seed).scaled.abs().max() > 4
    Q = result(link, seed).Q
    torch.testing.assert_close(rms_norm(1000 * Q), rms_norm(Q))


def test_only_the_norm_without_a_factor_falls_in_the_shipped_training() -> None:
    """Steps 6 and 7: one answer is right; at the largest d_k no seed of the norm learns, and each scaled one does."""
    wanted = experiment(share.read(STEPS[5]["question"]["reveal"], "en").state)
    assert isinstance(wanted, QualityExperiment)
    found = of_shipped(wanted, shipped("train_quality"))
    assert found is not None
    assert questions.right(wanted, found) == ["qk_norm_unscaled"]
    last = {
        (shot.curve.mechanism, shot.curve.d_k): shot.accuracy
        for shot in sorted(found, key=lambda shot: shot.step)
        if isinstance(shot, QualitySnapshot) and shot.curve.d_k == max(wanted.d_k)
    }
    assert [(name, accuracy.min() > 0.95, accuracy.max() < 0.5) for (name, _), accuracy in last.items()] == [
        ("scaled", True, False),
        ("qk_norm_unscaled", False, True),
    ]


def test_gains_of_a_quarter_are_the_factor_at_d_k_256() -> None:
    """Step 7: gains multiply q and k after the norm; the state of the reveal has their product as its factor."""
    revealed, bare = (result(link, 0) for link in (STEPS[6]["question"]["reveal"], STEPS[6]["link"]))
    normed = [one.double() / one.double().square().mean(-1, keepdim=True).sqrt() for one in (bare.Q, bare.K)]
    q, k = (0.25 * one for one in normed)
    torch.testing.assert_close(revealed.scaled.double(), q @ k.mT, rtol=1e-4, atol=1e-5)
    scaled = result("d_k=256&qk_norm=true", 0)
    assert torch.equal(revealed.scaled, scaled.scaled)


def test_a_score_lies_beyond_the_colours_where_the_text_says_so() -> None:
    """Step 4 speaks of the end of the colour bar."""
    given = result(STEPS[3]["link"], 0)
    assert "beyond the end of the colour bar" in STEPS[3]["text"]["en"]
    assert given.scaled.max() > heat_maps.drawing(given, View(stage="scaled")).layout["coloraxis"]["cmax"]


@pytest.mark.slow
@pytest.mark.night(but=1)
@pytest.mark.parametrize("seed", SEEDS)
def test_few_rows_have_most_of_the_gradient_at_large_d_k(seed: int) -> None:
    """Step 6: dL/ds of random rows after the norm; one key of 16 is the right one, as in the task that trains."""
    draw = torch.Generator().manual_seed(seed)
    shares = {}
    for d_k in (4, 1024):
        q, k = (rms_norm(torch.randn(4000, n, d_k, generator=draw)) for n in (1, 16))
        values = torch.nn.functional.one_hot(torch.arange(16)).double()
        scores = (q @ k.mT)[:, 0].double().requires_grad_()
        output = scores.softmax(-1) @ values
        (0.5 * (output - values[0]).square().sum()).backward()
        assert scores.grad is not None
        of_rows = scores.grad.square().sum(-1).sort().values
        shares[d_k] = of_rows[-400:].sum() / of_rows.sum()
    assert shares[4] < 0.5
    assert shares[1024] > 0.8


def test_the_gradient_at_a_score_vanishes_while_that_of_the_weights_rises() -> None:
    """Step 6: in the results that its page shows, before the first step."""
    wanted = experiment(share.read(STEPS[5]["question"]["reveal"], "en").state)
    assert isinstance(wanted, QualityExperiment)
    starts = {
        shot.curve.d_k: shot
        for shot in of_shipped(wanted, shipped("train_quality")) or ()
        if isinstance(shot, QualitySnapshot) and shot.step == 0 and shot.curve.mechanism == "qk_norm_unscaled"
    }
    least, most = starts[min(wanted.d_k)], starts[max(wanted.d_k)]
    assert most.score_gradient.median() < 1e-15 * least.score_gradient.median()
    assert most.projection_gradient.median() > 2 * least.projection_gradient.median()


def test_the_heads_that_step_8_names_are_those_with_a_planted_sink() -> None:
    for text in STEPS[7]["text"].values():
        (named,) = re.findall(r"(?:heads|헤드)((?:(?: |, | and )\d+)+)", text)
        assert [int(head) - 1 for head in re.findall(r"\d+", named)] == heads_with("sink", 8)


@pytest.mark.parametrize("seed", SEEDS)
def test_two_sinks_share_the_rows_of_head_8(seed: int) -> None:
    """Step 10: key 0 keeps its score, whatever b is, and both take many times the share of a key."""
    link = STEPS[9]["question"]["reveal"]
    given, without = result(link, seed), result(STEPS[7]["link"], seed)
    weights = given.weights[7]
    assert min(weights[:, 0].mean(), (1 - weights.sum(-1)).mean()) > 5 / weights.shape[-1]
    assert weights[:, 1:].mean() < 1 / weights.shape[-1]
    assert torch.equal(given.scaled[7, :, 0], without.scaled[7, :, 0])
    assert "head 8" in STEPS[9]["question"]["because"]["en"]


def test_the_note_has_the_minutes_of_the_steps_and_of_what_is_left() -> None:
    halves = {"½": 0.5}
    note = lesson("after-sqrt-d-k")["note"]
    minutes = [step["minutes"] for step in STEPS]
    for text, listed in ((note["en"], r"take ([\d½, ]+)\."), (note["ko"], r"차례로 ([\d½, ]+)분")):
        (found,) = re.findall(listed, text)
        assert [sum(halves.get(sign) or int(sign) for sign in one) for one in found.split(", ")] == minutes
    assert sum(minutes) - sum(minutes[at - 1] for at in (4, 5, 10)) == 12
    assert "skip steps 4 and 5, on the bound, and step 10: 12 minutes are left" in note["en"]


@pytest.mark.parametrize("seed", SEEDS)
def test_half_of_the_heads_give_key_0_many_times_its_share(seed: int) -> None:
    """Step 8: in the others it has about as much as any key."""
    given = result(STEPS[7]["link"], seed)
    share_of_0 = given.weights[..., 0].mean(-1) * given.weights.shape[-1]
    there = heads_with("sink", 8)
    others = [head for head in range(8) if head not in there]
    assert len(there) == len(others)
    assert share_of_0[there].mean() > 5
    assert share_of_0[others].mean() < 2


@pytest.mark.parametrize("seed", SEEDS)
def test_the_sink_takes_its_term_and_the_output_loses_it(seed: int) -> None:
    """Step 9: e^b is about the row's Σ e^s, and what is left to the keys is the softmax's output times their share."""
    link = STEPS[8]["question"]["reveal"]
    with_sink, without = result(link, seed), result("", seed)
    terms = without.scaled.double().exp().sum(-1)
    assert 0.7 < math.exp(4) / terms.mean() < 1.4
    kept = terms / (math.exp(4) + terms)
    torch.testing.assert_close(with_sink.weights.sum(-1).double(), kept, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(
        with_sink.weights.double(), without.weights.double() * kept[..., None], rtol=1e-4, atol=1e-6
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_the_sink_takes_less_from_rows_with_keys_that_fit(seed: int) -> None:
    """Step 10: in heads with nothing but the phrase, its rows against those that nothing was planted for."""
    link = STEPS[9]["question"]["reveal"]
    given, config = result(link, seed), replace(share.read(link, "en").state.config, seed=seed)
    phrase = [start + i for start in motif_starts(config).tolist() for i in range(motif_length(config))]
    rest = [row for row in range(config.n) if row not in phrase]
    taken = 1 - given.weights[[1, 5]].sum(-1)
    assert taken[:, phrase].mean() < taken[:, rest].mean() / 1.5
