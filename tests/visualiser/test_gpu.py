"""Where the pages compute: by size, as it was measured, or as `HEADLIGHT_DEVICE` says."""

import math

import pytest
import torch

from attention_core import AttentionConfig, compute, compute_rows, device
from tests.pretended_gpu import pretended_gpu
from visualiser import gpu

SIZES = [8.0 * n * n for n in (16, 32, 64, 128, 256, 512)]


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Simulate a machine with a GPU that is faster from a thousand scores on."""
    monkeypatch.setattr(device, "available", lambda: {"cuda": True, "mps": False, "cpu": True})
    monkeypatch.setattr(gpu, "available", lambda: {"cuda": True, "mps": False, "cpu": True})
    monkeypatch.setattr(gpu, "_crossings", {"cuda": 1000.0})
    monkeypatch.delenv("HEADLIGHT_DEVICE", raising=False)
    monkeypatch.delenv("SPACES_ZERO_GPU", raising=False)
    return monkeypatch


def test_a_small_work_stays_on_the_cpu(machine: pytest.MonkeyPatch) -> None:
    assert [gpu.device_for(scores) for scores in (1, 999, 1000, 1e9)] == ["cpu", "cpu", "cuda", "cuda"]
    assert gpu.device_name() == "cuda"
    assert gpu.training_device() == "cpu"


@pytest.mark.parametrize("chosen", ["cpu", "cuda", "mps"])
def test_a_chosen_device_does_everything(machine: pytest.MonkeyPatch, chosen: str) -> None:
    machine.setenv("HEADLIGHT_DEVICE", chosen)
    machine.setattr(gpu, "_measured", lambda kind: pytest.fail("nothing is measured"))
    machine.setattr(gpu, "_crossings", {})
    gpu.calibrate()
    assert {gpu.device_for(1), gpu.device_for(1e12), gpu.device_name(), gpu.training_device()} == {chosen}


def test_a_zero_gpu_space_and_a_machine_without_a_gpu_measure_nothing(machine: pytest.MonkeyPatch) -> None:
    machine.setattr(gpu, "_measured", lambda kind: pytest.fail("nothing is measured"))
    machine.setattr(gpu, "_crossings", {})
    machine.setenv("SPACES_ZERO_GPU", "true")
    assert gpu.device_for(1e12) == gpu.device_name() == "cpu"
    machine.delenv("SPACES_ZERO_GPU")
    machine.setattr(gpu, "available", lambda: {"cuda": False, "mps": False, "cpu": True})
    assert gpu.device_for(1e12) == gpu.device_name() == "cpu"


@pytest.mark.parametrize("start", [1e-4, 1e-3, 1e-2])
@pytest.mark.parametrize("cell", [1e-9, 1e-8])
def test_the_crossing_lies_where_both_take_the_same_time(start: float, cell: float) -> None:
    """A CPU that takes `cell` seconds a score, and a GPU that begins after `start` and takes a twentieth."""
    true = start / (cell * 0.95)
    found = gpu.crossed([(scores, cell * scores, start + cell / 20 * scores) for scores in SIZES])
    if true <= SIZES[0]:
        assert found == 0
    elif true > SIZES[-1]:
        assert found == math.inf
    else:
        few, many = (max(s for s in SIZES if s < true), min(s for s in SIZES if s >= true))
        assert few < found <= many
        assert found == pytest.approx(true, rel=0.5)


def test_a_gpu_that_is_slower_once_more_counts_from_there() -> None:
    assert 4.0 < gpu.crossed([(1.0, 1.0, 2.0), (2.0, 3.0, 2.0), (4.0, 4.0, 5.0), (8.0, 9.0, 5.0)]) < 8.0
    assert gpu.crossed([(1.0, 1.0, 0.5)]) == 0.0
    assert gpu.crossed([(1.0, 1.0, 1.5)]) == math.inf
    assert gpu.crossed([(1.0, 1.0, 2.0), (16.0, 8.0, 4.0)]) == pytest.approx(4.0)


def test_it_is_measured_once(machine: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, int]] = []

    def seconds(kind: str, n: int) -> float:
        asked.append((kind, n))
        return 8e-9 * n * n if kind == "cpu" else 1e-3 + 1e-9 * n * n

    machine.setattr(gpu, "_crossings", {})
    machine.setattr(gpu, "_seconds", seconds)
    gpu.calibrate()
    assert gpu.crossing("cuda") == pytest.approx(1e-3 / 7e-9 * 8, rel=0.2)
    assert gpu.device_for(1e9) == "cuda"
    assert len(asked) == len(set(asked))
    assert ("cpu", 4096) not in asked  # at 1024 tokens the GPU is three times as fast


def test_a_gpu_that_fails_is_not_used(machine: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def fails(kind: str, n: int) -> float:
        raise RuntimeError("CUDA error: no kernel image is available")

    machine.setattr(gpu, "_crossings", {})
    machine.setattr(gpu, "_seconds", fails)
    assert gpu.device_for(1e12) == "cpu"
    (said,) = caplog.records
    assert "the GPU is not used" in said.getMessage()
    assert "no kernel image" in str(said.exc_info and said.exc_info[1])


def test_a_gpu_without_room_leaves_the_work_to_the_cpu(machine: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def small(config: AttentionConfig, inputs: object, device: str) -> object:
        asked.append(device)
        if device == "cuda":
            raise torch.OutOfMemoryError("CUDA out of memory")
        return compute(config, device="cpu")

    machine.setattr(gpu, "compute", small)
    found = gpu.computed(AttentionConfig(n=40))
    assert asked == ["cuda", "cpu"]
    assert torch.equal(found.weights, compute(AttentionConfig(n=40), device="cpu").weights)


def test_results_and_rows_are_computed_where_their_size_says(machine: pytest.MonkeyPatch) -> None:
    small, large = AttentionConfig(n=8, h=2, d_k=4), AttentionConfig(n=40, h=2, d_k=4)
    expected = compute(large, device="cpu"), compute_rows(large, [3], device="cpu")
    with pretended_gpu() as left:
        gpu.computed(small)
        gpu.rows_computed(large, [3])
        assert not left.copied
        found = gpu.computed(large), gpu.rows_computed(large, range(30))
        assert left.copied
    torch.testing.assert_close(found[0].weights, expected[0].weights)
    torch.testing.assert_close(found[1].weights[:, 3], expected[1].weights[:, 0])


def test_the_measured_work_runs_on_both(machine: pytest.MonkeyPatch) -> None:
    machine.setattr(gpu, "_SIZES", (16, 32))
    machine.setattr(gpu, "_crossings", {})
    with pretended_gpu() as left:
        gpu.calibrate()
        assert left.copied
    assert set(gpu._crossings) == {"cuda"}


def test_a_device_that_is_not_there_is_said_before_the_start(
    machine: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.setenv("HEADLIGHT_DEVICE", "mps")
    with pytest.raises(SystemExit) as ended:
        gpu.require()
    assert ended.value.code == 2
    said = "HEADLIGHT_DEVICE must be auto or a device that this machine has (cuda, cpu); got 'mps'.\n"
    assert capsys.readouterr().err == said
    machine.setenv("HEADLIGHT_DEVICE", " CUDA ")
    gpu.require()
