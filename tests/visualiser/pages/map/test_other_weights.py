"""A sink, gates and a softcap on the Map: every number against the dense tensors, every sentence in its words."""

import csv
import io
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from attention_core import AttentionConfig, AttentionResult, compute, normalisations
from attention_core.blocks.row_statistics import ROW_STATISTICS
from tests.visualiser.pieces import plainly
from visualiser import locale
from visualiser.listed_statistics import STRIPS, WEIGHTS, label, mean_label, of_rows
from visualiser.pages.map import calibration, passes, predicted
from visualiser.pages.map.pass_price import run_cost
from visualiser.pages.map.store import STORE
from visualiser.server.admission.cost import Sized, shape_of

Mapped = Callable[..., dict[str, list[Any]]]

GIVEN: dict[str, dict[str, Any]] = {
    "sink": {"normalisation": "sink", "sink": 1.5},
    "sigmoid": {"normalisation": "sigmoid", "scaling": "none"},
    "softcap": {"softcap": 2.0, "scaling": "none", "mask": "causal"},
    "sunk and capped": {"normalisation": "sink", "sink": -2.0, "softcap": 1.0, "mask": "window", "window": 17},
    "gates, capped": {"normalisation": "sigmoid", "softcap": 3.0, "mask": "causal", "qk_norm": True, "log_n": True},
}
N, H, D_K = 161, 3, 7


def config_of(name: str) -> AttentionConfig:
    return AttentionConfig(n=N, h=H, d_k=D_K, seed=4, source="structured", **GIVEN[name])


@pytest.fixture(params=list(GIVEN), scope="module")
def result(request: pytest.FixtureRequest) -> AttentionResult:
    return compute(config_of(request.param))


@pytest.fixture
def query(result: AttentionResult) -> str:
    return "page=map&" + "&".join(f"{name}={str(value).lower()}" for name, value in result.config.chosen.items())


