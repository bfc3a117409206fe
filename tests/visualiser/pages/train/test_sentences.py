"""The Train page's sentences and verdicts, each in a state where another one would be false."""

from dataclasses import replace
from typing import Any

import pytest
import torch

from attention_core.experiments import (
    HeadsCurve,
    HeadsExperiment,
    HeadsSnapshot,
    QualityCurve,
    QualityExperiment,
    QualitySnapshot,
    Snapshot,
    train,
)
from visualiser.figures import train_accuracy, train_steps
from visualiser.figures.training import Training
from visualiser.locale import text
from visualiser.locale.message import write_all
from visualiser.pages.train import live, questions, sentences
from visualiser.pages.train.shipped_results import snapshots_from
from visualiser.shipped import shipped
from visualiser.state import share
from visualiser.state.view import View

Experiment = QualityExperiment | HeadsExperiment


def experiment(link: str) -> Any:
    return live.experiment(share.read(f"page=train&{link}").state)


def describe(wanted: Experiment, found: list[Snapshot]) -> str:
    return " ".join(write_all(sentences.in_full(wanted, found), "en"))


def outcome(wanted: QualityExperiment, accuracies: dict[tuple[str, int], list[float]]) -> list[Snapshot]:
    """Return snapshots with these accuracies, and gradients of 0.02 before the first step."""
    found: list[Snapshot] = []
    for (mechanism, d_k), values in accuracies.items():
        accuracy, same = torch.tensor(values), torch.full((len(values),), 0.02)
        for step in (0, wanted.steps):
            curve = QualityCurve(mechanism, d_k)
            found.append(QualitySnapshot(curve, wanted.every_seed, step, wanted.steps, accuracy, *[same] * 4))
    return found


