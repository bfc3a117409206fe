"""Q and K in files, and the answer of a single process."""

from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from attention_core import AttentionStatistics, attention_statistics

MOMENTS = ("score_mean", "score_variance")


def drawn(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """Return normal numbers around ¼, so that the scores' mean is not 0; they depend on the shape."""
    generator = torch.Generator().manual_seed(sum(size * 31**place for place, size in enumerate(shape)))
    return (torch.randn(shape, generator=generator) + 0.25).to(dtype)


def saved(path: Path, **tensors: Tensor) -> str:
    """Save the tensors; return `path` as the command line takes it."""
    save_file(tensors, path)
    return str(path)


def assert_answers(out: Path, Q: Tensor, K: Tensor, **settings: Any) -> AttentionStatistics:
    """Assert that the result in `out` equals `attention_statistics` of all rows at once, up to float32's rounding."""
    found = load_file(out / "statistics.safetensors")
    alone = attention_statistics(Q, K, **settings)
    names = {*alone.names, *MOMENTS}
    parts = () if alone.histogram is None else ("edges", "counts", "below", "above")
    assert all(torch.equal(found[f"histogram_{part}"], getattr(alone.histogram, part)) for part in parts)
    assert found.keys() == names | {"largest_at"} | {f"histogram_{part}" for part in parts}
    assert torch.equal(found["largest_at"], alone.largest_at)
    for name in names:
        torch.testing.assert_close(found[name], getattr(alone, name), rtol=1e-5, atol=1e-6, equal_nan=True, msg=name)
    return alone


def blocks(out: Path) -> dict[str, tuple[int, int]]:
    """Return the identity and time of each block's file: a block computed again is another file."""
    return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in sorted((out / "blocks").iterdir())}
