"""The parts of `benchmarks/gpu.py`: what is computed on the device, what is held against the CPU, and the bounds."""

import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from types import MappingProxyType
from typing import Any, Final

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from attention_core import (
    AttentionConfig,
    AttentionStatistics,
    attention_statistics,
    compute,
)
from attention_core.blocks.memory_bound import extra_bytes
from attention_core.device import resolve
from attention_core.experiments import HeadsExperiment, QualityExperiment, train
from attention_core.studies.tensor_memory import TensorMemory
from benchmarks.machine import described
from tests.references.cases import Case, at_random
from tests.references.comparing import UNITS, dense, largest_score, streamed, worst
from visualiser import gpu

HEADS, D_K = 8, 64
ROOT: Final = Path(__file__).resolve().parents[1]

UNITS_APART: Final[Mapping[tuple[str, torch.dtype], float]] = MappingProxyType(
    {
        ("weights", torch.float64): 3.2, ("output", torch.float64): 10.5,
        ("weights", torch.float32): 3.2, ("output", torch.float32): 9.0, ("entropy", torch.float32): 3.2,
        ("jacobian_norm", torch.float32): 3.2, ("jacobian_trace", torch.float32): 3.2,
    }
)  # fmt: skip
"""The worst of docs/truth.md over 300 random cases on two processors, rounded up, in units of each format."""

_IN_MEMORY: Final = ("weights", "output")

HALF_UNITS: Final = 4.0
"""Units of a half format between two devices: a score is rounded to it, then its weight."""

BESIDE_SDPA: Final = 1.5
"""Row statistics as a multiple of torch's fused attention, which computes none."""

CHOSEN: Final = 1.5
"""A frame where `visualiser.gpu` computes it, as a multiple of the faster device."""

CAPTURED_APART: Final = 1e-4


@dataclass(frozen=True)
class Measured:
    """A line of the table; without `most` it is only told. `timed` numbers have no bound on the CPU."""

    what: str
    value: float
    unit: str
    most: float | None = None
    timed: bool = False

    def missed(self, bounds_times: bool) -> bool:
        return self.most is not None and (bounds_times or not self.timed) and not self.value <= self.most


@dataclass(frozen=True)
class Machine:
    """Where the parts run. `large` is False for small sizes."""

    place: torch.device
    large: bool

    @property
    def is_gpu(self) -> bool:
        return self.place.type != "cpu"

    def wait(self) -> None:
        """Wait until all that was asked of the device is done."""
        if self.is_gpu:
            getattr(torch, self.place.type).synchronize()

    def seconds(self, call: Callable[[], Any], calls: int = 5) -> float:
        """Return the median seconds of a call, after one that warms up; of fewer calls where times have no bound."""
        call()
        taken = []
        for _ in range(calls if self.is_gpu else 2):
            self.wait()
            began = time.perf_counter()
            call()
            self.wait()
            taken.append(time.perf_counter() - began)
        return median(taken)

    def most_held(self, call: Callable[[], Any]) -> int:
        """Return the bytes of tensors that a call holds at most."""
        if self.place.type == "cuda":
            self.wait()
            before = torch.cuda.memory_allocated()
            torch.cuda.reset_peak_memory_stats()
            call()
            self.wait()
            return torch.cuda.max_memory_allocated() - before
        with TensorMemory() as memory:
            call()
        return memory.peak


def drawn(n: int, machine: Machine, dtype: torch.dtype = torch.float32) -> tuple[Tensor, Tensor, Tensor]:
    """Return Q, K and V of 8 heads of 64."""
    generator = torch.Generator().manual_seed(n)
    found = (torch.randn(HEADS, n, D_K, generator=generator).to(machine.place, dtype) for _ in "QKV")
    return next(found), next(found), next(found)


