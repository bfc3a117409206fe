"""Explore's files hold the page's own result, figure by figure."""

import base64
import csv
import io
import json
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from attention_core import AttentionConfig, InvalidInput, compute
from visualiser.drawing.colour import nice
from visualiser.locale import text
from visualiser.pages.explore.take_away import KINDS
from visualiser.server.live.page_request import PageRequest

QUERY = "n=5&h=3&d_k=7&mask=causal"
RESULT = compute(AttentionConfig(n=5, h=3, d_k=7, mask="causal"))


def written(kind: str, query: str = QUERY, **extra: Any) -> bytes:
    return b"".join(
        KINDS[kind].content(PageRequest(query, None, frozenset(), b"", "en", "light", 0, "http://x/", extra))
    )


def numbers_of(file: bytes) -> list[list[str]]:
    """Return the lines of a CSV file without the last column, its origin."""
    return [line[:-1] for line in csv.reader(io.StringIO(file.decode("utf-8-sig"), newline=""))]


def numbers(array: dict[str, str]) -> NDArray[np.floating]:
    """Decode an array as plotly's JSON holds it."""
    return np.frombuffer(base64.b64decode(array["bdata"]), dtype=f"<{array['dtype']}")


def test_a_figure_is_the_notebooks() -> None:
    maps = json.loads(written("figure", figure="heat-maps"))
    cells = [trace for trace in maps["data"] if trace["type"] == "heatmap"]
    for head, trace in enumerate(cells):
        drawn = numbers(trace["z"]).reshape(5, 5)
        np.testing.assert_array_equal(np.nan_to_num(drawn), RESULT.weights[head].numpy())
    assert len(cells) == 3
    entropies = json.loads(written("figure", figure="entropy"))["data"]
    medians = next(trace["median"] for trace in entropies if trace["type"] == "box")
    np.testing.assert_allclose(numbers(medians), RESULT.entropy.median(-1).values, rtol=1e-6)


def test_an_unknown_figure_is_refused_with_the_names_of_all() -> None:
    with pytest.raises(InvalidInput) as refused:
        written("figure", figure="jacobians" + 99 * "x")
    every = "heat-maps, score-distribution, entropy, gradient, row-weights, jacobian"
    assert refused.value.details["choices"] == every
    assert len(str(refused.value.details["value"])) == 40


@pytest.mark.slow
@pytest.mark.parametrize("name", ["row-weights", "jacobian"])
def test_a_row_s_figures_exist_only_for_a_row_that_was_chosen(name: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        written("figure", figure=name)
    assert refused.value.details["choices"] == "heat-maps, score-distribution, entropy, gradient"
    assert json.loads(written("figure", f"{QUERY}&row=3", figure=name))["data"]
    page, detailed = written("html").decode(), written("html", f"{QUERY}&row=3").decode()
    key = f"figure.{name.replace('-', '_')}.title"
    heading = f"<h2>{text('en', key)}</h2>"
    assert heading not in page
    assert heading in detailed


def test_a_pinned_state_is_in_figures_and_not_in_numbers() -> None:
    pinned = f"{QUERY}&pin=n%3D5%26h%3D3%26d_k%3D7"
    link = f"{QUERY}&pin=".encode()
    assert link in written("rows", pinned)
    assert numbers_of(written("rows", pinned)) == numbers_of(written("rows"))
    assert written("figure", pinned, figure="heat-maps") != written("figure", figure="heat-maps")
    rows = list(csv.DictReader(io.StringIO(written("rows").decode("utf-8-sig"))))
    assert len(rows) == 15
    np.testing.assert_allclose([float(row["entropy_nats"]) for row in rows], RESULT.entropy.flatten(), rtol=1e-6)


def test_every_file_has_a_name_that_tells_its_format() -> None:
    assert {kind: file.name for kind, file in KINDS.items()} == {
        "snippet": "headlight.py",
        "rows": "headlight-rows.csv",
        "cells": "headlight-cells.csv",
        "npz": "headlight.npz",
        "html": "headlight.html",
        "figure": "headlight-figure.json",
    }


@pytest.mark.parametrize("kind", ["rows", "cells"])
def test_a_csv_file_tells_the_range_of_the_colours_in_its_origin(kind: str) -> None:
    weights = compute(AttentionConfig(h=2)).weights
    scaled = compute(AttentionConfig(h=2, scaling="none")).weights

    def colour_range(query: str) -> str:
        lines = list(csv.reader(io.StringIO(written(kind, query).decode("utf-8-sig"), newline="")))
        assert not any(line[-1] for line in lines[2:])
        return lines[1][-1].rpartition("; colours: ")[2]

    top = float(colour_range("h=2").rpartition(" > ")[2])
    assert colour_range("h=2") == f"weights: 0 … {top:g}, {int((weights > top).sum())}/2048 > {top:g}"
    assert colour_range("h=2&colour_range=full") == f"weights: 0 … {nice(float(weights.max())):g}"
    both = colour_range("h=2&pin=h%3D2%26scaling%3Dnone")  # a pinned A shares the colours
    assert both == "weights: 0 … 1"
    assert float(scaled.max()) <= 1


def test_the_table_of_an_html_file_tells_the_range_of_its_own_picture() -> None:
    top = nice(float(compute(AttentionConfig(h=2)).weights.max()))
    assert f"Colours run from 0 to {top:g}.</caption>" in written("html", "h=2&colour_range=full").decode()
    compared = written("html", "h=2&pin=h%3D2%26scaling%3Dnone").decode()
    assert "<caption>A and B, per head. Colours run from 0 to 1. Colours of B − A run from" in compared
