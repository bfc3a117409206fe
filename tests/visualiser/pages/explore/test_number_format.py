"""A number format on Explore: its preset's promise, its files, its endpoint, and the figures that survive NaN."""

import io
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import CHOICES, AttentionConfig, AttentionInputs, AttentionResult, compute
from attention_core.exact.formats import MARKS
from tests.draws import cases
from tests.visualiser.pieces import opened
from visualiser.drawing.cells import visible
from visualiser.drawing.distributions import sharers
from visualiser.drawing.format_marks import loss
from visualiser.drawing.map_colours import change
from visualiser.export import cells_csv, npz, rows_csv
from visualiser.pages.explore.endpoint import described
from visualiser.pages.explore.frame import frame, row
from visualiser.pages.explore.presets import PRESETS
from visualiser.pages.explore.sentences import in_full
from visualiser.pages.explore.take_away import KINDS
from visualiser.reasons import of_cell, of_row
from visualiser.server.live.page_request import PageRequest
from visualiser.state import share
from visualiser.state.view import View

BROKEN = AttentionConfig(n=5, h=2, d_k=512, tie=False, scaling="none", dtype="float16", subtract_max=False)
STATES = st.fixed_dictionaries(
    {
        "n": st.integers(2, 7),
        "h": st.integers(1, 3),
        "dtype": st.sampled_from(("float32", "float16", "bfloat16")),
        "subtract_max": st.sampled_from(("true", "false")),
        "scaling": st.sampled_from(("none", "sqrt_d_k", "custom")),
        "scale": st.sampled_from((0, 1, 16)),
        "d_k": st.sampled_from((1, 64, 512)),
        "mask": st.sampled_from(("none", "causal", "window")),
        "window": st.just(1),
        "stage": st.sampled_from(("scores", "scaled", "masked", "weights")),
        "colour": st.sampled_from(("linear", "log")),
        "colour_range": st.sampled_from(("quantile", "full", "per_head")),
        "lang": st.sampled_from(("en", "ko")),
        "normalisation": st.sampled_from(CHOICES["normalisation"]),
        "sink": st.sampled_from((0, 16)),
        "softcap": st.sampled_from((0, 0, 2)),
    },
    optional={
        "row": st.integers(0, 6),
        "pin": st.sampled_from(("?", "dtype%3Dfloat16%26subtract_max%3Dfalse%26scaling%3Dnone%26d_k%3D512%26n%3D5")),
    },
).map(lambda given: "&".join(f"{name}={value}" for name, value in given.items()))


def asking(query: str, **extra: Any) -> PageRequest:
    return PageRequest(query, "n=4", frozenset(), b"", "en", "light", 0, "", extra)


def test_the_preset_keeps_its_promise() -> None:
    """exp overflows in every row, and no row stays a distribution."""
    found = loss(compute(AttentionConfig(**PRESETS["float16_512"]), device="cpu"))
    assert found is not None
    assert found.rows == found.broken == found.overflowed_rows == 8 * 32


@pytest.mark.night
@pytest.mark.slow
@settings(max_examples=cases(60), deadline=None)
@given(query=STATES)
def test_every_figure_survives_what_a_format_makes(query: str) -> None:
    """No part of an update, of a hovered row or of a figure's JSON has a bare NaN, and nothing raises or warns."""
    for piece in (*frame(asking(query)), *row(asking(query, row=1))):
        header, _ = opened(piece)
        json.dumps(header, allow_nan=False)
    for name in ("heat-maps", "score-distribution", "entropy", "gradient"):
        written = b"".join(KINDS["figure"].content(asking(query, figure=name))).decode()
        json.loads(written, parse_constant=_refused)


