"""What came after 1/√d_k, in blocks: random states beside one pass, dense matrices, and numpy in float64."""

import json
import math
import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor

from attention_core import AttentionConfig, AttentionInputs, attention_statistics, compute
from attention_core.exact.rms_norm import rms_norm
from attention_core.normalisations import NORMALISATIONS
from attention_core.sharded.__main__ import main
from attention_core.sharded.block import edges
from tests.attention_core.normalisations import oracles
from tests.attention_core.sequences import per_head
from tests.attention_core.sharded.sequences import MOMENTS, blocks, drawn, saved
from tests.attention_core.sharded.threads import run_in_threads
from tests.draws import cases

STATES = 160
PARTS = 4
SERVED = ("softmax", "sink", "sigmoid")
HISTOGRAM = (-1.5, 2.25, 7)


@dataclass(frozen=True)
class State:
    """Sizes, files' type, mask and settings of one run; `ranks` of the first start and of the second."""

    heads: tuple[int, int] | None
    n_q: int
    n_k: int
    d_k: int
    dtype: torch.dtype
    scale: float | None
    causal: bool
    window: int | None
    histogram: bool
    block_rows: int
    ranks: tuple[int, int]
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def tensors(self) -> tuple[Tensor, Tensor]:
        heads, groups = ((), ()) if self.heads is None else ((self.heads[0],), (self.heads[1],))
        return drawn(*heads, self.n_q, self.d_k, dtype=self.dtype), drawn(*groups, self.n_k, self.d_k, dtype=self.dtype)

    @property
    def arguments(self) -> list[str]:
        given: list[str] = ["--block-rows", str(self.block_rows)]
        for name in ("scale", "window"):
            if getattr(self, name) is not None:
                given += [f"--{name}", repr(getattr(self, name))]
        given += ["--causal"] if self.causal else []
        given += ["--histogram", *map(str, HISTOGRAM)] if self.histogram else []
        for name, value in self.settings.items():
            given += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
        return given

    @property
    def factor(self) -> float:
        base = 1 / math.sqrt(self.d_k) if self.scale is None else self.scale
        return base * math.log(self.n_k) / math.log(32) if "log_n" in self.settings else base

    @property
    def name(self) -> str:
        return self.settings.get("normalisation", "softmax")


def states(seed: int, count: int) -> Iterator[State]:
    """Yield random states: blocks of one row and of all, rows without keys, scores from equal to one-hot."""
    pick = random.Random(seed).choice
    for _ in range(count):
        settings: dict[str, Any] = {name: True for name in ("qk_norm", "log_n") if pick([True, False])}
        if cap := pick([0.0, 0.0, 0.5, 2.0, 30.0]):
            settings["softcap"] = cap
        if (name := pick(SERVED)) != "softmax":
            settings["normalisation"] = name
        if name == "sink" and pick([True, True, False]):
            settings["sink"] = pick([-16.0, -2.0, 0.7, 5.0, 16.0])
        yield State(
            heads=pick([None, (1, 1), (2, 1), (3, 3), (6, 2)]), n_q=pick([1, 2, 11, 37, 71]),
            n_k=pick([1, 3, 13, 41, 83]), d_k=pick([1, 2, 7, 13]),
            dtype=pick([torch.float32, torch.float32, torch.float16, torch.bfloat16]),
            scale=pick([None, None, 0.0, 0.3, 1.0, 4.0]), causal=pick([True, False]),
            window=pick([None, None, 0, 1, 5, 43]), histogram=pick([True, False]), block_rows=pick([1, 5, 17, 64]),
            ranks=(pick([1, 2, 3]), pick([1, 2, 3])), settings=settings,
        )  # fmt: skip


def ran(state: State, folder: Path) -> dict[str, Tensor]:
    """Run twice: the second start finds half the blocks, and other ranks. Return the result."""
    Q, K = state.tensors
    arguments = [saved(folder / "both.safetensors", Q=Q, K=K), *state.arguments]
    folders = [folder / str(rank) for rank in range(max(state.ranks))]
    run_in_threads(arguments, folders[: state.ranks[0]])
    first = load_file(folders[0] / "statistics.safetensors")
    for out in folders[: state.ranks[0]]:
        for path in sorted((out / "blocks").iterdir())[::2]:
            path.unlink()
    run_in_threads(arguments, folders[: state.ranks[1]])
    second = load_file(folders[0] / "statistics.safetensors")
    assert first.keys() == second.keys()
    assert all(torch.equal(first[name], second[name]) for name in first)
    return second


