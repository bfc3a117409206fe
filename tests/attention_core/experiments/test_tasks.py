"""The examples: each answers its own question; every seed has its own stream."""

from itertools import islice

import pytest
import torch

from attention_core.experiments.named import named_batches, named_held_out
from attention_core.experiments.tasks import TASKS, batches, held_out
from attention_core.inputs.random_streams import draw

SEEDS = (3, 7)


def test_reverse_answers_with_the_token_at_the_other_end():
    batch = held_out("reverse", SEEDS, 5)
    assert batch.values.shape == (2, 5, 16)
    assert torch.equal(batch.target, batch.values.flip(-1))
    assert batch.queries.shape == (2, 1, 16)  # all examples share their scores


def test_recall_asks_for_one_of_eight_different_keys():
    batch = held_out("recall", SEEDS, 101)
    assert all(len(set(keys)) == 8 for keys in batch.keys.flatten(0, 1).tolist())
    asked = (batch.keys == batch.queries).nonzero()[:, -1].view(2, 101)
    assert torch.equal(asked, batch.correct.squeeze(-1))
    assert torch.equal(batch.target.squeeze(-1), batch.values.gather(-1, asked.unsqueeze(-1)).squeeze(-1))
    assert set(batch.keys.flatten().tolist()) == set(range(32))
    assert set(asked.flatten().tolist()) == set(range(8))


def test_noisy_asks_with_a_rotated_copy_of_a_key():
    batch = held_out("noisy", SEEDS, 401)
    for s, seed in enumerate(SEEDS):
        rotation = torch.linalg.qr(draw(seed, "noisy/rotation", 16, 16))[0]
        assert torch.allclose(rotation @ rotation.mT, torch.eye(16), atol=1e-5)
        chosen = batch.keys[s][torch.arange(401), batch.correct[s, :, 0]]
        noise = batch.queries[s].squeeze(1) - chosen @ rotation
        assert noise.std().item() == pytest.approx(0.3, rel=0.05)  # 6416 numbers: five standard deviations
        assert noise.mean().abs().item() < 0.02


@pytest.mark.parametrize("task", TASKS)
def test_a_seeds_examples_depend_on_nothing_else(task):
    together, alone = batches(task, SEEDS, 3), batches(task, SEEDS[1:], 3)
    for _ in range(53):  # beyond the first block
        one, other = next(together), next(alone)
        for name in ("queries", "keys", "values", "correct"):
            assert torch.equal(getattr(one, name)[1:], getattr(other, name))


@pytest.mark.parametrize("task", TASKS)
def test_no_batch_comes_twice(task):
    seen = {tuple(batch.values.flatten().tolist()) for batch in islice(batches(task, SEEDS, 3), 103)}
    held = {tuple(part.flatten().tolist()) for part in held_out(task, SEEDS, 9).values.split(3, dim=1)}
    assert len(seen) == 103
    assert len(held) == 3
    assert seen.isdisjoint(held)


@pytest.mark.parametrize("task", ["recall", "noisy"])
def test_parts_are_the_whole(task):
    whole = held_out(task, SEEDS, 11)
    parts = list(whole.parts(4))
    assert [part.values.shape[1] for part in parts] == [4, 4, 3]
    for name in ("queries", "keys", "values", "correct"):
        assert torch.equal(torch.cat([getattr(part, name) for part in parts], 1), getattr(whole, name))


FIRST = {
    "reverse": ([3, 10, 12, 14, 1, 3, 11, 1, 3, 9, 5, 11, 12, 12, 15, 1],
                [5, 14, 7, 2, 6, 12, 13, 4, 12, 12, 3, 6, 0, 2, 14, 8]),
    "recall": ([7, 5, 7, 1, 1, 0, 2, 1], [6, 1, 3, 4, 1, 4, 4, 0]),
    "noisy": ([3, 3, 1, 4, 4, 1, 3, 5], [7, 5, 0, 1, 7, 2, 6, 0]),
}  # fmt: skip


@pytest.mark.parametrize("task", TASKS)
def test_the_first_examples_are_those_of_results_already_shipped(task):
    trained, kept = FIRST[task]
    assert next(batches(task, SEEDS, 3)).values[0, 0].tolist() == trained
    assert held_out(task, SEEDS, 3).values[0, 0].tolist() == kept


def test_the_first_names_are_those_of_results_already_shipped():
    batch, kept = next(named_batches(SEEDS, 3, 5, 2)), named_held_out(SEEDS, 3, 5, 2)
    assert batch.values[0, 0].tolist() == [1, 4, 3, 4, 3, 2, 1, 4]
    assert batch.named[0, 0].tolist() == [6, 1, 3]
    assert kept.values[0, 0].tolist() == [2, 4, 3, 2, 2, 1, 0, 1]
    assert kept.named[0, 0].tolist() == [1, 6, 4]


def test_the_named_positions_are_different_and_every_one_comes():
    batch = named_held_out(SEEDS, 3, 5, 211)
    assert all(len(set(named)) == 3 for named in batch.named.flatten(0, 1).tolist())
    assert set(batch.named.flatten().tolist()) == set(range(8))
    assert set(batch.values.flatten().tolist()) == set(range(5))
    rows = zip(batch.values.flatten(0, 1), batch.named.flatten(0, 1), strict=True)
    assert torch.equal(batch.target.flatten(0, 1), torch.stack([values[named] for values, named in rows]))


def test_the_names_of_a_seed_depend_on_nothing_else():
    together, alone = named_batches(SEEDS, 2, 5, 3), named_batches(SEEDS[1:], 2, 5, 3)
    seen = set()
    for _ in range(53):
        one, other = next(together), next(alone)
        assert torch.equal(one.named[1:], other.named)
        assert torch.equal(one.values[1:], other.values)
        seen.add(tuple(one.values.flatten().tolist()))
    assert len(seen) == 53
