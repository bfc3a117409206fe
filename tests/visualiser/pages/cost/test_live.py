"""The Cost page's parts against the measurement behind them."""

import json
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from attention_core import AttentionConfig
from attention_core.mechanisms.operations import Operations
from attention_core.studies.contenders import CONTENDERS
from attention_core.studies.cost import VARIED, CostConfig, CostPoint
from tests.visualiser.pieces import header
from visualiser.figures.measurement import Measurement, table
from visualiser.locale import LANGUAGES
from visualiser.pages.cost import live as cost
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.runs import Run
from visualiser.shipped import shipped
from visualiser.state import share
from visualiser.state.view import View

CONFIG = CostConfig(sizes=(16, 32, 64), n=16, d_k=8, seconds=0.5, total=20.0, bytes=2**20, measuring=0.0)


def ask(query: str, **extra: Any) -> PageRequest:
    return PageRequest(query, None, frozenset(), b"", "en", "light", 0, "", extra)


def point(contender: str, size: int, seconds: float | None, bytes_: int | None, **more: Any) -> CostPoint:
    made = CostPoint(contender, "forward", size, size, 8, Operations(size * 10, 0, 0), 0.0, 0)
    return replace(made, seconds=seconds, fastest=seconds, bytes=bytes_, calls=3, **more)


def measured() -> list[CostPoint]:
    """Return times that grow as n² and n, with round ratios: 30 at the largest common size, and memory 50 to 1."""
    points = [point("additive_naive", size, 1e-6 * size**3, 5000 * size) for size in (16, 32)]
    points.append(point("additive_naive", 64, None, None, skipped="memory"))
    points += [point("additive_chunked", size, 30e-6 * size**2 / 64, 200 * size) for size in (16, 32, 64)]
    points += [point("explicit", size, 2e-6 * size, 100 * size) for size in (16, 32, 64)]
    return points + [point("fused", size, 1e-6 * size, 10 * size) for size in (16, 32, 64)]


def test_the_table_says_what_was_not_run_and_why() -> None:
    columns = {column.label: column.values for column in table(Measurement(CostConfig(), measured()), View()).columns}
    outcomes = list(columns["Outcome"])
    assert outcomes.count("measured") == 11
    at = outcomes.index("not run: too much memory")
    assert np.isnan(columns["Time (ms)"][at])
    assert np.isnan(columns["Memory (MB)"][at])
    assert columns["Time (ms)"][0] == pytest.approx(1e3 * 1e-6 * 16**3)


def test_what_is_left_counts_only_what_will_be_run() -> None:
    points = measured()
    left = cost.remaining(replace(CONFIG, sizes=(16, 32, 64, 128)), points)
    fused_next = CONTENDERS["fused"].operations(128, 8, False).total * (1e-6 / 10)
    assert left > 4 * fused_next  # four calls of one size remain
    slow = replace(CONFIG, sizes=(16, 32, 64, 128), seconds=1e-9)
    assert cost.remaining(slow, points) < 1e-6 < left  # sizes beyond the bound do not count


@pytest.mark.slow
def test_a_run_draws_every_point_and_ends_with_its_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "experiment", lambda config, varied: CONFIG)
    asked = ask("page=cost", prediction={"name": "cost_ratio", "answer": "same"})
    parts = [header(piece) for piece in cost.run(asked, Run())]
    done = [part["done"] for part in parts if part["part"] == "progress"]
    assert done == pytest.approx([i / 24 for i in range(1, 25)])
    assert [part["part"] for part in parts[-2:]] == ["verdict", "ended"]
    # more bytes than the bound: 4 · 64² · 8 · 3 layers
    table = cast(dict, [part for part in parts if part["part"] == "figures"][-1])["tables"]["cost-time"]
    assert "not run: too much memory" not in json.dumps(table) or CONFIG.bytes < 2**21


def test_a_cancelled_run_stops() -> None:
    run = Run()
    parts = cost.run(ask("page=cost"), run)
    assert header(next(parts))["part"] == "figures"
    run.cancel()
    assert [header(piece)["part"] for piece in parts] == ["progress"]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_shipped_result_stays_hidden_until_it_is_asked_for(lang: str) -> None:
    def origin(query: str, **extra: Any) -> str:
        return " ".join(header(next(iter(cost.frame(ask(query, **extra)))))["origin"] or ())

    shows = f"page=cost&lang={lang}"
    asked = f"{shows}&predict=true"
    kept = shipped("cost")
    assert kept.date not in origin(asked)
    assert kept.date in origin(asked, reveal=True)
    for link in (shows, f"{shows}&predict=false"):
        assert kept.date in origin(link)
        assert kept.machine in origin(link)
    assert kept.date not in origin(f"{shows}&d_k=32")  # another experiment than the shipped one


def test_what_was_measured_live_stays_on_the_screen() -> None:
    def parts_of(link: str, **extra: Any) -> list[str]:
        return [header(piece)["part"] for piece in cost.frame(ask(link, **extra))]

    assert parts_of("page=cost", keep=True) == ["state"]
    assert parts_of("page=cost") == ["state", "figures"]
    assert parts_of("page=cost&predict=true", keep=True) == ["state", "question"]
    assert parts_of("page=cost&predict=true") == ["state", "question", "figures"]


@pytest.mark.parametrize("varied", VARIED)
def test_a_measurement_is_shipped_for_each_size_that_may_be_varied(varied: str) -> None:
    config = cost.experiment(AttentionConfig(n=256), varied)
    kept = shipped(cost.SHIPPED[varied])
    assert kept.settings == cost.settings(config)
    assert kept.settings == cost.settings(replace(config, **{varied: 3})), (
        "the size that varies has no value of its own"
    )
    other = {"n": "d_k", "d_k": "n"}[varied]
    assert kept.settings != cost.settings(replace(config, **{other: 3}))
    points = [cost.point_from(entry) for entry in kept.results]
    assert cost.to_json(points) == kept.results
    assert len(points) == len(config.sizes) * len(CONTENDERS) * 2


@pytest.mark.parametrize(("source", "n"), [("gaussian", 64), ("text", 256), ("upload", 64), ("structured", 64)])
def test_the_link_of_the_page_measures_what_its_controls_show(source: str, n: int) -> None:
    link = f"page=cost&source={source}&text=one+two+three&n=64&d_k=128&predict=false"
    first = header(next(iter(cost.frame(ask(link)))))
    controls, config = first["controls"], share.read(first["query"], page="cost").state.config
    assert (controls["n"], controls["d_k"]) == (config.n, config.d_k) == (n, 128)
