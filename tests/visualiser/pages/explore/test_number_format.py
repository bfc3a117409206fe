"""A number format on Explore: its preset's promise, its files, its endpoint, and the figures that survive NaN."""

import io
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import AttentionConfig, compute
from attention_core.exact.formats import MARKS
from tests.spread import cases
from tests.visualiser.pieces import opened
from visualiser.drawing.format_marks import loss
from visualiser.drawing.map_colours import change
from visualiser.export import cells_csv, npz, rows_csv
from visualiser.pages.explore.endpoint import described
from visualiser.pages.explore.frame import frame, row
from visualiser.pages.explore.presets import PRESETS
from visualiser.pages.explore.take_away import KINDS
from visualiser.server.live.page_request import PageRequest
from visualiser.state import share

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