def _refused(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


def test_files_write_what_is_no_number_and_why() -> None:
    result = compute(BROKEN, device="cpu")
    marks = result.marks("weights")
    assert marks is not None
    lines = b"".join(cells_csv(result)).decode("utf-8-sig").splitlines()
    columns = lines[0].split(",")
    entries = [dict(zip(columns, line.split(","), strict=True)) for line in lines[1:]]
    for line, code, weight in zip(entries, marks.flatten().tolist(), result.weights.flatten().tolist(), strict=True):
        assert line["mark"] == (MARKS[code - 1] if code else "")
        assert float(line["weight"]) == pytest.approx(weight, rel=1e-8, nan_ok=True)
    rows = b"".join(rows_csv(result)).decode("utf-8-sig").splitlines()
    entropies = [
        float(dict(zip(rows[0].split(","), line.split(","), strict=True))["entropy_nats"]) for line in rows[1:]
    ]
    np.testing.assert_allclose(entropies, result.entropy.flatten().numpy(), rtol=1e-6)
    assert np.isnan(entropies).any()
    archive = np.load(io.BytesIO(npz(result)))
    assert np.array_equal(archive["marks"], marks.numpy())
    plain = b"".join(cells_csv(compute(AttentionConfig(n=3, h=1), device="cpu"))).decode("utf-8-sig")
    assert "mark" not in plain.splitlines()[0]


def test_the_endpoint_has_no_bare_nan() -> None:
    answer = described(compute(BROKEN, device="cpu"))
    json.dumps(answer, allow_nan=False)
    assert answer["broken_rows"] == 9
    assert None in answer["entropy"]  # type: ignore[typeddict-item]


def test_a_difference_of_what_is_no_number_is_marked() -> None:
    a, b = compute(BROKEN, device="cpu"), compute(AttentionConfig(n=5, h=2, d_k=512, tie=False), device="cpu")
    difference = change(a, b, "weights")
    assert difference is not None
    assert bool((difference.isnan() == a.weights.isnan()).all())
    assert not difference.isinf().any()
    header, _ = opened(next(iter(frame(asking("n=5&h=2&d_k=512&pin=" + _quoted(a.config))))))
    structure = header["drawings"]["heat-maps"]["structure"]
    assert {"a", "difference"} <= {
        trace["meta"]["of"] for trace in structure["data"] if trace["meta"]["kind"] == "marks"
    }


def _quoted(config: AttentionConfig) -> str:
    link = share.canonical(share.State(config, share.read("").state.view))
    return link.replace("&", "%26").replace("=", "%3D")


def of(name: str, **changed: Any) -> AttentionResult:
    """Return an unscaled result of other weights in float16 without the maximum subtracted."""
    return compute(replace(BROKEN, normalisation=name, **changed), device="cpu")


def keys_of(result: AttentionResult, view: View | None = None) -> list[str]:
    return [one.key.removeprefix("insight.") for one in in_full(result, view)]


@pytest.mark.parametrize("name", CHOICES["normalisation"])
@pytest.mark.parametrize("dtype", CHOICES["dtype"])
def test_a_link_with_other_weights_in_a_format_is_kept_and_drawn(name: str, dtype: str) -> None:
    query = f"n=5&h=2&normalisation={name}&dtype={dtype}&subtract_max=false&softcap=3"
    reading = share.read(query)
    assert reading.notices == ()
    config = reading.state.config
    assert (config.normalisation, config.dtype, config.subtract_max, config.softcap) == (name, dtype, False, 3)
    headers = [opened(piece)[0] for piece in frame(asking(query))]
    assert "cells" in {header["part"] for header in headers}


def test_each_normalisation_has_its_own_words_for_a_broken_row() -> None:
    sunk = keys_of(of("sink"))
    assert {"format.overflow", "format.broken_sink"} <= set(sunk)
    assert not {"format.broken", "format.sink"} & set(sunk)  # b = 0 is no reason
    assert {"format.sink", "format.broken_sink"} <= set(keys_of(of("sink", sink=12.0, scaling="sqrt_d_k")))
    gates = of("sigmoid")
    assert gates.broken is None
    (cost,) = (one for one in in_full(gates) if one.key == "insight.format.cost_sigmoid")
    assert "total" not in cost.facts
    assert "format.lost_sigmoid" in keys_of(gates) or "format.both_sigmoid" in keys_of(gates)
    roots = keys_of(of("entmax"))
    assert {"format.broken", "format.threshold"} <= set(roots)
    assert not {"format.lost", "format.threshold_rounded", "format.overflow"} & set(roots)
    assert "format.threshold_rounded" in keys_of(
        compute(AttentionConfig(n=64, h=2, normalisation="entmax", dtype="bfloat16"), device="cpu")
    )


def test_a_sinks_row_is_added_up_with_the_sink() -> None:
    """Its keys alone never add up to 1."""
    locked = View(head=1, row=1)
    sunk = in_full(of("sink", sink=12.0, scaling="sqrt_d_k"), locked)[0]
    assert (sunk.key, sunk.facts["query"]) == ("insight.row_sink_nan", "1")
    K = torch.full((1, 3, 1), 11.0)  # three times e^11 are more than float16 has, and each of them is not
    config = AttentionConfig(source="upload", scaling="none", normalisation="sink", dtype="float16", subtract_max=False)
    result = compute(config, AttentionInputs(torch.ones(1, 3, 1), K, K), "cpu")
    row = in_full(result, locked)[0]
    assert (row.key, row.facts["total"], row.facts["keys"]) == ("insight.row_sum_sink", 0.0, 3)


def test_a_weight_is_explained_by_the_steps_that_made_it() -> None:
    result = of("entmax", subtract_max=True, scaling="sqrt_d_k")
    head, row, key = (int(at[0]) for at in np.nonzero((result.weights > 0).numpy()))
    made = of_cell.of_stage(result, "weights", head, row, key)
    assert made.key == "reason.made.format_root"
    assert made.facts["half"] == float(result.masked[head, row, key]) / 2
    assert made.facts["root"] ** 2 == pytest.approx(float(result.weights[head, row, key]), rel=1e-3)
    head, row, key = (int(at[0]) for at in np.nonzero((result.weights == 0).numpy()))
    assert of_cell.of_stage(result, "weights", head, row, key).key == "reason.made.format_root_none"
    support = of_row.of_row(result, "support", head, row)
    assert support is not None
    assert support.facts["value"] == int((result.weights[head, row] > 0).sum())


def test_the_norm_of_a_weight_that_is_no_number_is_explained_by_the_weight() -> None:
    result = of("softmax", scaling="none", dtype="float16")
    assert result.broken is not None
    head, row = (int(at[0]) for at in np.nonzero(result.broken.numpy()))
    key = int(np.nonzero(result.weights[head, row].isnan().numpy())[0][0])
    made = of_cell.of_stage(result, "norms", head, row, key)
    assert (made.key, made.facts["format"]) == ("reason.made.format_row", "float16")


def test_a_softcap_in_a_format_is_drawn_as_it_was_made() -> None:
    result = of("softmax", softcap=2.0, subtract_max=True, dtype="bfloat16")
    assert np.array_equal(visible(result, "masked").numpy(), result.masked.numpy())
    made = of_cell.of_stage(result, "masked", 0, 1, 2)
    assert (made.key, made.facts["value"]) == ("reason.made.format_capped", float(result.masked[0, 1, 2]))


def test_only_keys_that_are_seen_share_the_largest_weight() -> None:
    """In float16 a sink far above the only key leaves it 0, as forbidden keys have."""
    K = np.array([[[-30.0], [0.0], [0.0]]], dtype=np.float32)
    inputs = AttentionInputs(torch.ones(1, 3, 1), torch.from_numpy(K), torch.from_numpy(K))
    config = AttentionConfig(
        source="upload", scaling="none", mask="causal", normalisation="sink", sink=16.0, dtype="float16"
    )
    result = compute(config, inputs, "cpu")
    assert result.weights[0, 0].tolist() == [0.0, 0.0, 0.0]
    assert sharers(result, 1, 0) == 1
