"""Questions about a kept map: tiles, rows, pictures, files against the dense tensors; ids, ranges, hostile values."""

import csv
import io
import math
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import numpy as np
import plotly.graph_objects as go
import pytest
import torch

from attention_core import AttentionConfig, AttentionInputs, AttentionResult, attention_statistics, compute, draw
from attention_core.studies.tensor_memory import TensorMemory
from visualiser import locale
from visualiser.maps.kept import BINS, Kept
from visualiser.pages.map import files, rows
from visualiser.pages.map.answers import QUESTIONS
from visualiser.pages.map.price import row_cost
from visualiser.pages.map.store import IDLE_MINUTES, STORE
from visualiser.pages.map.tiles import highest
from visualiser.state import share
from visualiser.upload import canonical

pytestmark = pytest.mark.slow

N, H, D_K = 521, 3, 7
QUERIES = {
    "none": "page=map&n=521&h=3&d_k=7&seed=2",
    "causal": "page=map&n=521&h=3&d_k=7&seed=2&mask=causal",
    "window": "page=map&n=521&h=3&d_k=7&seed=2&mask=window&window=17",
}
Asking = Callable[..., list[Any]]


def dense(mask: str) -> AttentionResult:
    config = AttentionConfig(n=N, h=H, d_k=D_K, seed=2, mask=mask, window=17, source="structured")
    return compute(config)