def scores(state: State) -> tuple[Tensor, Tensor]:
    """Return the scaled scores and the mask (heads × n_q × n_k), in float64 and by other means than the core's."""
    Q, K = (tensor.double() for tensor in state.tensors)
    if "qk_norm" in state.settings:
        Q, K = (x / x.square().mean(-1, keepdim=True).sqrt().clamp_min(1e-300) for x in (Q, K))
    i, j = torch.arange(state.n_q).unsqueeze(-1) + state.n_k - state.n_q, torch.arange(state.n_k)
    there = torch.ones(state.n_q, state.n_k, dtype=torch.bool)
    if state.causal:
        there &= j <= i
    if state.window is not None:
        there &= (j - i).abs() <= state.window
    return Q @ per_head(Q, K).mT * state.factor, there


def capped(state: State, exact: Tensor) -> Tensor:
    cap = state.settings.get("softcap", 0.0)
    return cap * (exact / cap).tanh() if cap else exact


def agrees_with_one_pass(state: State, found: dict[str, Tensor], exact: Tensor) -> None:
    Q, K = (tensor.float() for tensor in state.tensors)
    if "qk_norm" in state.settings:
        Q, K = rms_norm(Q), rms_norm(K)
    alone = attention_statistics(
        Q, K, scale=state.factor, causal=state.causal, window=state.window, softcap=state.settings.get("softcap"),
        sink=state.settings.get("sink", 0.0) if state.name == "sink" else None, sigmoid=state.name == "sigmoid",
        histogram=edges(HISTOGRAM) if state.histogram else None,
    )  # fmt: skip
    names = set(NORMALISATIONS[state.name].statistics)
    assert names == set(alone.names)
    counted = {f"histogram_{part}" for part in ("edges", "counts", "below", "above")} if state.histogram else set()
    assert found.keys() == names | {*MOMENTS, "largest_at"} | counted
    size = 1 + exact.abs().max().item()
    for name in names:
        least = 1e-6 * size if name == "logsumexp" else 1e-30  # it crosses 0
        torch.testing.assert_close(found[name], getattr(alone, name), rtol=2e-6 * size, atol=least, msg=name)
    for name in MOMENTS:
        torch.testing.assert_close(
            found[name], getattr(alone, name), rtol=1e-5, atol=1e-6 * size, equal_nan=True, msg=name
        )
    ours, theirs = found["largest_at"], alone.largest_at
    assert torch.equal(ours < 0, theirs < 0)
    at = [capped(state, exact).gather(-1, one.clamp_min(0).unsqueeze(-1)) for one in (ours, theirs)]
    torch.testing.assert_close(*at, rtol=1e-6, atol=1e-6 * size)  # the same key, or one as high


def agrees_with_float64(state: State, found: dict[str, Tensor], exact: Tensor, there: Tensor) -> None:
    cap, sink = state.settings.get("softcap", 0.0), state.settings.get("sink", 0.0)
    scaled = exact.numpy()
    slopes = 1 / np.cosh(scaled / cap) ** 2 if cap else np.ones_like(scaled)
    masked = np.where(there.numpy(), capped(state, exact).numpy(), -np.inf)
    wanted = oracles.statistics(state.name, masked, oracles.weights(state.name, masked, sink), slopes, sink)
    assert set(wanted) == set(NORMALISATIONS[state.name].statistics)
    off = 3e-6 * (1 + np.abs(scaled).max())
    for name, value in wanted.items():
        np.testing.assert_allclose(
            found[name].double(), value, rtol=off, atol=max(1e-7, off if name == "logsumexp" else 0), err_msg=name
        )


def agrees_with_dense(state: State, found: dict[str, Tensor]) -> None:
    """Hold it against `compute`, whose masks are fewer."""
    if state.window == 0 or (state.causal and state.window is not None):
        return
    Q, K = (tensor.float().view(-1, *tensor.shape[-2:]) for tensor in state.tensors)
    K = per_head(Q, K)
    mask: dict[str, Any] = {"mask": "causal"} if state.causal else {}
    if state.window is not None:
        mask = {"mask": "window", "window": state.window}
    scale = {} if state.scale is None else {"scaling": "custom", "scale": state.scale}
    config = AttentionConfig(source="upload", **scale, **mask, **state.settings)
    result = compute(config, AttentionInputs(Q, K, torch.zeros_like(K)), "cpu")
    size = 1 + result.scaled.abs().max().item()
    for name in NORMALISATIONS[state.name].statistics:
        least = 1e-6 * size if name == "logsumexp" else 1e-12
        value = result.statistic(name).expand(Q.shape[:-1]).view(found[name].shape)
        torch.testing.assert_close(found[name], value, rtol=3e-6 * size, atol=least, msg=name)