def numbers(machine: Machine) -> Iterator[Measured]:
    """Compare random cases with float64 on the CPU, as docs/truth.md does with others."""
    lacks = {torch.float64} if machine.place.type == "mps" else set()
    count, found = 0, 300 if machine.large else 60
    worst_of = {of: 0.0 for of in UNITS_APART if of[1] not in lacks}
    for make in at_random(found, 1).values():
        case = make()
        size = max(1.0, largest_score(case))
        there = case.to(machine.place)
        for quantity, dtype in worst_of:
            ours, theirs = _found(there, quantity, dtype).cpu(), _found(case, quantity, torch.float64)
            count += ours.numel()
            apart = worst(ours.double().numpy(), theirs.double().numpy(), size * UNITS[dtype])
            worst_of[quantity, dtype] = max(worst_of[quantity, dtype], apart)
    for (quantity, dtype), apart in worst_of.items():
        name = f"{quantity} in {str(dtype).removeprefix('torch.')}, {found} random cases"
        yield Measured(name, apart, "units", UNITS_APART[quantity, dtype])
    yield Measured("numbers compared", count, "")


def _found(case: Case, quantity: str, dtype: torch.dtype) -> Tensor:
    return getattr(dense(case, dtype), quantity) if quantity in _IN_MEMORY else streamed(case, dtype)[quantity]


def formats(machine: Machine) -> Iterator[Measured]:
    """Compare the half formats with the CPU's, where every step is rounded to the format."""
    for name, unit in (("float16", 2.0**-11), ("bfloat16", 2.0**-8)):
        apart = 0.0
        for seed in range(20 if machine.large else 5):
            mask = ("none", "causal")[seed % 2]
            config = AttentionConfig(n=64, h=4, d_k=64, tie=False, dtype=name, seed=seed, mask=mask)
            ours, theirs = (compute(config, device=kind).weights.double() for kind in (machine.place.type, "cpu"))
            size = float(compute(config, device="cpu").scaled.abs().max())
            apart = max(apart, float((ours - theirs).abs().max()) / (unit * max(1.0, size)))
        yield Measured(f"weights in {name}, against the CPU's", apart, "units", HALF_UNITS)


def statistics(machine: Machine) -> Iterator[Measured]:
    """Time the statistics of every row beside torch's fused attention on the same tensors, and take their memory."""
    for n in (4096, 16_384, 65_536) if machine.large else (256, 1024):
        for dtype in (torch.bfloat16, torch.float32):
            Q, K, V = drawn(n, machine, dtype)
            name = f"{str(dtype).removeprefix('torch.')}, n = {n:,}"

            def fused(Q: Tensor = Q, K: Tensor = K, V: Tensor = V) -> None:
                torch.nn.functional.scaled_dot_product_attention(Q[None], K[None], V[None])

            def rows(Q: Tensor = Q, K: Tensor = K) -> None:
                attention_statistics(Q, K)

            calls = 3 if n > 20_000 else 5
            sdpa, own = machine.seconds(fused, calls), machine.seconds(rows, calls)
            yield Measured(f"fused attention, {name}", 1000 * sdpa, "ms")
            yield Measured(f"row statistics ÷ fused attention, {name}", own / sdpa, "×", BESIDE_SDPA, timed=True)
            stated = extra_bytes((HEADS,), n, n, D_K, dtype=dtype, device=machine.place)
            held = machine.most_held(rows)
            yield Measured(f"row statistics' memory, {name}", held / 2**20, "MiB", stated / 2**20)


