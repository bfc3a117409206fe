"""Block by block, the statistics equal those of all rows at once, at every mask, shape and type."""

import json
import math
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file

from attention_core import attention_statistics
from attention_core.sharded.__main__ import main
from attention_core.sharded.block import edges
from tests.attention_core.sharded.sequences import assert_answers, drawn, saved

BLOCK = ["--block-rows", "31"]
MASKS = {
    "none": ([], {}),
    "causal": (["--causal"], {"causal": True}),
    "window": (["--window", "13"], {"window": 13}),
    "wide window": (["--window", "79"], {"window": 79}),
    "own position": (["--window", "0"], {"window": 0}),
    "causal window": (["--causal", "--window", "13"], {"causal": True, "window": 13}),
}
# As many keys as queries; more; fewer: under a causal mask three whole blocks and a part then see no key.
KEYS = (109, 127, 11)


@pytest.mark.night(but=2)
@pytest.mark.parametrize("n_k", [KEYS[0], *(pytest.param(n_k, marks=pytest.mark.slow) for n_k in KEYS[1:])])
@pytest.mark.parametrize("mask", MASKS)
def test_rows_keep_their_positions_at_every_mask(tmp_path: Path, mask: str, n_k: int) -> None:
    """Grouped keys: three heads of queries for each head of keys."""
    Q, K = drawn(6, 109, 13), drawn(2, n_k, 13)
    arguments, settings = MASKS[mask]
    file = saved(tmp_path / "both.safetensors", Q=Q, K=K)
    histogram = ["--histogram", "-1.5", "2.25", "7"]
    assert main([file, "--out", str(tmp_path / "out"), *BLOCK, *arguments, *histogram]) == 0
    assert_answers(tmp_path / "out", Q, K, histogram=edges((-1.5, 2.25, 7)), **settings)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_one_head_in_two_files_of_every_type(tmp_path: Path, dtype: torch.dtype) -> None:
    Q, K = drawn(61, 7, dtype=dtype), drawn(53, 7, dtype=dtype)
    files = ["--q", saved(tmp_path / "q.safetensors", Q=Q), "--k", saved(tmp_path / "k.safetensors", K=K)]
    assert main([*files, "--out", str(tmp_path / "out"), *BLOCK, "--scale", "0.7"]) == 0
    assert_answers(tmp_path / "out", Q, K, scale=0.7)


def test_one_head_is_counted_too(tmp_path: Path) -> None:
    Q, K = drawn(11, 7), drawn(13, 7)
    file = saved(tmp_path / "both.safetensors", Q=Q, K=K)
    assert main([file, "--out", str(tmp_path / "out"), "--block-rows", "5", "--histogram", "-1", "1", "3"]) == 0
    assert_answers(tmp_path / "out", Q, K, histogram=edges((-1.0, 1.0, 3)))


def test_without_a_mask_the_moments_are_the_single_answer_to_the_last_digit(tmp_path: Path) -> None:
    """They follow from Q and K in O(n d²); merging the blocks' rounded moments would lose a far mean's digits."""
    Q, K = drawn(3, 61, 7) + 100, drawn(3, 53, 7) + 100
    assert main([saved(tmp_path / "both.safetensors", Q=Q, K=K), "--out", str(tmp_path / "out"), *BLOCK]) == 0
    found, alone = load_file(tmp_path / "out" / "statistics.safetensors"), attention_statistics(Q, K)
    assert torch.equal(found["score_mean"], alone.score_mean)
    assert torch.equal(found["score_variance"], alone.score_variance)


def test_the_result_says_what_it_was_made_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Q, K = drawn(3, 61, 7), drawn(3, 53, 7, dtype=torch.float16)
    out = tmp_path / "out"
    assert main([saved(tmp_path / "both.safetensors", Q=Q, K=K), "--out", str(out), *BLOCK, "--window", "5"]) == 0
    with safe_open(out / "statistics.safetensors", framework="pt") as file:
        run = json.loads(file.metadata()["run"])
    assert run == json.loads((out / "run.json").read_text(encoding="utf-8"))
    assert {**run["Q"], "sha256": ""} == {"shape": [3, 61, 7], "dtype": "float32", "sha256": ""}
    assert {**run["K"], "sha256": ""} == {"shape": [3, 53, 7], "dtype": "float16", "sha256": ""}
    assert (run["scale"], run["causal"], run["window"], run["block_rows"]) == (1 / math.sqrt(7), False, 5, 31)
    captured = capsys.readouterr()
    assert captured.out == f"{out / 'statistics.safetensors'}: 61 rows, 2 blocks, 0 of them from before\n"
    assert [line.partition(": ")[2].partition(",")[0] for line in captured.err.splitlines()] == [
        "rows 31 to 60",  # the last rows first
        "rows 0 to 30",
    ]
