"""The run: its parts against the dense tensors, cancellation, refusals, and the kept map."""

import asyncio
import math
import struct
import threading
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

from attention_core import (
    AttentionConfig,
    AttentionInputs,
    AttentionResult,
    Cancelled,
    InvalidInput,
    compute,
    draw,
    stopping,
)
from attention_core.blocks.row_statistics import ROW_STATISTICS
from tests.alone import alone
from tests.visualiser.pieces import plainly
from visualiser import locale
from visualiser.listed_statistics import mean_label
from visualiser.pages.map import calibration, passes
from visualiser.pages.map.passes import seconds_left
from visualiser.pages.map.store import STORE, Gone
from visualiser.server.admission.cost import Cost
from visualiser.server.admission.entry import Admission
from visualiser.server.live import parts as live_parts
from visualiser.server.live import runs
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.runs import Run
from visualiser.state import share
from visualiser.upload import canonical

Mapped = Callable[..., dict[str, list[Any]]]

QUERIES = [
    "n=521&h=3&d_k=7&seed=2",
    "n=521&h=3&d_k=7&seed=2&mask=causal",
    "n=521&h=3&d_k=7&mask=window&window=17",
    "n=97&h=2&d_k=11&source=gaussian&scaling=none",
]


def dense(query: str) -> AttentionResult:
    state = passes.subject(PageRequest(f"page=map&{query}", None, frozenset(), b"", "en", "light", 0, "", {}))[0]
    return compute(state.config)


def joined(found: list[Any], name: str) -> np.ndarray:
    """Join the pieces of an array, which must follow each other without a gap."""
    at = 0
    for part in found:
        assert part.values["first"] == at
        at = part.values["last"]
        assert part.values[name].shape[1] == part.values["last"] - part.values["first"]
    return np.concatenate([part.values[name] for part in found], axis=1)


def pooled(weights: np.ndarray, rows: list[int], columns: list[int], how: np.ufunc) -> np.ndarray:
    """Reduce each block between the edges."""
    return how.reduceat(how.reduceat(weights, rows[:-1], axis=-2), columns[:-1], axis=-1)


@pytest.mark.parametrize("query", QUERIES)
def test_overview_and_strips_are_those_of_the_dense_matrix(
    query: str, mapped: Mapped, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passes, "BEAT", 0.0)
    found = mapped(f"page=map&{query}")
    assert list(found) == ["began", "map", "overview", "strips", "progress", "figures", "ended"]
    result = dense(query)
    (opening,) = found["map"]
    header = opening.header
    rows, columns = header["row_edges"], header["column_edges"]
    assert (header["heads"], header["n_q"], header["n_k"]) == result.weights.shape
    assert (header["bins_q"], header["bins_k"]) == (len(rows) - 1, len(columns) - 1)
    assert rows[0] == 0
    assert rows[-1] == header["n_q"]
    assert len(rows) <= 257
    weights = result.weights.numpy()
    mean, maximum = joined(found["overview"], "mean"), joined(found["overview"], "maximum")
    assert mean.dtype == np.float32
    allowed = np.ones_like(weights[0]) if result.mask is None else result.mask.numpy()
    never = ~pooled(allowed, rows, columns, np.logical_or)
    cells = np.outer(np.diff(rows), np.diff(columns))
    for came, how, of in ((mean, np.add, cells), (maximum, np.maximum, 1)):
        np.testing.assert_array_equal(np.isnan(came), np.broadcast_to(never, came.shape))
        expected = pooled(weights.astype(np.float64), rows, columns, how) / of
        np.testing.assert_allclose(np.nan_to_num(came), expected, rtol=2e-5, atol=1e-7)
    np.testing.assert_allclose(joined(found["strips"], "entropy"), result.entropy, atol=2e-5)
    np.testing.assert_allclose(joined(found["strips"], "largest_weight"), result.largest_weight, rtol=2e-5)
    np.testing.assert_allclose(joined(found["strips"], "effective_keys"), result.effective_keys, rtol=5e-5)
    np.testing.assert_allclose(opening.values["ceiling"], result.ceiling, rtol=1e-6)
    done = [part.header["done"] for part in found["progress"]]
    assert done == sorted(done)
    assert done[-1] == 1.0
    assert found["progress"][-1].header["seconds_left"] == 0.0
    assert found["ended"][0].header["id"] == header["id"]


def test_the_rows_come_in_more_than_one_piece(mapped: Mapped, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passes, "BEAT", 0.0)
    found = mapped("page=map&n=1031&h=1&d_k=3")
    assert len(found["strips"]) == len(found["progress"]) > 2
    assert found["strips"][0].values["last"] < 1031


def test_a_text_brings_its_tokens_and_its_own_size(mapped: Mapped) -> None:
    body = b"the cat saw the cat and the dog"
    found = mapped("page=map&source=text&h=2&d_model=14", body)
    assert found["map"][0].values["tokens"] == body.decode().split()
    assert (found["map"][0].header["n_q"], found["map"][0].header["bins_q"]) == (8, 8)
    sentences = plainly(found["figures"][0].header["insight"])
    assert locale.text("en", "insight.map_repeated", token="the", count=3) in sentences
    drawn = compute(AttentionConfig(source="text", text=body.decode(), h=2, d_model=14))
    np.testing.assert_allclose(joined(found["overview"], "mean"), drawn.weights, atol=1e-6)