def map_of_tokens(machine: Machine) -> Iterator[Measured]:
    """Time the Map's pass, its overview and histogram with it, there and on the CPU."""
    n = 16_384 if machine.large else 1024
    Q, K, _ = drawn(n, machine)

    def passed(Q: Tensor = Q, K: Tensor = K) -> AttentionStatistics:
        return attention_statistics(Q, K, causal=True, overview=256, histogram=64)

    own, held = machine.seconds(passed, 3), machine.most_held(passed)
    stated = extra_bytes((HEADS,), n, n, D_K, masked=True, overview=256, histogram=64, device=machine.place)
    yield Measured(f"a map of {n:,} tokens", own, "s")
    yield Measured(f"its memory, {n:,} tokens", held / 2**20, "MiB", stated / 2**20)
    ours, theirs = passed(), passed(Q.cpu(), K.cpu())
    assert ours.histogram is not None
    assert theirs.histogram is not None
    moved = (ours.histogram.counts - theirs.histogram.counts).abs().sum() / theirs.histogram.counts.sum()
    yield Measured("its entropies, against the CPU's", float((ours.entropy - theirs.entropy).abs().max()), "nats", 1e-4)
    yield Measured("the share of its scores in another bin", float(moved), "", 1e-4)
    if machine.is_gpu:
        cpu = Machine(torch.device("cpu"), machine.large).seconds(lambda: passed(Q.cpu(), K.cpu()), 1)
        yield Measured("the map there ÷ on the CPU", own / cpu, "×", 1.0, timed=True)


def frames(machine: Machine) -> Iterator[Measured]:
    """Time a frame on both devices, and hold the choice of `visualiser.gpu` against the faster one."""
    kind = machine.place.type
    for n in (32, 64, 128, 256, 512):
        config = AttentionConfig(n=n, h=HEADS, d_k=D_K, tie=False)
        times = {
            each: machine.seconds(lambda config=config, each=each: compute(config, device=each).entropy, 7)
            for each in dict.fromkeys(("cpu", kind))
        }
        told = ", ".join(f"{1000 * taken:.1f} ms on {each}" for each, taken in times.items())
        chosen = gpu.device_for(HEADS * n * n) if machine.is_gpu else "cpu"
        yield Measured(
            f"a frame of {n} tokens where it is computed ({chosen}) ÷ the faster ({told})",
            times[chosen] / min(times.values()), "×", CHOSEN, timed=True,
        )  # fmt: skip
    if machine.is_gpu:
        yield Measured(f"scores from which {kind} is the faster one, as measured at the start", gpu.crossing(kind), "")


def trainings(machine: Machine) -> Iterator[Measured]:
    """Train on both devices: the first measures have to agree, and seconds say which device is the faster one."""
    steps, seeds = (100, 10) if machine.large else (10, 2)
    experiments = {
        "d_k": QualityExperiment(task="recall", d_k=(64,), mechanism=("scaled",), seeds=seeds, steps=steps),
        "heads": HeadsExperiment(h=(4,), seeds=seeds, steps=steps),
    }
    for name, experiment in experiments.items():
        kinds, taken, begun = dict.fromkeys((machine.place.type, "cpu")), dict[str, float](), dict[str, Tensor]()
        for kind in kinds:
            began = time.perf_counter()
            first, *_ = list(train(experiment, kind))
            taken[kind], begun[kind] = time.perf_counter() - began, first.accuracy
        yield Measured(f"training “{name}”, {steps} steps of {seeds} models", taken[machine.place.type], "s")
        yield Measured("  ÷ on the CPU", taken[machine.place.type] / taken["cpu"], "×")
        apart = (begun[machine.place.type] - begun["cpu"]).abs().max()
        yield Measured("  its accuracy before the first step, against the CPU's", float(apart), "", 1e-2)


def shared(machine: Machine) -> Iterator[Measured]:
    """Run `attention_core.sharded` under torchrun with one rank: nccl on a GPU, else gloo."""
    n = 8192 if machine.large else 512
    Q, K, _ = drawn(n, Machine(torch.device("cpu"), machine.large))
    with tempfile.TemporaryDirectory() as folder:
        save_file({"Q": Q, "K": K}, Path(folder) / "qk.safetensors")
        kind = machine.place.type if machine.place.type == "cuda" else "cpu"
        command = [
            sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "1", "-m",
            "attention_core.sharded", str(Path(folder) / "qk.safetensors"), "--out", folder, "--device", kind,
        ]  # fmt: skip
        began = time.perf_counter()
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        took = time.perf_counter() - began
        (written,) = (one for one in Path(folder).glob("*.safetensors") if one.name != "qk.safetensors")
        found = load_file(written)
    expected = attention_statistics(Q, K)
    apart = float((found["entropy"] - expected.entropy).abs().max())
    yield Measured(f"sharded on one rank ({'nccl' if kind == 'cuda' else 'gloo'}), n = {n:,}", took, "s")
    yield Measured("its entropies, against one process on the CPU", apart, "nats", 1e-4)