@pytest.mark.night
@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_every_sharding_is_one_pass_and_the_whole_matrix(part: int, tmp_path: Path) -> None:
    for index, state in enumerate(states(part, cases(STATES // PARTS))):
        folder = tmp_path / str(index)
        folder.mkdir()
        try:
            found = ran(state, folder)
            exact, there = scores(state)
            agrees_with_one_pass(state, found, exact)
            agrees_with_float64(state, found, exact, there)
            agrees_with_dense(state, found)
        except AssertionError as error:
            raise AssertionError(f"{state}: {error}") from error
        shutil.rmtree(folder)


RUN = {"qk_norm": True, "log_n": True, "softcap": 3.0, "normalisation": "sigmoid"}
"""Settings that all depend on whole vectors or on the whole sequence."""


@pytest.mark.slow
@pytest.mark.night(but=1)
@pytest.mark.parametrize("name", SERVED)
def test_n_is_that_of_the_sequence_in_a_block_that_sees_few_keys(name: str, tmp_path: Path) -> None:
    """A block of five rows sees at most 13 of 61 keys."""
    state = State(
        heads=(2, 1), n_q=53, n_k=61, d_k=7, dtype=torch.float32, scale=None, causal=True, window=8, histogram=False,
        block_rows=5, ranks=(1, 2), settings={**RUN, "normalisation": name},
    )  # fmt: skip
    found = ran(state, tmp_path)
    exact, there = scores(state)
    agrees_with_one_pass(state, found, exact)
    agrees_with_float64(state, found, exact, there)
    settings = json.loads((tmp_path / "0" / "run.json").read_text(encoding="utf-8"))
    usual = {} if name == "softmax" else {"normalisation": name}
    own = {key: settings[key] for key in ("qk_norm", "log_n", "softcap", "normalisation") if key in settings}
    assert own == {"qk_norm": True, "log_n": True, "softcap": 3.0, **usual}
    assert settings["scale"] == 1 / math.sqrt(7)  # log_n stands beside it


def test_rows_have_the_statistics_of_their_weights_alone(tmp_path: Path) -> None:
    Q, K = drawn(3, 11, 7), drawn(1, 13, 7)
    file = saved(tmp_path / "both.safetensors", Q=Q, K=K)
    for name, has, lacks in (
        ("sink", {"sink_weight", "entropy", "logsumexp"}, {"mass", "support"}),
        ("sigmoid", {"mass", "largest_weight"}, {"entropy", "effective_keys", "ceiling", "logsumexp", "sink_weight"}),
    ):
        assert main([file, "--out", str(tmp_path / name), "--normalisation", name, "--causal"]) == 0
        found = load_file(tmp_path / name / "statistics.safetensors")
        assert found.keys() >= has
        assert not found.keys() & lacks


@pytest.mark.slow
@pytest.mark.night(but=1)
@pytest.mark.parametrize(
    ("change", "differing"),
    [
        (["--qk-norm"], "qk_norm"),
        (["--log-n"], "log_n"),
        (["--softcap", "2"], "softcap"),
        (["--normalisation", "sigmoid"], "normalisation"),
        (["--normalisation", "sink"], "normalisation"),
        (["--normalisation", "sink", "--sink", "1", "--log-n"], "log_n, normalisation, sink"),
    ],
)
def test_a_folder_of_other_settings_is_refused(
    change: list[str], differing: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both ways: what the plain run left refuses the setting, and what the setting left refuses the plain run."""
    file = saved(tmp_path / "both.safetensors", Q=drawn(3, 37, 7), K=drawn(1, 41, 7))
    commands = {"plain": [file, "--block-rows", "7"], "changed": [file, "--block-rows", "7", *change]}
    for name, command in commands.items():
        assert main([*command, "--out", str(tmp_path / name)]) == 0
    for name, other in (("plain", "changed"), ("changed", "plain")):
        out = tmp_path / name
        before = blocks(out)
        capsys.readouterr()
        assert main([*commands[other], "--out", str(out)]) == 2
        assert f"another run, which differs in {differing};" in capsys.readouterr().err
        assert blocks(out) == before
        (out / "run.json").unlink()  # even then no block of the other run counts
        assert main([*commands[other], "--out", str(out)]) == 0
        assert capsys.readouterr().out.endswith("6 blocks, 0 of them from before\n")


def test_usual_settings_name_nothing_so_that_older_folders_go_on(tmp_path: Path) -> None:
    file = saved(tmp_path / "both.safetensors", Q=drawn(3, 11, 7), K=drawn(1, 13, 7))
    out = tmp_path / "out"
    assert main([file, "--out", str(out)]) == 0
    before = blocks(out)
    assert main([file, "--out", str(out), "--softcap", "0", "--normalisation", "softmax"]) == 0
    assert blocks(out) == before
    assert json.loads((out / "run.json").read_text(encoding="utf-8")).keys() == {
        *("layout", "Q", "K", "scale", "causal", "window", "histogram", "block_rows")
    }