@pytest.fixture(params=list(QUERIES))
def mask(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def name(mask: str, mapped: Callable[..., dict[str, list[Any]]]) -> Any:
    found = mapped(QUERIES[mask])["ended"][0].header["id"]
    yield found
    STORE.drop(found)


def sentence(lang: str, result: AttentionResult, head: int, query: int) -> str:
    """Return the summary of a row from its softmax in float64."""

    def position(at: int) -> str:
        return str(at) if result.tokens is None else f"{at} “{result.tokens[at]}”"

    scores = result.config.factor * result.Q[head - 1, query].double() @ result.K[head - 1].double().mT
    if result.mask is not None:
        scores = scores.masked_fill(~result.mask[query], -torch.inf)
    weights = torch.softmax(scores, -1)
    entropy = float(torch.special.entr(weights).sum())
    key = int(weights.argmax())
    return locale.text(
        lang,
        "table.row.summary",
        query=position(query),
        head=head,
        entropy=entropy,
        ceiling=math.log(int((weights > 0).sum())),
        effective=math.exp(entropy),
        norm=float((weights.diag() - weights.outer(weights)).norm()),
        key=position(key),
        weight=float(weights[key]),
    )


def squares(cells: np.ndarray, cell: int, how: Callable[..., Any]) -> np.ndarray:
    rows, columns = (range(0, size, cell) for size in cells.shape)
    return np.array([[how(cells[i : i + cell, j : j + cell]) for j in columns] for i in rows])


@pytest.mark.night(but=1)
@pytest.mark.parametrize("level", [0, 1, 2])
def test_tiles_are_the_dense_weights(name: str, mask: str, level: int, ask: Asking) -> None:
    result, cell = dense(mask), 2**level
    size = 128 * cell
    allowed = np.ones((N, N), bool) if result.mask is None else result.mask.numpy()
    count = -(-N // size)
    for row in range(count):
        asked = [[row, column] for column in reversed(range(count))]
        parts = ask("page/map/tiles", "page=map", id=name, head=2, level=level, tiles=asked)
        assert len(parts) == count
        for column, part in zip(reversed(range(count)), parts, strict=True):
            here = np.s_[row * size : (row + 1) * size, column * size : (column + 1) * size]
            assert [part.header[key] for key in ("part", "head", "level", "row", "column")] == [
                "tile", 2, level, row, column
            ]  # fmt: skip
            never = squares(allowed[here], cell, lambda block: not block.any())
            for came, how in (("mean", np.mean), ("maximum", np.max)):
                if came == "maximum" and level == 0:
                    assert part.values[came] is None
                    continue
                expected = squares(result.weights[1].numpy()[here], cell, how)
                assert part.values[came].dtype == np.float32
                assert part.values[came].shape == expected.shape
                np.testing.assert_array_equal(np.isnan(part.values[came]), never)
                np.testing.assert_allclose(np.nan_to_num(part.values[came]), expected, rtol=3e-5, atol=1e-8)


def test_a_row_is_the_dense_row(name: str, mask: str, ask: Asking) -> None:
    result = dense(mask)
    (part,) = ask("page/map/row", f"{QUERIES[mask]}&colour=linear", id=name, head=3, row=211)
    weights = result.weights[2, 211].numpy()
    allowed = np.ones(N, bool) if result.mask is None else result.mask[211].numpy()
    line, marks = part.header["drawings"]["row"]["data"]
    np.testing.assert_array_equal(np.isnan(line["y"]), ~allowed)
    np.testing.assert_allclose(np.nan_to_num(line["y"]), weights, rtol=3e-5, atol=1e-9)
    top = np.argsort(-np.where(allowed, weights, -1), kind="stable")[:16]
    np.testing.assert_array_equal(marks["x"], top)
    columns = {column["label"]: column["values"] for column in part.header["tables"]["row"]["columns"]}
    np.testing.assert_array_equal(columns["key"], top)
    np.testing.assert_allclose(columns["scaled score"], result.scaled[2, 211].numpy()[top], rtol=1e-4, atol=1e-5)
    statistics = part.header["statistics"]
    assert statistics["entropy"] == pytest.approx(float(result.entropy[2, 211]), abs=2e-5)
    assert statistics["ceiling"] == pytest.approx(np.log(allowed.sum()), abs=1e-5)
    assert statistics["effective_keys"] == pytest.approx(float(result.effective_keys[2, 211]), rel=1e-4)
    assert statistics["jacobian_norm"] == pytest.approx(float(result.jacobian_norm[2, 211]), rel=1e-4)
    assert statistics["largest_weight"] == pytest.approx(weights.max(), rel=1e-4)
    assert statistics["largest_at"] == top[0]
    assert (part.header["head"], part.header["row"]) == (3, 211)


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_row_is_told_in_a_sentence(name: str, mask: str, lang: str, ask: Asking) -> None:
    for head, query in ((3, 211), (1, 17)):
        (part,) = ask("page/map/row", f"{QUERIES[mask]}&lang={lang}", id=name, head=head, row=query)
        assert part.header["summaries"]["row"] == sentence(lang, dense(mask), head, query)


def test_a_row_without_any_key_says_so(ask: Asking, mapped: Callable[..., dict[str, list[Any]]]) -> None:
    Q, K = draw(0, "Q", 7, 3)[None], draw(0, "K", 5, 3)[None]
    found = mapped("page=map&source=upload&mask=causal", canonical(AttentionInputs(Q, K, K)))
    (part,) = ask("page/map/row", "page=map", id=found["ended"][0].header["id"], head=1, row=1)
    assert np.isnan(part.header["drawings"]["row"]["data"][0]["y"]).all()
    assert part.header["summaries"]["row"] == locale.text("en", "insight.row_masked", query=1)
    assert (part.header["statistics"]["largest_weight"], part.header["statistics"]["largest_at"]) == (0.0, None)


@pytest.mark.night(but=1)
def test_the_whole_map_is_pictured_by_its_overview(name: str, mask: str, ask: Asking) -> None:
    for pooling, how in (("average", np.mean), ("maximum", np.max)):
        (part,) = ask(
            "page/map/figure", f"{QUERIES[mask]}&colour=linear", id=name, figure="map", head=2, pooling=pooling
        )
        trace = part.values["data"][0]
        assert trace["x"][0] == -0.5
        assert trace["x"][-1] == N - 0.5
        came = np.nan_to_num(np.array(trace["z"]))
        np.testing.assert_allclose(came, squares(dense(mask).weights[1].numpy(), 3, how), rtol=3e-5, atol=1e-7)
        go.Figure(part.values["data"], part.values["layout"])  # raises if it is no plotly figure


def test_a_window_is_pictured_cell_by_cell(name: str, mask: str, ask: Asking) -> None:
    seen = {"left": 40.5, "top": 100.25, "across": 30}
    (part,) = ask("page/map/figure", QUERIES[mask], id=name, figure="map", head=1, pooling="average", **seen)
    trace = part.values["data"][0]
    expected = dense(mask).weights[0, 100:131, 40:71].numpy()
    z = np.array(trace["z"])
    shown = np.isfinite(z)
    np.testing.assert_allclose(z[shown], np.log10(expected[shown]), atol=1e-4)
    assert (expected[~shown] == 0).all()
    assert part.values["layout"]["yaxis"]["range"] == [130.5, 99.5]
    (strips,) = ask("page/map/figure", QUERIES[mask], id=name, figure="strips", head=1, **seen)
    np.testing.assert_array_equal(strips.values["data"][0]["x"], np.arange(100, 131))
    np.testing.assert_allclose(strips.values["data"][0]["y"], dense(mask).entropy[0, 100:131], atol=2e-5)
    (row,) = ask("page/map/figure", QUERIES[mask], id=name, figure="row", head=1, row=5)
    assert len(row.values["data"][0]["y"]) == N


def test_a_window_of_many_tokens_is_pooled_to_what_a_picture_holds(name: str, mask: str) -> None:
    kept = STORE.get(name)
    window = files.window(kept, 1, "maximum", slice(7, 520), slice(3, 516))
    assert window.cells.shape == (257, 257)
    expected = squares(dense(mask).weights[0, 7:520, 3:516].numpy(), 2, np.max)
    np.testing.assert_allclose(np.nan_to_num(window.cells), expected, rtol=3e-5, atol=1e-9)


def test_the_files_hold_every_row(name: str, mask: str, ask: Asking) -> None:
    result = dense(mask)
    (part,) = ask("page/map/csv", QUERIES[mask], id=name)
    assert part.values["name"] == "headlight-map.csv"
    lines = list(csv.DictReader(io.StringIO(part.values["bytes"].tobytes().decode("utf-8-sig"))))
    assert len(lines) == H * N
    line = lines[N + 211]
    assert (line["head"], line["query"], line["token"]) == ("2", "211", "")
    assert float(line["entropy_nats"]) == pytest.approx(float(result.entropy[1, 211]), abs=2e-5)
    assert int(line["largest_weight_key"]) == int(result.weights[1, 211].argmax())
    (part,) = ask("page/map/npz", QUERIES[mask], id=name)
    arrays = np.load(io.BytesIO(part.values["bytes"].tobytes()))
    np.testing.assert_allclose(arrays["jacobian_norm"], result.jacobian_norm, atol=1e-5)
    assert arrays["overview_mean"].shape == (3, 174, 174)


def test_a_token_in_the_file_is_no_formula(ask: Asking, mapped: Callable[..., dict[str, list[Any]]]) -> None:
    query, passage = "page=map&source=text&h=1&d_model=8", "=cmd() = x"
    name = mapped(query, passage.encode())["ended"][0].header["id"]
    (part,) = ask("page/map/csv", "page=map", id=name)
    lines = list(csv.DictReader(io.StringIO(part.values["bytes"].tobytes().decode("utf-8-sig"))))
    assert [line["token"] for line in lines] == ["'=", "cmd", "(", ")", "'=", "x"]
    (row,) = ask("page/map/row", "page=map&lang=ko", id=name, head=1, row=1)
    columns = {column["label"]: column["values"] for column in row.header["tables"]["row"]["columns"]}
    assert sorted(columns["토큰"]) == sorted(["=", "cmd", "(", ")", "=", "x"])
    result = compute(share.read(f"{query}&text={quote(passage)}").state.config)
    assert row.header["summaries"]["row"] == sentence("ko", result, 1, 1)


@pytest.mark.parametrize("question", sorted(QUESTIONS))
@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_map_that_is_gone_is_a_clear_answer(question: str, lang: str, ask: Asking) -> None:
    reasons = dict.fromkeys(["nobody", "", "x" * 10_000], "unknown") | {"another.process": "elsewhere"}
    for wrong in (*reasons, None, 7, [1], {"a": 1}):
        (part,) = ask(f"page/map/{question}", f"page=map&lang={lang}", id=wrong, head=1, level=0, row=0, column=0)
        if question == "forget":
            assert part.kind == "ended"
            continue
        assert part.kind == "error"
        assert part.header["gone"] is True
        reason = reasons[wrong] if isinstance(wrong, str) else "unknown"
        assert part.header["reason"] == reason
        assert part.header["message"] == locale.text(lang, f"error.map_gone_{reason}", minutes=IDLE_MINUTES)


def test_forgetting_frees_the_map(ask: Asking, mapped: Callable[..., dict[str, list[Any]]]) -> None:
    before = STORE.bytes
    name = mapped(QUERIES["none"])["ended"][0].header["id"]
    assert STORE.bytes > before + 2 * H * N * D_K * 4
    ask("page/map/forget", "page=map", id=name)
    assert STORE.bytes == before


HOSTILE = [-1, 2**31, 2**70, 1e308, 0.5, "0", None, True, [], {}, "’; DROP TABLE"]


@pytest.mark.parametrize("field", ["head", "level", "row", "column"])
@pytest.mark.parametrize("mask", ["none"], indirect=True)
def test_hostile_tiles_are_refused_in_words(name: str, field: str, ask: Asking) -> None:
    def parts(**fields: Any) -> list[Any]:
        place = {"row": 0, "column": 0, **fields}
        sound = [0, 0]  # one wrong tile is refused before any is computed
        tiles = [sound, [place["row"], place["column"]]]
        return ask("page/map/tiles", "page=map", id=name, **{"head": 1, "level": 1, **fields, "tiles": tiles})

    for value in [*HOSTILE, 4 if field in ("head", "level") else 3]:
        (part,) = parts(**{field: value})
        assert part.kind == "error", value
        assert "gone" not in part.header
        assert field in part.header["message"]
    assert [part.kind for part in parts()] == ["tile", "tile"]


@pytest.mark.parametrize("asked", [None, [], {}, "[0, 0]", 7, [[0, 0]] * 10, [0, 0], [[0]], [[0, 0, 0]], [None]])
@pytest.mark.parametrize("mask", ["none"], indirect=True)
def test_what_is_no_list_of_a_few_tiles_is_refused_in_words(name: str, asked: Any, ask: Asking) -> None:
    (part,) = ask("page/map/tiles", "page=map", id=name, head=1, level=1, tiles=asked)
    assert part.kind == "error"
    assert "tiles" in part.header["message"] or "row" in part.header["message"]


@pytest.mark.parametrize(
    ("n_q", "n_k", "level"),
    [(1, 1, 0), (128, 128, 0), (129, 1, 1), (1, 129, 1), (256, 200, 1), (257, 256, 2), (100, 1025, 4)],
)
def test_at_the_highest_level_one_tile_holds_the_longer_side(n_q: int, n_k: int, level: int) -> None:
    Q, K = torch.ones(1, n_q, 1), torch.ones(1, n_k, 1)
    assert highest(Kept(AttentionConfig(), Q, K, None, attention_statistics(Q, K, overview=BINS))) == level


@pytest.mark.parametrize("mask", ["none"], indirect=True)
def test_hostile_rows_and_windows_are_refused_in_words(name: str, ask: Asking) -> None:
    for value in [*HOSTILE, N]:
        for question, fields in (("row", {"head": 1, "row": value}), ("figure", {"figure": "row", "row": value})):
            (part,) = ask(f"page/map/{question}", "page=map", id=name, **fields)
            assert part.kind == "error", value
            assert "row" in part.header["message"], value
    for value in ("x", 1e308, [], 2**70):
        (part,) = ask("page/map/figure", "page=map", id=name, figure="map", left=value, across=5)
        assert part.kind == "error", value
    for fields in ({"left": -500, "top": 10**5, "across": 5}, {"left": 520.9, "top": 0, "across": 1e5}, {"across": -3}):
        (part,) = ask("page/map/figure", "page=map", id=name, figure="map", **fields)
        assert part.kind == "figure", fields
    for fields in ({"figure": "../../app.py"}, {"figure": None}, {"figure": "map", "pooling": "median"}):
        (part,) = ask("page/map/figure", "page=map", id=name, **fields)
        assert part.kind == "error"


def test_a_row_of_wide_keys_takes_no_more_than_its_price() -> None:
    """A copy of K alone would be four times as much."""
    Q, K = torch.ones(1, 3, 1024), torch.ones(1, 2000, 1024)
    kept = Kept(AttentionConfig(n=2000, d_k=1024, h=1), Q, K, None, attention_statistics(Q, K))
    rows.row_of(kept, 1, 0)
    with TensorMemory() as memory:
        found = rows.row_of(kept, 1, 1)
    assert found.apart > 0
    assert memory.peak <= row_cost(2000, 1024).memory
