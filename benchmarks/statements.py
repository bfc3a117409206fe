"""What section 3.2 says, each statement beside what was measured of it.

    python -m benchmarks.statements

Prints the table of docs/claims.md, and the processor time that it took. Numbers are of the shipped results
(assets/shipped, each with its own command), of the sweep on the page Why, or of small trainings that this command
repeats. A range in brackets reaches from the least to the most over the seeds.
"""

import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

import torch

from attention_core import AttentionConfig, compute
from attention_core.experiments import HeadsExperiment, HeadsSnapshot, QualityExperiment, train
from attention_core.mechanisms import MECHANISMS
from attention_core.studies.sweep import SweepConfig, SweepPoint, sweep
from visualiser.shipped import shipped

SWEEP: Final = "page Why"
QUALITY, HEADS, COST = (f"`{shipped(name).command}`" for name in ("train_quality", "train_heads", "cost"))
HERE: Final = "`python -m benchmarks.statements`"


@dataclass(frozen=True)
class Statement:
    """One statement of a paper, what was measured, the command behind it, and what that means for the statement."""

    paper: str
    measured: Callable[[], str]
    command: str
    verdict: str

    def row(self) -> str:
        return f"| {self.paper} | {self.measured()} | {self.command} | {self.verdict} |"


def footnote_4() -> str:
    found = swept()
    values = [found["unscaled", d_k].per_seed("variance") / d_k for d_k in (4, 64, 1024)]
    return "variance of q·k / d_k: " + ", ".join(
        f"{band(list(map(float, value)))} at d_k {d_k}" for d_k, value in zip((4, 64, 1024), values, strict=True)
    )


def signs() -> str:
    """Components of ±1: as independent as footnote 4 asks, and not normal."""
    q, k = products_of(lambda shape, draw: torch.randint(0, 2, shape, generator=draw) * 2.0 - 1)
    score = (q * k).sum(-1)
    return f"components ±1 at d_k 64: mean {score.mean():.2f}, variance / d_k {score.var() / 64:.2f}"


def dependent() -> str:
    """Components of mean 0 and variance 1 that are one and the same number."""
    q, k = products_of(lambda shape, draw: torch.randn(shape[0], 1, generator=draw).expand(shape))
    same, alike = (q * k).sum(-1), (q * q).sum(-1)
    return (
        f"all components of a vector equal, d_k 64: variance / d_k {same.var() / 64:.0f}, not 1; "
        f"q = k: mean / d_k {alike.mean() / 64:.2f}, not 0"
    )


def text() -> str:
    found = compute(AttentionConfig(source="text", scaling="none"), device="cpu")
    assert found.predicted_variance is None
    values = [float(value) / found.config.d_k for value in found.score_variance]
    return f"a text through embeddings and projections, d_k 64: variance / d_k {band(values)} over the heads"


def vanishing() -> str:
    found = swept()
    ways = ("unscaled", "scaled", "additive")
    ends = [(way, *(found[way, d_k].spread("gradient")[0] for d_k in (4, 1024))) for way in ways]
    return "median abs dL/ds at the correct key, d_k 4 → 1024: " + ", ".join(
        f"{way} {first:.1e} → {last:.1e}" for way, first, last in ends
    )


def at_the_weights() -> str:
    of = first_steps("projection_gradient")
    return "norm of dL/dW_Q, dL/dW_K before the first step, d_k 4 → 1024: " + ", ".join(
        f"{way} {band(of[way, 4])} → {band(of[way, 1024])}" for way in ("unscaled", "scaled", "additive")
    )


def both_ends() -> str:
    n = 32
    uniform = compute(AttentionConfig(n=n, h=1, scaling="custom", scale=0.0), device="cpu")
    spread, single = uniform.jacobian_norm.mean().item(), swept()["unscaled", 1024].spread("jacobian_norm")[0]
    return f"mean Jacobian norm over {n} keys: uniform rows {spread:.3f}, unscaled rows at d_k 1024 {single:.3f}"


def counteracts() -> str:
    found = swept()
    low, high = (found["scaled", d_k].spread("entropy")[0] for d_k in (4, 1024))
    unscaled = found["unscaled", 1024].spread("entropy")[0]
    return (
        f"mean entropy of scaled rows {low:.2f} nats at d_k 4 and {high:.2f} at 1024, unscaled {unscaled:.2f} at 1024"
    )


def alike_at_4() -> str:
    return "reverse at d_k 4: " + accuracies(4)


def apart_at_1024() -> str:
    return "reverse at d_k 1024: " + accuracies(1024)


def noisy() -> str:
    found = trained(QualityExperiment(task="noisy", mechanism=("unscaled", "additive"), d_k=(1024,), seeds=3))
    return "noisy key at d_k 1024: " + ", ".join(f"{way} {band(values)}" for way, values in found.items())


