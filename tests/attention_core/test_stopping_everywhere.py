"""Every kind of long work can stop at any of its checkpoints; run again, it gives the same result.

Delays are counted in checkpoints, not in seconds; docs/decisions/admission.md has the seconds.
"""

import io
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import (
    AttentionConfig,
    AttentionInputs,
    Cancelled,
    CostConfig,
    SweepConfig,
    additive_attention_statistics,
    attention_overview,
    attention_statistics,
    compute,
    compute_rows,
    layers,
    measure_costs,
    softmax_accuracies,
    softmax_jacobian,
    stopping,
    sweep,
    temperature,
    walk,
)
from attention_core.blocks.pooled_tiles import pooled_tile
from attention_core.blocks.tiles import attention_tile
from attention_core.exact import mask_choices
from attention_core.experiments.curves import train
from attention_core.experiments.heads import HeadsExperiment
from attention_core.experiments.quality import QualityExperiment
from tests.attention_core.test_cancellation import Asked
from visualiser.export import cells_csv, html, npz, rows_csv
from visualiser.figures.plots.heat_maps import heat_maps
from visualiser.maps.kept import BINS, Kept
from visualiser.pages.map import files
from visualiser.state.view import View
from visualiser.upload import read_upload

pytestmark = pytest.mark.slow

Outcome = list[bytes]
Work = Callable[[AttentionConfig], Outcome]


def content(value: object) -> Outcome:
    """Return every number of a result, as bytes."""
    if isinstance(value, torch.Tensor):
        return [value.detach().contiguous().numpy().tobytes()]
    if isinstance(value, bytes):
        return [value]
    if isinstance(value, tuple | list):
        return [part for element in value for part in content(element)]
    if hasattr(value, "__dataclass_fields__"):
        return [part for name in sorted(vars(value)) for part in content(vars(value)[name])]
    return []


def drawn(config: AttentionConfig, n: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(config.seed)
    Q, K = torch.randn(2, config.h, n or config.n, config.d_k, generator=generator)
    return Q, K


def dense(config: AttentionConfig) -> Outcome:
    result = compute(config, device="cpu")
    return content([result.weights, result.entropy, result.jacobian_norm, result.score_variance, result.projection])


def rows(config: AttentionConfig) -> Outcome:
    return content(compute_rows(config, [0, config.n - 1], device="cpu").weights)


def streamed(config: AttentionConfig) -> Outcome:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules["attention_core.result.compute"], "STREAMED_ABOVE", 1)
        result = compute(config, device="cpu")
    return content([result.entropy, result.output])


def passes(config: AttentionConfig) -> Outcome:
    Q, K = drawn(config)
    causal = config.mask == "causal"
    found = attention_statistics(Q, K, causal=causal, overview=3, histogram=7, block=4)
    tile = attention_tile(Q, K, range(2), range(2), found.logsumexp, causal=causal)
    picture = attention_overview(Q, K, 3, logsumexp=found.logsumexp, causal=causal, block=4)
    pooled = pooled_tile(Q[0], K[0], slice(0, 2), slice(0, 2), found.logsumexp[0], 1, mask=mask_choices.of(config))
    return content([found, tile, picture, pooled])


def additive_pass(config: AttentionConfig) -> Outcome:
    Q, K = drawn(config)
    W, w = torch.eye(config.d_k), torch.ones(config.d_k)
    return content(additive_attention_statistics(Q, K, W, W, w, block=4))


def readings(config: AttentionConfig) -> Outcome:
    result = compute(config, device="cpu")
    return content([temperature(result), softmax_accuracies(result.masked), softmax_jacobian(result.weights[0, 0])])


def swept(config: AttentionConfig) -> Outcome:
    return content(list(sweep(SweepConfig(n=config.n, h=2, seeds=2, seed=config.seed, d_ks=(1, config.d_k + 1)))))


def walked(config: AttentionConfig) -> Outcome:
    return content(walk(layers(config, 3)[-1], 0, 1).weighted)


def costs(config: AttentionConfig) -> Outcome:
    found = measure_costs(CostConfig(sizes=(4, 8), d_k=config.d_k, measuring=0.0))
    return [f"{point.contender} {point.size} {point.bytes}".encode() for point in found]


def trained(config: AttentionConfig) -> Outcome:
    common: dict[str, Any] = {"seeds": 1, "seed": config.seed, "steps": 3, "batch": 2, "evaluation": 32}
    quality = QualityExperiment(task="recall", d_k=(4,), mechanism=("additive",), **common)
    return content([list(train(quality)), list(train(HeadsExperiment(h=(2,), d_model=8, m=2, **common)))])


def exported(config: AttentionConfig) -> Outcome:
    result = compute(config, device="cpu")
    return [*cells_csv(result), *rows_csv(result), npz(result)]


def drawn_files(config: AttentionConfig) -> Outcome:
    result = compute(config, device="cpu")
    picture = heat_maps.drawing(result, View())
    return [html([(heat_maps, result, picture)], View()).encode(), picture.json().encode()]


def map_files(config: AttentionConfig) -> Outcome:
    Q, K = drawn(config)
    found = attention_statistics(Q, K, overview=BINS)
    kept = Kept(config, Q, K, None, found)
    return [files.lines(kept), files.archive(kept)]


def uploaded(config: AttentionConfig) -> Outcome:
    Q, K = drawn(config)
    archive = io.BytesIO()
    np.savez(archive, Q=Q.numpy(), K=K.numpy())
    lines = [["tensor", "head", "position", *map(str, range(config.d_k))]]
    for name, tensor in (("Q", Q), ("K", K)):
        for head, vectors in enumerate(tensor.tolist()):
            lines += [[name, str(head), str(i), *map(repr, vector)] for i, vector in enumerate(vectors)]
    csv = "\n".join(map(",".join, lines)).encode()
    found = [read_upload("a.npz", archive.getvalue()), read_upload("a.csv", csv)]
    return content([[inputs.Q, inputs.K] for inputs in found])