@pytest.fixture
def found(query: str, mapped: Mapped, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(passes, "BEAT", 0.0)
    yield (came := mapped(query))
    STORE.drop(came["ended"][0].header["id"])


def name_of(found: dict[str, list[Any]]) -> str:
    return found["ended"][0].header["id"]


def test_overview_and_strips_are_those_of_the_dense_matrix(
    found: dict[str, list[Any]], result: AttentionResult
) -> None:
    allowed = np.ones((N, N), bool) if result.mask is None else result.mask.numpy()
    for part in found["overview"]:
        rows = slice(part.values["first"], part.values["last"])
        expected = np.where(allowed[rows], result.weights[:, rows].numpy(), np.nan)
        for name in ("mean", "maximum"):  # a square is one cell
            np.testing.assert_allclose(part.values[name], expected, rtol=3e-5, atol=1e-8)
    listed = of_rows(result.config, STRIPS, WEIGHTS)
    assert [one["name"] for one in found["map"][0].values["look"]["strips"]] == [each.name for each in listed]
    for part in found["strips"]:
        rows = slice(part.values["first"], part.values["last"])
        for each in listed:
            true = result.statistic(each.name)[:, rows]
            np.testing.assert_allclose(part.values[each.name], true, rtol=5e-5, atol=2e-5, err_msg=each.name)
    if "ceiling" in normalisations.of(result.config).statistics:
        np.testing.assert_allclose(found["map"][0].values["ceiling"], result.ceiling, rtol=1e-6)


def test_tiles_and_the_open_row_are_the_dense_weights(
    found: dict[str, list[Any]], result: AttentionResult, query: str, ask: Callable[..., list[Any]]
) -> None:
    allowed = np.ones((N, N), bool) if result.mask is None else result.mask.numpy()
    (tile,) = ask("page/map/tiles", query, id=name_of(found), head=2, level=0, tiles=[[1, 0]])
    expected = np.where(allowed[128:, :128], result.weights[1, 128:, :128].numpy(), np.nan)
    np.testing.assert_allclose(tile.values["mean"], expected, rtol=3e-5, atol=1e-8)
    (part,) = ask("page/map/row", f"{query}&colour=linear", id=name_of(found), head=3, row=101)
    line, _ = part.header["drawings"]["row"]["data"]
    expected = np.where(allowed[101], result.weights[2, 101].numpy(), np.nan)
    np.testing.assert_allclose(np.array(line["y"], float), expected, rtol=3e-5, atol=1e-8)
    for name in [each.name for each in of_rows(result.config, list(ROW_STATISTICS.values())[2:])]:
        if name in part.header["statistics"]:
            true = float(result.statistic(name)[..., 101].expand(H)[2])
            assert part.header["statistics"][name] == pytest.approx(true, rel=1e-4, abs=2e-5), name
    columns = {column["label"]: column["values"] for column in part.header["tables"]["row"]["columns"]}
    top = np.array(columns[locale.text("en", "table.key")])
    np.testing.assert_allclose(
        columns[locale.text("en", "table.score")], result.scaled[2, 101, top], rtol=1e-4, atol=1e-5
    )
    capped = columns.get(locale.text("en", "table.capped"))
    assert (capped is not None) == bool(result.config.softcap)
    if capped is not None:
        np.testing.assert_allclose(capped, result.masked[2, 101, top], rtol=1e-4, atol=1e-5)


def test_files_have_the_columns_of_these_weights(
    found: dict[str, list[Any]], result: AttentionResult, query: str, ask: Callable[..., list[Any]]
) -> None:
    (part,) = ask("page/map/csv", query, id=name_of(found))
    rows = list(csv.DictReader(io.StringIO(part.values["bytes"].tobytes().decode("utf-8-sig"))))
    row = rows[2 * N + 101]
    assert (row["head"], row["query"]) == ("3", "101")
    assert float(row["largest_weight"]) == pytest.approx(float(result.largest_weight[2, 101]), rel=1e-4)
    assert int(row["largest_weight_key"]) == int(result.weights[2, 101].argmax())
    for name in ("sink_weight", "mass"):
        assert (name in row) == (name in normalisations.of(result.config).statistics)
        if name in row:
            assert float(row[name]) == pytest.approx(float(result.statistic(name)[2, 101]), rel=1e-4)
    assert ("entropy_nats" in row) == (result.config.normalisation != "sigmoid")
    (part,) = ask("page/map/npz", query, id=name_of(found))
    arrays = np.load(io.BytesIO(part.values["bytes"].tobytes()))
    np.testing.assert_allclose(arrays["jacobian_norm"], result.jacobian_norm, rtol=1e-3, atol=1e-6)
    assert ("logsumexp" in arrays) == (result.config.normalisation != "sigmoid")


@pytest.mark.slow
@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_sentences_are_of_these_weights(result: AttentionResult, query: str, mapped: Mapped, lang: str) -> None:
    came = mapped(f"{query}&lang={lang}")
    header = came["figures"][0].header
    STORE.drop(name_of(came))
    said = " ".join(plainly(header["insight"]))
    columns = {column["label"]: column["values"] for column in header["tables"]["map"]["columns"]}
    if result.config.normalisation == "sigmoid":
        masses = result.statistic("mass").double().mean(-1)
        ends = (masses.min(), masses.max())
        alike = float(ends[1] - ends[0]) <= 0.02 * float(ends[1])
        assert all(locale.number(float(end)) in said for end in ([masses.mean()] if alike else ends))
        np.testing.assert_allclose(columns[mean_label(lang, ROW_STATISTICS["mass"])], masses, rtol=1e-4)
        assert label(lang, ROW_STATISTICS["entropy"]) not in " ".join(columns)
        assert not came["figures"][0].header["sinks"]
        return
    np.testing.assert_allclose(
        columns[mean_label(lang, ROW_STATISTICS["entropy"])], result.entropy.double().mean(-1), rtol=1e-4
    )
    if result.config.normalisation == "sink":
        shares = result.statistic("sink_weight").double().mean(-1)
        ends = {"low": float(shares.min()), "high": float(shares.max())}
        assert locale.text(lang, "insight.map_sunk", **ends) in said


def test_nothing_is_asked_about_them(result: AttentionResult) -> None:
    assert predicted.askable(result.config, H, N, N) == []
    plain = AttentionConfig(n=N, h=H, d_k=D_K, source="structured")
    assert predicted.askable(plain, H, N, N)


def test_a_pass_that_does_more_costs_more(known_speed: calibration.Speed) -> None:
    def seconds(name: str | None) -> tuple[float, float]:
        config = config_of(name) if name else AttentionConfig(n=N, h=H, d_k=D_K, seed=4, source="structured")
        return known_speed.seconds(config, 2, 4096, 4096, 64), run_cost(Sized(config, shape_of(config))).memory

    for name, more in (("sink", 5e-10), ("sigmoid", 5e-10), ("softcap", 3.5e-9), ("gates, capped", 4e-9)):
        mask = {"mask": GIVEN[name].get("mask", "none")}
        plain = AttentionConfig(n=N, h=H, d_k=D_K, seed=4, source="structured", **mask)
        of_plain = known_speed.seconds(plain, 2, 4096, 4096, 64)
        share = of_plain / (1e-8 * (2.0 if mask["mask"] == "causal" else 1.0))  # the cells that are computed
        assert seconds(name)[0] == pytest.approx(of_plain + more * share, rel=1e-6)
        assert seconds(name)[1] >= seconds(None)[1]


def test_a_normalisation_without_passes_is_not_offered_and_named_in_a_notice(mapped: Mapped, ask: Any) -> None:
    (state, *_) = ask("page/map", "page=map&n=64&h=1&normalisation=entmax")
    assert state.kind == "state"
    assert state.header["controls"]["normalisation"] == "softmax"
    assert any("entmax" in notice for notice in state.header["notices"])
    assert math.isfinite(mapped("page=map&n=64&h=1&normalisation=entmax")["progress"][-1].header["done"])
