"""The CSV files hold the result's numbers exactly, one line a row and one line a cell, and no formula."""

import csv
import io

import numpy as np
import pytest
import torch

from attention_core import AttentionConfig, AttentionInputs, compute, compute_rows
from visualiser.export import Origin, cells_csv, rows_csv
from visualiser.export.cells import CAPPED_COLUMN, COLUMNS


def read(pieces) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(b"".join(pieces).decode("utf-8-sig"), newline="")))


SENTENCE = "the cat 고양이 the 👩‍👩‍👧"
CONFIGS = {
    "gaussian": AttentionConfig(n=7, h=3, d_k=5, tie=False),
    "causal text": AttentionConfig(source="text", text=SENTENCE, h=2, d_k=3, tie=False, mask="causal"),
    "additive window": AttentionConfig(n=11, h=2, d_k=3, tie=False, mechanism="additive", mask="window", window=1),
}


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_every_cell_comes_back_as_the_float_that_it_was(config):
    result = compute(config)
    lines = read(cells_csv(result))
    n = config.n
    assert [(int(line["head"]), int(line["query"]), int(line["key"])) for line in lines] == [
        (head, query, key) for head in range(1, config.h + 1) for query in range(n) for key in range(n)
    ]
    for column, tensor in (("score", result.scores), ("scaled", result.scaled), ("weight", result.weights)):
        assert torch.equal(torch.tensor([float(line[column]) for line in lines]), tensor.flatten())
    allowed = torch.ones(n, n) if result.mask is None else result.mask
    assert [line["allowed"] == "1" for line in lines] == allowed.bool().repeat(config.h, 1).flatten().tolist()


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_every_row_has_its_statistics(config):
    result = compute(config)
    lines = read(rows_csv(result))
    assert len(lines) == config.h * config.n
    columns = {
        "entropy_nats": result.entropy,
        "ceiling_nats": result.ceiling.expand(config.h, -1),
        "effective_keys": result.effective_keys,
        "jacobian_norm": result.jacobian_norm,
        "jacobian_trace": result.jacobian_trace,
        "largest_weight": result.largest_weight,
    }
    for column, tensor in columns.items():
        assert torch.equal(torch.tensor([float(line[column]) for line in lines]), tensor.flatten()), column
    for line in lines:
        weights = result.weights[int(line["head"]) - 1, int(line["query"])]
        assert weights[int(line["largest_weight_key"])] == weights.max()


def test_tokens_stand_beside_their_numbers():
    result = compute(CONFIGS["causal text"])
    lines = read(cells_csv(result))
    assert [line["key_token"] for line in lines[:5]] == ["the", "cat", "고양이", "the", "👩‍👩‍👧"]
    assert [line["query_token"] for line in lines[:25:5]] == ["the", "cat", "고양이", "the", "👩‍👩‍👧"]
    assert all(line["largest_weight_token"] == "the" for line in read(rows_csv(result)) if line["query"] == "0")


ORIGIN = Origin(link="?text=100%25", seed="3", headlight="1.2.3", torch="4.5", plotly="6", date="2026-01-02T03:04:05Z")


@pytest.mark.parametrize("written", [cells_csv, rows_csv])
@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_the_first_line_ends_with_the_origin_and_no_other_number_moves(written, config):
    result = compute(config)
    plain, with_origin = read(written(result)), read(written(result, ORIGIN))
    assert with_origin[0].pop("origin") == (
        "link: ?text=100%25; seed: 3; headlight: 1.2.3; torch: 4.5; plotly: 6; date: 2026-01-02T03:04:05Z"
    )
    assert {line.pop("origin") for line in with_origin[1:]} == {""}
    assert {line.pop("origin") for line in plain} == {""}
    assert with_origin == plain


def test_a_token_is_never_a_formula():
    config = AttentionConfig(
        source="text", text='= + - @ ＝ ＋ － ＠ ＃ a "b,c"', split="characters", h=1, d_k=2, tie=False
    )
    tokens = [line["token"] for line in read(rows_csv(compute(config)))]
    assert tokens == ["'=", "'+", "'-", "'@", "'＝", "'＋", "'－", "'＠", "＃", "a", '"', "b", ",", "c", '"']


def test_chosen_rows_keep_their_numbers():
    config = CONFIGS["causal text"]
    lines = read(rows_csv(compute_rows(config, [3, 1])))
    assert [(line["query"], line["token"]) for line in lines] == [("3", "the"), ("1", "cat")] * 2


