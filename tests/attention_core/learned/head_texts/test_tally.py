"""Counts within a bound: exact below it, and never too small by more than is said above it."""

from collections import Counter

import torch

from attention_core.learned.head_texts.tally import Tally
from attention_core.studies.tensor_memory import TensorMemory


def test_numbers_are_counted_with_the_sums_of_their_values():
    tally = Tally(100)
    tally.add(torch.tensor([7, 3, 7]), torch.tensor([0.25, 1.0, 0.5]))
    tally.add(torch.tensor([3, 7, 9]), torch.tensor([1.0, 0.25, 2.0]))
    numbers, sums = tally.between(0, 9)
    assert numbers.tolist() == [7, 3]
    assert sums.tolist() == [[3.0, 1.0], [2.0, 2.0]]
    assert tally.missed == 0


def test_what_is_seldom_is_dropped_and_said():
    generator = torch.Generator().manual_seed(1)
    tally, told = Tally(64), Counter[int]()
    for _ in range(40):
        numbers = (torch.rand(4_000, generator=generator) ** 6 * 900).long()
        told.update(numbers.tolist())
        tally.add(numbers, torch.ones(len(numbers)))
    numbers, sums = tally.between(0, 900)
    assert 0 < len(numbers) <= 64
    assert tally.missed > 0
    found = dict(zip(numbers.tolist(), sums[:, 0].int().tolist(), strict=True))
    for number, count in told.items():
        assert count - tally.missed <= found.get(number, 0) <= count
    assert numbers[0] == told.most_common(1)[0][0]


def test_65536_numbers_wait_at_most():
    """Fewer are held as they came, 16 bytes each; then each different one takes 24."""
    tally = Tally(100)
    tally.add(torch.zeros(2**16 - 1, dtype=torch.int64), torch.ones(2**16 - 1))
    assert tally.bytes == 16 * (2**16 - 1)
    tally.add(torch.tensor([0]), torch.ones(1))
    assert tally.bytes == 24


def test_counting_takes_little_beside_what_is_held():
    """What a full tally makes anew while it settles is what reading a long text needs beside its model."""
    generator, most = torch.Generator().manual_seed(2), 2**18
    tally = Tally(most)
    tally.add(torch.arange(most), torch.ones(most))
    numbers = torch.randint(2**40, (2**16,), generator=generator)
    with TensorMemory() as memory:
        tally.add(numbers, torch.ones(len(numbers)))
    assert memory.peak < 2.5 * 24 * most