KINDS: Mapping[str, Work] = {
    work.__name__: work
    for work in (
        dense, rows, streamed, passes, additive_pass, readings, swept, walked, costs, trained, exported, drawn_files,
        map_files, uploaded,
    )
}  # fmt: skip

SETTINGS = {
    "n": st.integers(2, 9),
    "h": st.integers(1, 3),
    "d_k": st.integers(1, 5),
    "d_model": st.integers(1, 7),
    "seed": st.integers(0, 99),
    "mechanism": st.sampled_from(["dot_product", "additive"]),
    "mask": st.sampled_from(["none", "causal", "window"]),
    "source": st.sampled_from(["gaussian", "structured", "text"]),
    "dtype": st.sampled_from(["float32", "float16"]),
}


@pytest.mark.night(but=3)
@pytest.mark.parametrize("work", KINDS.values(), ids=KINDS)
@settings(max_examples=6, deadline=None)
@given(fields=st.fixed_dictionaries(SETTINGS), data=st.data())
def test_work_stops_at_any_of_its_checkpoints_and_is_unharmed(work: Work, fields: dict[str, Any], data: st.DataObject):
    config = AttentionConfig(**fields, tie=False, text="one two three two")
    threads, plain = threading.active_count(), work(config)
    counting = Asked()
    with stopping(counting):
        assert work(config) == plain
    assert counting.count >= 3
    last = data.draw(st.integers(1, counting.count), label="checkpoint")
    asked = Asked(last)
    with stopping(asked), pytest.raises(Cancelled):
        work(config)
    assert asked.count == last, "the checkpoint that says so is the last"
    assert threading.active_count() == threads
    assert work(config) == plain


def two_at_once(asked: Callable[[], bool]) -> None:
    """Run a pass of two heads long enough to run in parallel."""
    Q = torch.randn(2, 1500, 4, generator=torch.Generator().manual_seed(3))
    with stopping(asked):
        attention_statistics(Q, Q, block=128)


@pytest.mark.parametrize("last", [1, 3, 10, 21, 40])
def test_threads_of_a_pass_stop_too_and_are_gone(last: int):
    before, threads = set(threading.enumerate()), torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        whole = Asked()
        two_at_once(whole)
        asked = Asked(last)
        with pytest.raises(Cancelled):
            two_at_once(asked)
    finally:
        torch.set_num_threads(threads)
    assert whole.count > 45
    # each of the two threads may check once more; pieces that wait for a stopped one do not begin
    assert asked.count <= last + 2
    assert set(threading.enumerate()) == before


def test_a_pass_whose_asker_stays_hears_nothing_of_one_whose_asker_has_left():
    Q = torch.randn(1, 64, 4, generator=torch.Generator().manual_seed(4))
    ready, left = threading.Barrier(2, timeout=60), threading.Event()
    found: dict[str, object] = {}

    def stays() -> None:
        with stopping(lambda: False):
            ready.wait()
            assert left.wait(60)
            found["stays"] = attention_statistics(Q, Q, block=8).entropy

    def leaves() -> None:
        with stopping(left.is_set):
            ready.wait()
            left.set()
            try:
                attention_statistics(Q, Q, block=8)
            except Cancelled as cancelled:
                found["leaves"] = cancelled

    both = [threading.Thread(target=work) for work in (stays, leaves)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert isinstance(found["leaves"], Cancelled)
    expected = attention_statistics(Q, Q, block=8).entropy
    assert isinstance(found["stays"], torch.Tensor)
    assert torch.equal(found["stays"], expected)


@pytest.mark.parametrize("kind", [cells_csv, rows_csv])
def test_an_export_stops_between_two_rows_or_heads(kind: Callable[..., Iterable[bytes]]):
    result = compute(AttentionConfig(n=5, h=3, d_k=2, tie=False), device="cpu")
    list(kind(result))  # lazy values of the result are computed now
    asked = Asked()
    with stopping(asked):
        pieces = len(list(islice(kind(result), 1, None)))
    assert asked.count == pieces


def test_inputs_from_outside_stop_as_well():
    Q, K = drawn(AttentionConfig(n=6, h=2, d_k=3, tie=False))
    asked = Asked(1)
    with stopping(asked), pytest.raises(Cancelled):
        compute(AttentionConfig(source="upload"), AttentionInputs(Q, K, K), device="cpu")


def test_a_figure_stops_between_two_heads_and_is_written_as_plotly_writes_it():
    for heads in (1, 3):
        picture = heat_maps.drawing(compute(AttentionConfig(n=5, h=heads, d_k=2, tie=False), device="cpu"), View())
        asked = Asked()
        with stopping(asked):
            written = picture.json("dark")
        assert asked.count == len(picture.data) + 1 >= heads + 1
        assert written == picture.figure("dark").to_json()


def test_a_maps_lines_stop_between_two_blocks_of_each_head():
    Q = torch.randn(3, 2050, 2, generator=torch.Generator().manual_seed(5))
    config = AttentionConfig(h=3, d_k=2, tie=False)
    kept = Kept(config, Q, Q, None, attention_statistics(Q, Q, overview=BINS))
    asked = Asked()
    with stopping(asked):
        assert files.lines(kept).count(b"\r\n") == 1 + 3 * 2050
    assert asked.count == 3 * 3