def captured(machine: Machine) -> Iterator[Measured]:
    """Capture every layer of a model with GPT-2's sizes, 124 million random weights."""
    import transformers

    from attention_core.models import capture

    small: dict[str, Any] = {
        "n_embd": 48,
        "n_layer": 2,
        "n_head": 3,
        "vocab_size": 199,
        "bos_token_id": 1,
        "eos_token_id": 1,
    }
    torch.manual_seed(0)
    config = transformers.GPT2Config(**({} if machine.large else small))
    model = transformers.GPT2LMHeadModel(config).eval().requires_grad_(False)
    n = 512 if machine.large else 64
    ids = torch.randint(config.vocab_size, (1, n), generator=torch.Generator().manual_seed(1))
    theirs = capture(model, input_ids=ids)
    there: Any = model
    there, given = there.to(machine.place), ids.to(machine.place)
    ours = capture(there, input_ids=given)
    apart = max(
        float((own.weights - other.weights).abs().max())
        for own, other in zip(ours.layers, theirs.layers, strict=True)
        if own.weights is not None and other.weights is not None
    )
    count = sum(parameter.numel() for parameter in model.parameters()) / 1e6
    own, alone = machine.seconds(lambda: capture(there, input_ids=given), 3), machine.seconds(lambda: there(given), 3)
    yield Measured(f"a capture of {count:.1f} million weights over {n} tokens", own, "s")
    yield Measured("  ÷ the model's own pass", own / alone, "×")
    yield Measured("  its weights, against the CPU's", apart, "", CAPTURED_APART)
    held = machine.most_held(lambda: capture(there, input_ids=given)) / 2**20
    yield Measured("  its memory beside the model", held, "MiB")


PARTS: Final[Mapping[str, Callable[[Machine], Iterator[Measured]]]] = MappingProxyType(
    {
        "numbers": numbers, "formats": formats, "statistics": statistics, "map": map_of_tokens, "frames": frames,
        "trainings": trainings, "sharded": shared, "capture": captured,
    }
)  # fmt: skip


def run(device: str, small: bool, parts: Sequence[str]) -> int:
    """Run these parts, print their lines and return the exit status."""
    place = resolve(device)
    machine = Machine(place, large=place.type != "cpu" and not small)
    print(*described(), sep="\n")
    if machine.is_gpu:
        print(f"device    {torch.cuda.get_device_name() if place.type == 'cuda' else place.type}\n")
    else:
        print("device    no GPU: small sizes on the CPU, whose times have no bound\n")
    began, missed = time.perf_counter(), list[str]()
    for name in parts:
        for line in PARTS[name](machine):
            bad = line.missed(bounds_times=machine.is_gpu)
            missed += [line.what] * bad
            told = line.most is not None and (machine.is_gpu or not line.timed)
            bound = f"at most {line.most:.4g}{', missed' if bad else ''}" if told else ""
            print(f"{name:10} {line.what:96} {_written(line.value):>12} {line.unit:6} {bound}", flush=True)
    print(f"\n{time.perf_counter() - began:.0f} s; {'no bound is missed' if not missed else 'missed:'}")
    print(*(f"  {one}" for one in missed), sep="\n")
    return 1 if missed else 0


def _written(value: float) -> str:
    if not math.isfinite(value) or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.3g}"