def test_a_query_without_a_key_names_none():
    generator = torch.Generator().manual_seed(5)
    Q, K, V = (torch.randn(1, rows, 2, generator=generator) for rows in (5, 3, 3))
    result = compute(AttentionConfig(source="upload", mask="causal"), AttentionInputs(Q, K, V))
    first = read(rows_csv(result))[0]
    assert (first["largest_weight"], first["largest_weight_key"], first["entropy_nats"]) == ("0", "", "0")


def test_cells_are_streamed_row_by_row():
    pieces = cells_csv(compute(AttentionConfig(n=13, h=2)))
    next(pieces)
    assert next(pieces).count(b"\n") == 13


def test_a_token_with_a_percent_sign_stands_as_it_is():
    config = AttentionConfig(source="text", text='100 % %s "%b, %d"', split="characters", h=1, d_k=2, tie=False)
    result = compute(config)
    lines = read(cells_csv(result))
    tokens = list(result.tokens or ())
    assert "%" in tokens
    assert [line["key_token"] for line in lines[: config.n]] == tokens
    assert [line["query_token"] for line in lines[:: config.n]] == tokens


def test_lines_are_what_a_plain_writer_writes():
    config = AttentionConfig(source="text", text='a "b, c" 고양이 = a', h=2, d_k=3, tie=False, mask="causal")
    result = compute(config)
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    tokens = ["'=" if token == "=" else token for token in result.tokens or ()]
    for head in range(2):
        for query, query_token in enumerate(tokens):
            for key, key_token in enumerate(tokens):
                writer.writerow((head + 1, query, key, query_token, key_token, "*", "*", int(key <= query), "*", ""))
    numbers = {5, 6, 8}
    plain = [
        ["*" if i in numbers else cell for i, cell in enumerate(line)]
        for line in csv.reader(io.StringIO(b"".join(list(cells_csv(result))[1:]).decode(), newline=""))
    ]
    assert plain == list(csv.reader(io.StringIO(stream.getvalue(), newline="")))


@pytest.mark.parametrize("tokens", [{}, {"source": "text", "text": SENTENCE}])
def test_the_line_of_a_sink_completes_its_row(tokens):
    config = AttentionConfig(**tokens, n=7, h=2, d_k=3, tie=False, mask="causal", normalisation="sink", sink=1.25)
    result = compute(config)
    lines = read(cells_csv(result))
    n = result.weights.shape[-1]
    rows = [lines[start : start + n + 1] for start in range(0, len(lines), n + 1)]
    assert len(rows) == 2 * n
    for row in rows:
        *keys, sink = row
        assert [line["key"] for line in keys] == [str(key) for key in range(n)]
        assert (sink["key"], sink["key_token"], sink["score"], sink["scaled"]) == ("sink", "", "", "1.25")
        assert (sink["allowed"], sink["query"]) == ("1", keys[0]["query"])
        assert (sink["head"], sink["query_token"]) == (keys[0]["head"], keys[0]["query_token"])
        assert sum(float(line["weight"]) for line in row) == pytest.approx(1, abs=1e-6)
        assert all((float(line["weight"]) == 0) == (line["allowed"] == "0") for line in keys)


def test_a_softcap_has_a_column_from_which_the_weights_follow():
    """softmax(capped), with the sink's line, is the column of weights; softmax(scaled) is not."""
    config = AttentionConfig(
        n=7, h=1, d_k=5, tie=False, scaling="none", mask="causal", softcap=1.5, normalisation="sink", sink=2.0
    )
    lines = read(cells_csv(compute(config)))
    assert list(lines[0]) == [*COLUMNS[:7], CAPPED_COLUMN, *COLUMNS[7:]]
    rows = [lines[start : start + 8] for start in range(0, 56, 8)]
    for row in rows:
        weights = np.array([float(line["weight"]) for line in row])
        capped = np.exp([float(line["capped"]) for line in row])
        np.testing.assert_allclose(weights, capped / capped.sum(), rtol=1e-6, atol=1e-9)
        assert (row[-1]["key"], float(row[-1]["capped"])) == ("sink", 2.0)
    scaled = np.array([float(line["scaled"]) for line in lines if line["key"] != "sink"])
    bent = np.array([float(line["capped"]) for line in lines if line["key"] != "sink" and line["allowed"] == "1"])
    assert np.abs(scaled).max() > 1.5 > np.abs(bent).max()
    assert CAPPED_COLUMN not in read(cells_csv(compute(AttentionConfig(n=3, h=1))))[0]
