"""The stated memory is never exceeded and not far too large; it grows as n, not as n²."""

import pytest
import torch

from attention_core import additive_attention_statistics, attention_statistics
from attention_core.blocks.memory_bound import extra_bytes
from attention_core.studies.tensor_memory import TensorMemory

pytestmark = pytest.mark.slow

WINDOWED = {"window": 100}
RANDOM = {"mask": torch.rand(1511, 1511, generator=torch.Generator().manual_seed(0)) < 0.9}


@pytest.fixture(params=[1, 2, 3])
def threads(request):
    """Number of heads computed at once."""
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


@pytest.mark.night
@pytest.mark.parametrize(
    ("options", "stated"),
    [
        ({}, {}),
        ({"block": 31}, {"block": 31}),
        ({"causal": True}, {"masked": True}),
        (WINDOWED, {"masked": True}),
        (RANDOM, {"masked": True}),
        ({"softcap": 2.0}, {"softcap": 2.0}),
        ({"sigmoid": True, "softcap": 2.0, "causal": True}, {"sigmoid": True, "softcap": 2.0, "masked": True}),
        ({"histogram": 64}, {"histogram": 64}),
        ({"histogram": 64, "overview": 128, "causal": True}, {"histogram": 64, "overview": 128, "masked": True}),
    ],
    ids=["plain", "small blocks", "causal", "window", "mask", "softcap", "gates", "histogram", "everything"],
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_the_most_that_tensors_hold_at_once(options, stated, dtype, threads):
    generator = torch.Generator().manual_seed(0)
    Q, K = (torch.randn(3, 1511, 17, generator=generator).to(dtype) for _ in range(2))
    attention_statistics(Q[:, :7], K[:, :7])
    with TensorMemory() as memory:
        attention_statistics(Q, K, **options)
    bound = extra_bytes((3,), 1511, 1511, 17, dtype=dtype, threads=threads, **stated)
    assert bound / 3 <= memory.peak <= bound


@pytest.mark.night
def test_wide_vectors(threads):
    """Here the covariances take more than the blocks."""
    Q = torch.randn(3, 1511, 509, generator=torch.Generator().manual_seed(0))
    with TensorMemory() as memory:
        attention_statistics(Q, Q)
    bound = extra_bytes((3,), 1511, 1511, 509, threads=threads)
    assert bound / 3 <= memory.peak <= bound


@pytest.mark.night
def test_additive(threads):
    Q, K = (torch.randn(3, 509, 17, generator=torch.Generator().manual_seed(0)) for _ in range(2))
    W = torch.randn(17, 13, generator=torch.Generator().manual_seed(1))
    with TensorMemory() as memory:
        additive_attention_statistics(Q, K, W, W, W[0])
    bound = extra_bytes((3,), 509, 509, 17, n_hidden=13, threads=threads)
    assert bound / 3 <= memory.peak <= bound


def test_a_long_sequence_takes_a_few_megabytes_where_the_matrix_takes_gigabytes():
    """8 heads of 16,384 tokens: 8.6 GB of weights in float32."""
    everything = {"histogram": 64, "overview": 256, "masked": True}
    assert 8 * 16384**2 * 4 > 8e9
    for threads in (1, 2, 4, 8):
        assert extra_bytes((8,), 16384, 16384, 64, threads=threads, **everything) <= 64e6
    a, b = (extra_bytes((8,), n, n, 64, **everything) for n in (2**20, 2**21))
    assert b / a < 2.1