def small_start() -> str:
    start = QualityExperiment(mechanism=("unscaled",), d_k=(256,), seeds=3)
    usual = trained(start)["unscaled"]
    small = trained(replace(start, initialisation="small_projections", learning_rate=1e-3))["unscaled"]
    return f"reverse, unscaled at d_k 256: {band(usual)}; with W_Q, W_K × d_k^(−1/4) at the start {band(small)}"


def large_w() -> str:
    start = QualityExperiment(mechanism=("additive",), d_k=(256,), seeds=3)
    usual = trained(start)["additive"]
    large = trained(replace(start, initialisation="large_w"))["additive"]
    return f"reverse, additive at d_k 256: {band(usual)}; with w ~ N(0, 1) instead of N(0, 1/d_k) {band(large)}"


def complexity() -> str:
    additive, dot = (measured(name, "forward", 2048)["operations"] for name in ("additive_chunked", "explicit"))
    total = sum(additive.values()) / sum(dot.values())
    tanh = additive["transcendental"] / dot["transcendental"]
    return f"operations at n 2048, d_k 64: {total:.2f} ×; of them tanh and exp {tanh:.0f} ×"


def faster() -> str:
    explicit, fused, blocks, naive = (
        {size: measured(name, "forward", size)["seconds"] for size in (1024, 2048)}
        for name in ("explicit", "fused", "additive_chunked", "additive_naive")
    )
    return (
        f"time, forward: additive in blocks {blocks[2048] / explicit[2048]:.1f} × softmax(QKᵀ)V and "
        f"{blocks[2048] / fused[2048]:.1f} × the fused kernel at n 2048; with one tensor "
        f"{naive[1024] / explicit[1024]:.0f} × at n 1024"
    )


def smaller() -> str:
    explicit, blocks, naive = (
        measured(name, "forward", 1024)["bytes"] for name in ("explicit", "additive_chunked", "additive_naive")
    )
    trained_blocks, trained_explicit = (
        measured(name, "forward_backward", 512)["bytes"] for name in ("additive_chunked", "explicit")
    )
    return (
        f"memory beside softmax(QKᵀ)V: with one tensor {naive / explicit:.0f} ×, in blocks {blocks / explicit:.2f} × "
        f"(forward, n 1024); in blocks with its backward pass {trained_blocks / trained_explicit:.0f} × (n 512)"
    )


def jointly() -> str:
    found = {result["curve"]["h"]: result for result in shipped("train_heads").results}
    return "four positions at once: accuracy " + ", ".join(
        f"{band(found[h]['accuracy'])} with h = {h}" for h in (1, 2, 4)
    )


def apart_before() -> str:
    found = {result["curve"]["h"]: result for result in shipped("train_heads").results}
    return "divergence between heads, bits, before → after training: " + ", ".join(
        f"h = {h} {band(found[h]['start_divergence'])} → {band(found[h]['divergence'])}" for h in (2, 4)
    )


def two_heads() -> str:
    """Twenty seeds, since five do not tell if two heads grow apart."""
    last = [shot for shot in train(HeadsExperiment(h=(2,), seeds=20)) if isinstance(shot, HeadsSnapshot)][-1]
    before, after = ([float(value) for value in values] for values in (last.start_divergence, last.divergence))
    return f"the same with h = 2 over {len(after)} seeds: {band(before)} → {band(after)}"


def decoded() -> str:
    found = trained(HeadsExperiment(h=(1,), m=2, d_model=32, mlp=True, seeds=3))
    more = trained(HeadsExperiment(h=(1,), m=2, d_model=32, mlp=True, seeds=3, classes=64))
    return f"one head and an MLP of 64 units, two positions: {band(found[1])} with 8 values, {band(more[1])} with 64"


def same_cost() -> str:
    count = MECHANISMS["dot_product"].operations
    several, one = 8 * count(1024, 64, False).total, count(1024, 512, False).total
    exponentials = 8 * count(1024, 64, False).transcendental / count(1024, 512, False).transcendental
    return (
        f"operations at n 1024, d_model 512: h = 8 takes {several / one:.3f} × those of h = 1, exp {exponentials:.0f} ×"
    )


