"""A few steps of the training: the loss falls, the rate goes round once, both models read the same texts."""

import math

import pytest
import torch

from attention_core.language import WORDS, LanguageModel, documents
from attention_core.language.model import initial
from attention_core.language.training import MIXTURE, VERBS, batch, batches, descent, loss, rate


@pytest.mark.night
def test_the_loss_falls_from_that_of_no_knowledge():
    losses = [found for _, found, _ in descent(3, 2, 12, 6e-3)]
    assert losses[0] == pytest.approx(math.log(len(WORDS)), abs=0.1)
    assert losses[-1] < losses[0] - 0.3


@pytest.mark.slow
def test_a_training_is_repeatable_and_its_seed_tells():
    (one, again, other) = [list(descent(seed, 1, 2, 6e-3))[-1] for seed in (3, 3, 4)]
    assert one[:2] == again[:2]
    assert all(torch.equal(one[2][name], again[2][name]) for name in one[2])
    assert one[1] != other[1]


def test_the_first_parameters_of_the_twin_are_those_of_the_model():
    two, one = initial(5, 2), initial(5, 1)
    assert all(torch.equal(one[name], two[name]) for name in one)
    assert two["E"].std().item() == pytest.approx(0.3, rel=0.03)
    assert two["W_O/2"].std().item() == pytest.approx(1 / 8, rel=0.05)


def test_every_token_counts_once_and_a_verb_more():
    drawn = [next(documents(7, "test", kind, 48)) for kind in MIXTURE]
    found = batch(drawn)
    assert found.ids.tolist() == [list(document.ids) for document in drawn]
    for row, document in zip(found.counts.tolist(), drawn, strict=True):
        verbs = {place.query for place in document.places if place.kind == "agreement"}
        assert row == [VERBS if query in verbs else 1.0 for query in range(47)]
    assert found.counts.max() == VERBS


def test_the_loss_is_the_mean_of_what_counts():
    parameters = initial(7, 2)
    drawn = batch([next(documents(7, "test", kind, 48)) for kind in MIXTURE])
    total = 0.0
    for ids, counts in zip(drawn.ids, drawn.counts, strict=True):
        logits = LanguageModel(parameters)(ids).logits.double()
        chances = logits.softmax(-1)[torch.arange(47), ids[1:]]
        total -= float((chances.log() * counts).sum())
    assert loss(parameters, drawn).item() == pytest.approx(total / float(drawn.counts.sum()), rel=1e-5)


def test_batches_are_fresh_and_mixed():
    stream = batches(9, 32)
    first, second = next(stream), next(stream)
    assert first.ids.shape == (sum(MIXTURE.values()), 32)
    assert not {tuple(row) for row in first.ids.tolist()} & {tuple(row) for row in second.ids.tolist()}


def test_the_rate_rises_and_falls_once():
    rates = [rate(step, 100, 6e-3) for step in range(101)]
    assert rates[0] == pytest.approx(6e-3 / 25)
    assert max(rates) == rates[10] == pytest.approx(6e-3)
    assert rates[:11] == sorted(rates[:11])
    assert rates[10:] == sorted(rates[10:], reverse=True)
    assert rates[55] == pytest.approx(3e-3)
    assert 0 < rates[-1] < 1e-6
    assert rate(0, 1, 6e-3) > 0
