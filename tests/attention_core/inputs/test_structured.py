"""Planted patterns of a structured sequence have the documented places and strengths."""

import itertools
import math

import pytest
import torch

from attention_core import AttentionConfig, compute, draw
from attention_core.inputs.sources import draw_inputs, per_head
from attention_core.inputs.structured import COPIES, SUBJECTS, heads_with, motif_length, motif_starts


def config(**settings: object) -> AttentionConfig:
    return AttentionConfig(**{"n": 419, "h": 4, "d_k": 61, "seed": 3, "source": "structured", **settings})


def test_the_same_seed_plants_the_same_and_another_another() -> None:
    one, same, other = (draw_inputs(config(seed=seed)) for seed in (3, 3, 4))
    assert torch.equal(one.Q, same.Q)
    assert torch.equal(one.K, same.K)
    assert not torch.equal(one.Q, other.Q)


def test_more_heads_and_a_larger_width_keep_what_was_there() -> None:
    small, heads, wide = (draw_inputs(config(h=h, d_k=d_k)) for h, d_k in ((2, 61), (4, 61), (2, 67)))
    assert torch.equal(heads.K[:2], small.K)
    noise = (draw(3, "K/1", 67, 419).T[:, :61], draw(3, "K/1", 61, 419).T)
    # Codes scale with d_k to keep the score; without them a narrower head is the start of a wider one.
    factor = (61 / 67) ** 0.25
    torch.testing.assert_close(wide.K[1, :, :61] - noise[0], (small.K[1] - noise[1]) * factor)


def test_the_copies_of_the_phrase_find_each_other() -> None:
    result = compute(config())
    length, starts = motif_length(result.config), motif_starts(result.config).tolist()
    assert (length, len(starts)) == (26, COPIES)
    assert all(after - before >= length for before, after in itertools.pairwise(starts))
    assert all(int(start * COPIES // 419) == fifth for fifth, start in enumerate(starts))
    diagonal = torch.stack(
        [result.scaled[1, a : a + length, b : b + length].diagonal() for a in starts for b in starts if a != b]
    )
    assert diagonal.mean().item() == pytest.approx(math.log(419) + 1, rel=0.1)
    elsewhere = result.scaled[1].mean().item()
    assert abs(elsewhere) < 0.2
    # more than half of a phrase token's weight is on its five copies
    rows = result.weights[1, starts[0] : starts[0] + length]
    found = torch.stack([rows[:, start : start + length].diagonal() for start in starts]).sum(0)
    assert found.mean() > 0.5


def test_a_subject_likes_itself_and_comes_back_at_the_end() -> None:
    scores = compute(config(n=600)).scaled[2]  # 100 tokens per subject, the first 75 of them still
    held = [slice(100 * k, 100 * k + 75) for k in range(SUBJECTS)]
    for a in range(SUBJECTS):
        for b in range(SUBJECTS):
            same = a == b or {a, b} == {0, SUBJECTS - 1}
            assert scores[held[a], held[b]].mean().item() == pytest.approx(3.0 if same else 0.0, abs=1.5)
    half = scores[87, held[0]].mean() - scores[87, held[1]].mean()  # in the slide both count about equally
    assert half.abs() < 2.0


def test_the_first_key_draws_every_query() -> None:
    result = compute(config())
    assert result.scaled[3, :, 0].mean().item() == pytest.approx(math.log(419), rel=0.2)
    assert result.scaled[3, :, 1:].mean(0).abs().max() < 2.5
    assert result.weights[3, :, 0].mean() > 0.3
    assert result.weights[1, :, 0].mean() < 0.05


def test_the_fifth_head_has_all_three_again_with_codes_of_its_own() -> None:
    result = compute(config(h=5))
    assert result.weights[4, :, 0].mean() > 0.15
    assert not torch.allclose(result.Q[4], result.Q[0])


def test_values_stay_noise_and_a_sequence_of_two_works() -> None:
    two = config(n=2, d_k=1)
    assert torch.equal(per_head(two, None, "V"), per_head(AttentionConfig(n=2, h=4, d_k=1, seed=3), None, "V"))
    assert compute(two).weights.isfinite().all()
    assert [heads_with(plant, 5) for plant in ("motif", "topic", "sink")] == [[0, 1, 4], [0, 2, 4], [0, 3, 4]]
