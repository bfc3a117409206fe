"""The benchmark of a GPU: on the CPU it holds its bounds at small sizes, and it runs on "cuda" in name."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from attention_core import device
from benchmarks import on_gpu
from benchmarks.on_gpu import PARTS, Machine, Measured
from tests.pretended_gpu import pretended_gpu
from visualiser import gpu

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.night
@pytest.mark.slow
def test_every_part_holds_its_bounds_on_the_cpu() -> None:
    command = [sys.executable, "benchmarks/gpu.py", "--device", "cpu"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=500)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "device    no GPU: small sizes on the CPU" in ended.stdout
    assert {line.split()[0] for line in ended.stdout.splitlines() if line[:1].islower()} >= {*PARTS}
    assert "no bound is missed" in ended.stdout


@pytest.mark.night
@pytest.mark.parametrize("part", ["numbers", "formats", "map", "frames"])
def test_a_part_runs_on_cuda(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Machine, "wait", lambda self: None)
    monkeypatch.setattr(Machine, "seconds", lambda self, call, calls=5: (call(), 1.0)[1])
    monkeypatch.setattr(Machine, "most_held", lambda self, call: (call(), 2**20)[1])
    monkeypatch.setattr(on_gpu, "at_random", lambda count, seed, of=on_gpu.at_random: of(5, seed))
    monkeypatch.setattr(gpu, "_crossings", {"cuda": 1e4})
    with pretended_gpu():
        monkeypatch.setattr(gpu, "available", device.available)
        found = list(PARTS[part](Machine(torch.device("cuda", 0), large=False)))
    assert found
    assert not [one for one in found if one.missed(bounds_times=True)]


def test_a_missed_bound_ends_with_1(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def parts(value: float, *, timed: bool) -> dict[str, object]:
        return {"one": lambda machine: iter([Measured("a number", value, "units", 3.0, timed)])}

    for value, timed, status in ((2.9, False, 0), (3.1, False, 1), (float("nan"), False, 1), (99.0, True, 0)):
        monkeypatch.setattr(on_gpu, "PARTS", parts(value, timed=timed))
        assert on_gpu.run("cpu", True, ["one"]) == status, value
    assert "missed:\n  a number" in capsys.readouterr().out
    assert Measured("a time", 99.0, "s", 3.0, timed=True).missed(bounds_times=True)