def test_a_file_with_fewer_keys_than_queries(mapped: Mapped) -> None:
    Q, K = draw(0, "Q", 2 * 29, 3).view(2, 29, 3), draw(0, "K", 2 * 23, 3).view(2, 23, 3)
    inputs = AttentionInputs(Q, K, K)
    found = mapped("page=map&source=upload&mask=causal", canonical(inputs))
    assert [found["map"][0].header[name] for name in ("heads", "n_q", "n_k")] == [2, 29, 23]
    result = compute(AttentionConfig(mask="causal"), inputs)
    mean = joined(found["overview"], "mean")
    assert result.mask is not None
    np.testing.assert_array_equal(np.isnan(mean[0]), ~result.mask.numpy())
    np.testing.assert_allclose(np.nan_to_num(mean), result.weights, atol=1e-6)
    assert (joined(found["strips"], "entropy")[:, :6] == 0).all()  # the first six queries see no key


@pytest.mark.slow
@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_summary_says_what_there_is_in_numbers(mapped: Mapped, lang: str) -> None:
    found = mapped(f"page=map&n=521&h=4&d_k=31&lang={lang}")
    result = dense("n=521&h=4&d_k=31")
    header = found["figures"][0].header
    columns = {column["label"]: column["values"] for column in header["tables"]["map"]["columns"]}
    np.testing.assert_allclose(
        columns[mean_label(lang, ROW_STATISTICS["entropy"])], result.entropy.mean(-1).numpy(), rtol=1e-4
    )
    np.testing.assert_allclose(columns[locale.text(lang, "table.variance")], result.score_variance.numpy(), rtol=1e-3)
    largest = result.weights.flatten(1).max(-1)
    np.testing.assert_array_equal(columns[locale.text(lang, "table.at_query")], largest.indices // 521)
    np.testing.assert_array_equal(columns[locale.text(lang, "table.at_key")], largest.indices % 521)
    entropy = result.entropy.mean(-1)
    heads = {"narrow": [int(entropy.argmin()) + 1], "wide": [int(entropy.argmax()) + 1]}
    ends = {"few": float(entropy.min()), "many": float(entropy.max()), "ceiling": math.log(521)}
    assert plainly(header["insight"])[1] == locale.text(lang, "insight.map_heads", **heads, **ends)
    assert len(header["insight"]) == 4
    assert set(header["summaries"]) == {"map", "strips"} == set(header["tables"])


def test_a_run_replaces_the_visitors_earlier_map(mapped: Mapped) -> None:
    first = mapped("page=map&n=41&h=1")["ended"][0].header["id"]
    second = mapped("page=map&n=41&h=1", replaces=first)["ended"][0].header["id"]
    assert STORE.get(second).Q.shape == (1, 41, 512)
    with pytest.raises(Gone):
        STORE.get(first)


@pytest.mark.parametrize("source", ["structured", "gaussian", "text", "upload"])
def test_more_than_the_limit_is_mapped_as_far_as_it_fits(
    source: str, mapped: Mapped, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A drawn sequence has fewer tokens, a text and a file their first ones; the weights are those of that sequence."""
    words = [f"w{i % 11}" for i in range(90)]
    Q, K = draw(0, "Q", 90, 3)[None], draw(0, "K", 80, 3)[None]
    body = {"text": " ".join(words).encode(), "upload": canonical(AttentionInputs(Q, K, K))}.get(source, b"")
    monkeypatch.setattr(calibration, "has_room", lambda sized: sized.shape.n_q <= 70)
    query = f"page=map&source={source}&n=90&h=1&d_k=3&tie=false&d_model=16"
    found = mapped(query, body)
    header = found["map"][0].header
    assert (header["n_q"], header["n_k"]) == (70, 70)
    part = "map.cut_first" if body else "map.cut"
    more = "map.cut_more_file" if source == "upload" else "map.cut_more"
    assert plainly(header["cut"]) == [
        locale.text("en", f"{part}_memory", n=70, asked=90),
        locale.text("en", more),
    ]
    config = AttentionConfig(source=source, n=70, h=1, d_k=3, tie=False, d_model=16)
    if source == "text":
        config = AttentionConfig(source="text", text=" ".join(words[:70]), h=1, d_k=3, tie=False, d_model=16)
    inputs = AttentionInputs(Q[:, :70], K[:, :70], K[:, :70]) if source == "upload" else None
    np.testing.assert_allclose(joined(found["overview"], "mean"), compute(config, inputs).weights, atol=1e-6)
    kept = STORE.get(found["ended"][0].header["id"])
    assert len(kept.tokens or words[:70]) == kept.Q.shape[1] == kept.K.shape[1] == 70


def test_the_time_left_begins_as_the_plan_tells_it_and_ends_as_the_pass_goes() -> None:
    assert seconds_left(0.0, 0.0, 0.7) == pytest.approx(0.7)
    # the first hundredth took 0.1 s, most of it a preparation: alone it would announce 10 s
    assert seconds_left(0.01, 0.1, 0.7) < 2
    assert seconds_left(0.9, 9.0, 0.7) == pytest.approx(1.0, rel=0.1)
    assert seconds_left(1.0, 9.0, 0.7) == 0


def test_a_map_brings_its_sinks_and_keeps_them(mapped: Mapped) -> None:
    found = mapped("page=map&n=200&h=4")
    (sink,) = found["figures"][0].header["sinks"]
    weights = compute(share.read("page=map&n=200&h=4").state.config).weights[:, :, 0].mean(-1)
    assert (sink["key"], [head for head, _ in sink["shares"]]) == (0, [1, 4])
    for head, part in sink["shares"]:
        assert part == pytest.approx(float(weights[head - 1]), rel=1e-4)
    kept = STORE.get(found["ended"][0].header["id"])
    assert kept.sinks_of(4) == ((0, pytest.approx(float(weights[3]), rel=1e-4)),)
    assert kept.sinks_of(2) == ()
    summary = found["figures"][0].header["summaries"]["map"]
    assert "Key 0 is a sink" in summary, "whoever hears the map hears its marks"


def test_an_upload_that_is_none_ends_the_run_in_words(mapped: Mapped) -> None:
    found = mapped("page=map&source=upload", b"garbage")
    message = locale.text("en", "error.upload_unreadable", format="safetensors")
    assert [part.header["message"] for part in found["error"]] == [message]
    huge = safetensors.numpy.save({"Q": np.full((5, 3), 3e38, np.float32), "K": np.full((5, 3), 3e38, np.float32)})
    assert "float32" in mapped("page=map&source=upload", huge)["error"][0].header["message"]


def test_cancelling_in_the_middle_gives_the_place_back_and_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Admission(2**30, 2)
    monkeypatch.setattr(passes, "BEAT", 0.0)
    steps, gate = [], threading.Event()
    all_passes = passes.attention_passes

    def watched(*tensors: Any, **options: Any) -> Any:
        for step in all_passes(*tensors, **options):
            steps.append(step.done)
            yield step
            if len(steps) == 2:
                gate.wait(20)

    monkeypatch.setattr(passes, "attention_passes", watched)
    kept = STORE.bytes
    ask = PageRequest("page=map&n=1543&h=2&d_k=3", None, frozenset(), b"", "en", "light", 0, "", {})

    async def visit() -> list[str]:
        kinds = []
        ticket = own.run(ask.client, Cost(1.0, 1))
        stream = runs.stream(lambda run: passes.run(ask, run), lambda: ticket, live_parts.failure)  # pyright: ignore[reportArgumentType]
        async for piece in stream:
            kinds.append(piece[4 : 4 + struct.unpack_from("<I", piece)[0]].decode().split('"')[3])
            if kinds.count("progress") == 2:
                (name,) = runs._running
                runs.command(name, "cancel")
                gate.set()
        while own.runs.working:
            await asyncio.sleep(0.01)
        return kinds

    kinds = alone(visit(), 20)
    assert kinds[:2] == ["began", "map"]
    assert "ended" not in kinds
    assert "error" not in kinds
    assert len(steps) <= 3
    assert steps[-1] < 1543
    assert STORE.bytes == kept
    assert not runs._running


@pytest.mark.parametrize("by", ["the run", "the blocks"])
def test_a_pass_ends_when_the_run_alone_or_the_blocks_alone_are_told(by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run, left, steps, all_passes = Run(), threading.Event(), [], passes.attention_passes

    def watched(*tensors: Any, **options: Any) -> Any:
        for step in all_passes(*tensors, **options):
            steps.append(step.done)
            if len(steps) == 2:
                run.cancel() if by == "the run" else left.set()
            yield step

    monkeypatch.setattr(passes, "attention_passes", watched)
    monkeypatch.setattr(passes, "threads", lambda: 1)  # several may have done the next round before they are told
    ask = PageRequest("page=map&n=1543&h=2&d_k=3", None, frozenset(), b"", "en", "light", 0, "", {})
    ends = nullcontext() if by == "the run" else pytest.raises(Cancelled)
    with stopping(left.is_set), ends:
        list(passes.run(ask, run))
    assert len(steps) == 2
    assert steps[-1] < 1543


def test_a_cancelled_run_draws_nothing_more() -> None:
    run = Run()
    run.cancel()
    ask = PageRequest("page=map&n=41&h=1", None, frozenset(), b"", "en", "light", 0, "", {})
    assert len(list(passes.run(ask, run))) <= 1


def test_what_cannot_be_read_raises_before_anything_is_sent() -> None:
    ask = PageRequest("page=map&source=text", None, frozenset(), b"x", "en", "light", 0, "", {})
    with pytest.raises(InvalidInput):
        next(passes.run(ask, Run()))