def heads(wanted: HeadsExperiment, h: int, accuracies: list[float], mass: list[list[float]]) -> HeadsSnapshot:
    values, seeds = torch.tensor(accuracies), tuple(range(len(accuracies)))
    apart = torch.full((len(seeds),), 0.5 if h > 1 else torch.nan)
    weights, maps = torch.tensor([mass] * len(seeds)), torch.zeros(len(seeds), h, wanted.m, 8, 8)
    return HeadsSnapshot(HeadsCurve(h, 48 // h), seeds, 1, 1, values, values, apart, apart, weights, maps)


@pytest.mark.parametrize(
    "link",
    [
        "widths=4&mechanisms=scaled,unscaled&seeds=1",
        "initialisation=small_projections&widths=4,256&mechanisms=scaled,unscaled&seeds=1",
    ],
)
def test_a_gradient_that_does_not_vanish_is_not_said_to(link: str) -> None:
    """At d_k = 4, and with smaller projections, it is a third of the scaled one's, or more."""
    wanted = replace(experiment(link), steps=1)
    description = describe(wanted, list(train(wanted)))
    assert "vanish" not in description
    assert "the gradient at the correct key's score is 0.0" in description


def test_a_gradient_that_vanishes_is_said_to_as_the_figure_draws_it() -> None:
    wanted = experiment("")
    description = describe(wanted, list(snapshots_from(wanted, shipped("train_quality").results)))
    # medians of the five seeds
    assert "at d_k = 1024, the gradient at the correct key's score all but vanishes without scaling" in description
    assert "7.75×10⁻²⁷ against 0.018 with it" in description
    assert "does not: 2.17 against 0.154" in description
    assert (
        "every seed of additive attention beats every seed of unscaled dot products, as the paper says" in description
    )


def test_additive_attention_that_was_not_trained_is_not_judged() -> None:
    wanted = experiment("task=noisy&widths=4,16&mechanisms=scaled&seeds=2")
    description = describe(wanted, outcome(wanted, {("scaled", 4): [0.7, 0.7], ("scaled", 16): [0.9, 1.0]}))
    assert (
        description
        == "Does attention still learn as d_k grows? Accuracy from d_k = 4 to 16: scaled dot product 0.7 → 0.95."
    )


@pytest.mark.parametrize(
    ("additive", "unscaled", "claim"),
    [
        ([0.5, 0.6], [0.1, 0.4], "every seed of additive attention beats every seed of unscaled dot products"),
        ([0.3, 0.34], [0.97, 1.0], "here the paper's sentence does not hold"),
        ([0.5, 0.6], [0.49, 0.55], "do not tell additive attention (0.5 to 0.6) from unscaled dot products (0.49 to"),
        ([0.51, 0.6], [0.4, 0.5], "do not tell additive attention"),  # within the evaluation's error
    ],
)
def test_the_paper_s_claim_is_judged_by_the_bands_of_the_seeds(
    additive: list[float], unscaled: list[float], claim: str
) -> None:
    wanted = experiment("task=noisy&widths=4,64&mechanisms=additive,unscaled&seeds=2")
    low = {("additive", 4): [0.5, 0.5], ("unscaled", 4): [0.5, 0.5]}
    assert claim in describe(wanted, outcome(wanted, {**low, ("additive", 64): additive, ("unscaled", 64): unscaled}))


def test_a_single_seed_proves_nothing() -> None:
    wanted = experiment("widths=4,64&mechanisms=additive,unscaled&seeds=1")
    ends: dict[tuple[str, int], list[float]] = {(name, d_k): [0.5] for name in wanted.mechanism for d_k in (4, 64)}
    description = describe(wanted, outcome(wanted, {**ends, ("additive", 64): [1.0]}))
    assert "additive attention reaches 1, unscaled dot products 0.5; a single seed does not show" in description


BESIDE_NORMED = {
    ("scaled", 4): [0.6, 0.7],  # below by more than the error of an accuracy
    ("scaled", 64): [0.995, 1.0],
    ("additive", 4): [0.6, 0.985],  # the bands meet
    ("additive", 64): [0.49, 0.5],
    ("qk_norm_unscaled", 4): [0.9, 0.95],
    ("qk_norm_unscaled", 64): [0.3, 0.485],  # additive is above by less than that error
}


def test_qk_norm_is_compared_with_each_mechanism_at_every_width_by_the_bands_of_the_seeds() -> None:
    wanted = experiment("widths=4,64&mechanisms=scaled,additive,qk_norm_unscaled&seeds=2")
    description = describe(wanted, outcome(wanted, BESIDE_NORMED))
    assert "Every seed of QK-norm without a factor beats every seed of scaled dot product (d_k = 4)." in description
    assert "is beaten by every seed of scaled dot product (d_k = 64)." in description
    assert "The seeds do not tell QK-norm without a factor from additive (d_k = 4 and 64)." in description
    assert "at d_k = 64, QK-norm without a factor has a gradient of 0.02 at the correct key's score" in description


def test_one_seed_of_qk_norm_is_compared_with_none() -> None:
    wanted = experiment("widths=4,64&mechanisms=scaled,qk_norm_unscaled&seeds=1")
    ends: dict[tuple[str, int], list[float]] = {(name, d_k): [0.5] for name in wanted.mechanism for d_k in (4, 64)}
    description = describe(wanted, outcome(wanted, {**ends, ("scaled", 64): [1.0]}))
    assert "A single seed does not show if QK-norm without a factor differs from the others." in description
    assert "Every seed" not in description


def test_one_width_has_no_from_and_to() -> None:
    wanted = experiment("widths=64&mechanisms=additive&seeds=1")
    assert "Accuracy at d_k = 64: additive 0.25." in describe(wanted, outcome(wanted, {("additive", 64): [0.25]}))


def test_one_head_has_no_divergence_and_shares_nothing() -> None:
    wanted = experiment("experiment=heads&heads=1&m=1&seeds=1")
    description = describe(wanted, [heads(wanted, 1, [0.75], [[0.5]])])
    assert description == (
        "Can one wide head do the work of several narrow ones? Accuracy when the query names 1 position: h = 1: 0.75. "
        "With h = 1 the head puts 0.5 of its weight on the named position (first seed)."
    )


def test_heads_without_a_favourite_have_none() -> None:
    wanted = experiment("experiment=heads&heads=2&m=2&seeds=1")
    even, chosen = [[0.25, 0.25], [0.75, 0.125]], [[0.125, 0.25], [0.75, 0.125]]
    assert "favourite" not in describe(wanted, [heads(wanted, 2, [0.75], even)])
    description = describe(wanted, [heads(wanted, 2, [0.75], chosen)])
    assert (
        "puts on average 0.5 of its weight on its favourite name; the heads have 2 different favourites" in description
    )
    assert "divergence goes from 0.5 to 0.5 bits; random heads differ too" in description


@pytest.mark.parametrize(
    ("link", "accuracy", "advice"),
    [
        ("heads=1&classes=8", 0.95, "With an MLP behind it one head reaches 0.95"),
        ("heads=1&classes=8", 0.95, "Try more values per position."),
        ("heads=2&classes=8", 0.95, "Add h = 1"),
    ],
)
def test_advice_can_be_followed(link: str, accuracy: float, advice: str) -> None:
    wanted = experiment(f"experiment=heads&mlp=true&m=3&seeds=1&{link}")
    (h,) = wanted.h
    found: list[Snapshot] = [heads(wanted, h, [accuracy], [[0.1, 0.2, 0.3]] * h)]
    assert advice in describe(wanted, found)
    at_most = replace(wanted, classes=64)
    assert "Try more" not in describe(at_most, found)
    assert "MLP" not in describe(replace(wanted, m=1), [heads(replace(wanted, m=1), h, [accuracy], [[0.1]] * h)])


def test_a_curve_that_still_learns_is_not_counted_as_trained() -> None:
    wanted = experiment("widths=4,64&mechanisms=scaled&seeds=1")
    ended, begun = outcome(wanted, {("scaled", 4): [1.0]}), outcome(wanted, {("scaled", 64): [0.5]})[:1]
    state, caption = write_all(train_accuracy.sentence(Training(wanted, [*ended, *begun]), View()), "en")
    assert state == "1 of 2 curves is trained, 1 is still learning (open circle)."
    assert caption == "Accuracy on held-out examples against d_k, mean and range over 1 seed."
    assert write_all(train_steps.sentence(Training(wanted, []), View()), "en") == [text("en", "train.nothing")]


@pytest.mark.parametrize(
    ("link", "question", "choices"),
    [
        ("", "4 mechanisms learn the task. Whose accuracy will fall furthest from d_k = 4 to 1024?", 5),
        ("mechanisms=scaled&widths=4,16", "1 mechanism learns the task. Whose", 2),
        ("widths=64&steps=50", "Which mechanism will be the most accurate at d_k = 64, after 50 steps?", 5),
        (
            "widths=64&mechanisms=additive&steps=50",
            "Will additive attention answer more than half right at d_k = 64",
            2,
        ),
    ],
)
def test_the_question_is_one_of_this_experiment(link: str, question: str, choices: int) -> None:
    wanted = experiment(link)
    assert questions.question_sentence(wanted).written("en").startswith(question)
    asking: Any = questions.question(wanted)
    assert len(asking.choices) == choices


@pytest.mark.parametrize(
    ("scaled", "unscaled", "rights"),
    [
        ([1.0, 1.0], [0.5, 0.3], ["unscaled"]),
        ([0.5, 0.7], [0.5, 0.6], ["unscaled", "scaled"]),  # the seeds overlap
        ([1.0, 1.0], [0.99, 0.95], ["none"]),
        ([1.0, 1.0], [0.89, 0.89], ["unscaled"]),
        ([1.0, 1.0], [0.95, 0.88], ["unscaled"]),  # one seed falls by more than 0.1: it is not ruled out
    ],
)
def test_every_answer_that_the_seeds_leave_open_is_right(
    scaled: list[float], unscaled: list[float], rights: list[str]
) -> None:
    wanted = experiment("widths=4,64&mechanisms=scaled,unscaled&seeds=2")
    ends = {("scaled", 4): [1.0, 1.0], ("unscaled", 4): [1.0, 1.0], ("scaled", 64): scaled, ("unscaled", 64): unscaled}
    found = outcome(wanted, ends)
    assert questions.right(wanted, found) == rights
    for answer in ("scaled", "unscaled", "none"):
        verdict = questions.judged(wanted, found, {"prediction": {"name": "train_falls", "answer": answer}})
        assert verdict is not None
        assert verdict.right is (answer in rights)
        assert (verdict.sentences[-1].key == "predict.several_right") is (len(rights) > 1)


@pytest.mark.parametrize(
    ("accuracies", "rights"),
    [([[0.9, 0.95], [0.3, 0.5]], ["scaled"]), ([[0.9, 0.95], [0.94, 0.8]], ["none", "scaled", "unscaled"])],
)
def test_the_best_is_none_if_seeds_overlap(accuracies: list[list[float]], rights: list[str]) -> None:
    wanted = experiment("widths=64&mechanisms=scaled,unscaled&seeds=2")
    found = outcome(wanted, dict(zip([("scaled", 64), ("unscaled", 64)], accuracies, strict=True)))
    assert questions.right(wanted, found) == rights


@pytest.mark.parametrize(
    ("accuracies", "rights"), [([0.9, 0.7], ["yes"]), ([0.4, 0.6], ["yes", "no"]), ([0.2, 0.3], ["no"])]
)
def test_a_model_has_learned_if_more_than_half_is_right(accuracies: list[float], rights: list[str]) -> None:
    wanted = experiment("widths=64&mechanisms=scaled&seeds=2")
    assert questions.right(wanted, outcome(wanted, {("scaled", 64): accuracies})) == rights


def test_a_drawn_curve_within_the_seeds_band_is_right() -> None:
    wanted = replace(experiment("experiment=heads&heads=1,2&m=2"), seeds=2)
    found: list[Snapshot] = [
        heads(wanted, h, values, [[0.1, 0.2]] * h) for h, values in ((1, [0.2, 0.8]), (2, [1.0, 1.0]))
    ]
    for drawn, right in (([0.8, 1.0], True), ([0.5, 1.0], True), ([1.0, 0.8], False)):
        verdict = questions.judged(wanted, found, {"prediction": {"name": "train_heads", "answer": drawn}})
        assert verdict is not None
        assert verdict.right is right
        assert verdict.sentences[-1].written("en") == "Accuracy by the number of heads: h = 1: 0.5 and h = 2: 1."