STATEMENTS: Final = (
    Statement(
        "independent components of mean 0 and variance 1 give q·k mean 0 and variance d_k", footnote_4, SWEEP, "holds"
    ),
    Statement("", signs, HERE, "holds: footnote 4 asks for no normal curve"),
    Statement(
        "", dependent, HERE, "independence carries it: without it the same means and variances give other scores"
    ),
    Statement("", text, HERE, "repeated words share their vectors, so the pages predict nothing here"),
    Statement(
        "large d_k pushes the softmax into regions of extremely small gradients",
        vanishing,
        SWEEP,
        "holds at the scores",
    ),
    Statement(
        "",
        at_the_weights,
        QUALITY,
        "need not hold at the weights: the mean norm grows there, with the norm of k and a few unsaturated rows",
    ),
    Statement(
        "",
        both_ends,
        HERE,
        "a small Jacobian alone proves no saturation: uniform rows have one too; its trace tells them apart",
    ),
    Statement("scaling by 1/√d_k counteracts this", counteracts, SWEEP, "holds, for such inputs"),
    Statement("for small d_k the two mechanisms perform similarly", alike_at_4, QUALITY, "holds"),
    Statement(
        "additive attention outperforms dot products without scaling for larger d_k",
        apart_at_1024,
        QUALITY,
        "holds here",
    ),
    Statement("", noisy, HERE, "the paper says more than holds: on this task it is the other way round"),
    Statement("", small_start, HERE, "the size of the first scores is what hurts, not the missing factor as such"),
    Statement("", large_w, HERE, "additive attention is scaled as well, by its start"),
    Statement(
        "the two are similar in theoretical complexity",
        complexity,
        COST,
        "holds as O(n² d_k); the kinds of operation differ",
    ),
    Statement("dot products are much faster in practice", faster, COST, "holds on this machine"),
    Statement(
        "dot products are more space-efficient in practice",
        smaller,
        COST,
        "holds; forward, blocks take most of it away",
    ),
    Statement(
        "several heads attend jointly to different positions; with one head, averaging inhibits this",
        jointly,
        HEADS,
        "holds",
    ),
    Statement("", apart_before, HEADS, "heads that differ need not have divided the work: random ones differ too"),
    Statement("", two_heads, HERE, "two heads for four positions differ less in some seeds and more in others"),
    Statement("", decoded, HERE, "the paper says more than holds: a layer behind can decode an average of few values"),
    Statement(
        "the cost of all heads is similar to that of one of full width",
        same_cost,
        HERE,
        "holds for the products; each head has its own softmax",
    ),
)


@cache
def swept() -> Mapping[tuple[str, int], SweepPoint]:
    """Return the sweep with which the page Why opens."""
    return {(point.curve, point.d_k): point for point in sweep(SweepConfig())}


def products_of(draw: Callable[[tuple[int, int], torch.Generator], torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return many pairs of a query and a key with 64 components."""
    generator = torch.Generator().manual_seed(0)
    return draw((100_000, 64), generator), draw((100_000, 64), generator)


def first_steps(name: str) -> Mapping[tuple[str, int], list[float]]:
    """Return a measure of the shipped training before its first step, by mechanism and d_k."""
    return {
        (result["curve"]["mechanism"], result["curve"]["d_k"]): result[name]
        for result in shipped("train_quality").results
        if result["step"] == 0
    }


def accuracies(d_k: int, ways: Sequence[str] = ("scaled", "unscaled", "additive")) -> str:
    """Return the accuracies at the end of the shipped training."""
    last = {}
    for result in shipped("train_quality").results:
        if result["curve"]["d_k"] == d_k:
            last[result["curve"]["mechanism"]] = result["accuracy"]
    return ", ".join(f"{way} {band(last[way])}" for way in ways)


def trained(experiment: QualityExperiment | HeadsExperiment) -> dict[Any, list[float]]:
    """Train now, and return every curve's last accuracies by what the experiment compares."""
    named = "mechanism" if isinstance(experiment, QualityExperiment) else "h"
    return {getattr(shot.curve, named): list(map(float, shot.accuracy)) for shot in train(experiment)}


def measured(contender: str, passes: str, size: int) -> dict[str, Any]:
    """Return one result of the shipped measurement of costs."""
    (found,) = (
        result
        for result in shipped("cost").results
        if (result["contender"], result["passes"], result["size"]) == (contender, passes, size)
    )
    return found


def mean(values: Sequence[float]) -> float:
    return statistics.fmean(values)


def band(values: Sequence[float]) -> str:
    """Write a mean with the range of its seeds."""
    low, high = min(values), max(values)
    return f"{mean(values):.3g}" if f"{low:.3g}" == f"{high:.3g}" else f"{mean(values):.3g} [{low:.3g}, {high:.3g}]"


def table(said: str, statements: Sequence[Statement]) -> Iterator[str]:
    """Yield the lines of a table whose first column is headed `said`."""
    yield f"| {said} | measured | by | so the statement |"
    yield "| --- | --- | --- | --- |"
    for statement in statements:
        yield statement.row()


if __name__ == "__main__":
    print(*table("the paper says", STATEMENTS), sep="\n")
    print(f"\n{time.process_time():.0f} s of processor time")
