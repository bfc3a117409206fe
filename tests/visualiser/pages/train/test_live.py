"""The Train page's parts against the training behind them."""

import json
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from attention_core.experiments import (
    HeadsCurve,
    HeadsExperiment,
    HeadsSnapshot,
    QualityCurve,
    QualityExperiment,
    QualitySnapshot,
    Snapshot,
    train,
)
from tests.visualiser.pieces import header, plainly
from visualiser.figures.training import Training, table
from visualiser.locale.message import write_all
from visualiser.pages.train import live as page
from visualiser.pages.train import questions
from visualiser.pages.train import sentences as train_sentences
from visualiser.pages.train import shipped_results as train_shipped
from visualiser.predictions import Curve
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.runs import Run
from visualiser.shipped import shipped
from visualiser.state import share
from visualiser.state.view import View

PAPERS = ("scaled", "unscaled", "additive")
SMALL = QualityExperiment(mechanism=PAPERS, d_k=(4, 64), seeds=2, steps=4, batch=4, evaluation=32)
HEADS = HeadsExperiment(h=(1, 3), seeds=2, steps=3, batch=4, evaluation=32, m=3)


def ask(query: str, **extra: Any) -> PageRequest:
    return PageRequest(query, None, frozenset(), b"", "en", "light", 0, "", extra)


def final(mechanism: str, d_k: int, accuracy: float) -> QualitySnapshot:
    values = torch.full((2,), accuracy)
    return QualitySnapshot(QualityCurve(mechanism, d_k), (0, 1), 4, 4, *[values] * 5)


def head(h: int, accuracy: float) -> HeadsSnapshot:
    values = torch.full((2,), accuracy)
    mass, maps = torch.zeros(2, h, 3), torch.zeros(2, h, 3, 8, 8)
    return HeadsSnapshot(HeadsCurve(h, 48 // h), (0, 1), 3, 3, values, values, values, values, mass, maps)


def test_a_link_names_the_whole_experiment() -> None:
    query = "page=train&task=recall&mechanisms=scaled,additive&widths=16,256&learning_rate=0.01&steps=50&seeds=2&seed=7"
    assert page.experiment(share.read(query).state) == QualityExperiment(
        task="recall", mechanism=("scaled", "additive"), d_k=(16, 256), learning_rate=0.01, steps=50, seeds=2, seed=7
    )
    heads = page.experiment(share.read("page=train&experiment=heads&heads=1,8&m=2&classes=32&mlp=true").state)
    assert heads == HeadsExperiment(h=(1, 8), m=2, classes=32, mlp=True)


def test_the_page_begins_with_the_experiments_defaults() -> None:
    assert page.experiment(share.read("page=train").state) == QualityExperiment()
    assert page.experiment(share.read("page=train&experiment=heads").state) == HeadsExperiment()


@pytest.mark.parametrize(
    ("ends", "answer"),
    [
        ({"scaled": 0.99, "unscaled": 0.1, "additive": 0.7}, "unscaled"),
        ({"scaled": 0.99, "unscaled": 0.95, "additive": 0.7}, "additive"),
        ({"scaled": 0.99, "unscaled": 0.95, "additive": 0.95}, "none"),
    ],
)
def test_the_right_answer_is_the_curve_that_falls_furthest(ends: dict[str, float], answer: str) -> None:
    found: list[Snapshot] = [final(name, 4, 1.0) for name in ends]
    found += [final(name, 64, accuracy) for name, accuracy in ends.items()]
    assert questions.right(SMALL, found) == [answer]


def test_the_right_curve_of_heads_is_their_accuracy() -> None:
    assert questions.right(HEADS, [head(3, 0.96), head(1, 0.4)]) == pytest.approx([0.4, 0.96])
    asked = questions.question(HEADS)
    assert isinstance(asked, Curve)
    assert (asked.x, asked.low, asked.high) == ((1.0, 3.0), 0.0, 1.0)


def test_sentences_and_table_hold_the_numbers() -> None:
    found: list[Snapshot] = [
        final(name, d_k, 0.25 if d_k == 64 else 1.0) for name in SMALL.mechanism for d_k in (4, 64)
    ]
    found = [*(replace(shot, step=0) for shot in found), *found]
    short, *sentences = write_all(train_sentences.insight(SMALL, found), "en")
    assert short == "At d_k = 64 the seeds do not tell additive attention from unscaled products."
    assert sentences[0] == "Does attention still learn as d_k grows?"
    curves = "scaled dot product 1 → 0.25, unscaled dot product 1 → 0.25 and additive 1 → 0.25"
    assert sentences[1] == f"Accuracy from d_k = 4 to 64: {curves}."
    columns = {column.label: column.values for column in table(Training(SMALL, found), View()).columns}
    assert {"mechanism", "d_k", "seed", "learning_rate", "steps", "accuracy", "task", "initialisation"} <= set(columns)
    assert len(columns["accuracy"]) == 12
    assert set(columns["steps"]) == {"4"}


@pytest.mark.slow
def test_a_run_ends_with_the_same_numbers_as_the_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "experiment", lambda state: SMALL)
    asked = ask("page=train", prediction={"name": "train_falls", "answer": "scaled"})
    headers = [header(piece) for piece in page.run(asked, Run())]
    assert [part["part"] for part in headers[-2:]] == ["verdict", "ended"]
    alone = list(train(SMALL))
    assert headers[-2]["real"] == questions.right(SMALL, alone)
    assert plainly(headers[-3]["insight"]) == write_all(train_sentences.insight(SMALL, alone), "en")


@pytest.mark.slow
def test_a_run_tells_its_plan_first_and_its_outcome_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the sentences of the result that was shown before it."""
    monkeypatch.setattr(page, "experiment", lambda state: SMALL)
    monkeypatch.setattr(page, "BETWEEN", 0.0)
    headers = [header(piece) for piece in page.run(ask("page=train"), Run())]
    insights = [plainly(part["insight"]) for part in headers if part["part"] == "figures"]
    assert insights[0] == write_all(train_sentences.plan(SMALL), "en")
    assert not any(insights[1:-1])
    assert insights[-1][2].startswith("Accuracy from d_k = 4 to 64")


def test_progress_grows_to_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "experiment", lambda state: HEADS)
    monkeypatch.setattr(page, "BETWEEN", 0.0)
    headers = [header(piece) for piece in page.run(ask("page=train&experiment=heads"), Run())]
    done = [part["done"] for part in headers if part["part"] == "progress"]
    assert done == sorted(done)
    assert done[-1] == 1.0
    heads = [part for part in headers if part["part"] == "heads"][-1]["heads"]
    assert set(heads) == {"1", "3"}
    assert set(heads["3"]) == {"heads-mass", "heads-maps"}


def test_the_rest_of_a_run_takes_as_long_as_its_beginning_did(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock moves 3 s with each snapshot, and 100 s while a picture is drawn, as if it were paused."""
    now = [0.0]

    def trained(wanted: object, device: str) -> Iterator[Snapshot]:
        for shot in train(HEADS):
            now[0] += 3.0
            yield shot

    def drawn(*_: object) -> Iterator[bytes]:
        now[0] += 100.0
        yield from ()

    monkeypatch.setattr(page, "experiment", lambda state: HEADS)
    monkeypatch.setattr(page, "train", trained)
    monkeypatch.setattr(page, "_pictures", drawn)
    monkeypatch.setattr(page, "time", SimpleNamespace(monotonic=lambda: now[0]))
    headers = [header(piece) for piece in page.run(ask("page=train&experiment=heads"), Run())]
    progress = [part for part in headers if part["part"] == "progress"]
    assert len(progress) > 2
    for count, part in enumerate(progress, 1):
        assert part["seconds_left"] == pytest.approx(3.0 * count * (1 - part["done"]) / part["done"])


def test_a_cancelled_run_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "experiment", lambda state: SMALL)
    monkeypatch.setattr(page, "BETWEEN", 0.0)
    run = Run()
    pieces = page.run(ask("page=train"), run)
    next(pieces)
    run.cancel()
    assert [header(piece)["part"] for piece in pieces] == ["progress"]


@pytest.mark.parametrize("experiment", [SMALL, HEADS])
def test_what_is_shipped_reads_as_it_was_written(experiment: QualityExperiment | HeadsExperiment) -> None:
    shots = list(train(experiment))
    again = train_shipped.snapshots_from(experiment, json.loads(json.dumps(train_shipped.to_json(shots))))
    for one, other in zip(shots, again, strict=True):
        assert (one.curve, one.step, one.seeds) == (other.curve, other.step, other.seeds)
        torch.testing.assert_close(one.accuracy, other.accuracy, rtol=5e-3, atol=0.0)


@pytest.mark.parametrize("kind", ["quality", "heads"])
def test_the_shipped_training_is_the_page_s_first_and_bears_the_claim_out(kind: str) -> None:
    wanted = page.experiment(share.read(f"page=train&experiment={kind}").state)
    kept = shipped(f"train_{kind}")
    assert kept.settings == train_shipped.settings(wanted)
    found = train_shipped.snapshots_from(wanted, kept.results)
    right = questions.right(wanted, found)
    if kind == "quality":
        assert right == ["unscaled", "qk_norm_unscaled"], "with and without QK-norm, the seeds overlap"
    else:
        one, *_, four, eight = map(float, right)
        assert one < 0.45
        assert min(four, eight) > 0.95


@pytest.mark.parametrize(
    ("query", "curves"),
    [
        ("mechanisms=scaled,unscaled,additive", 15),
        ("mechanisms=qk_norm_unscaled&widths=64,4", 2),
        ("experiment=heads&heads=1,4", 2),
        ("steps=150&seeds=5", 20),
    ],
)
def test_some_of_the_shipped_curves_are_shown_without_a_run(query: str, curves: int) -> None:
    wanted = page.experiment(share.read(f"page=train&{query}").state)
    kept = shipped("train_heads" if isinstance(wanted, HeadsExperiment) else "train_quality")
    found = train_shipped.of_shipped(wanted, kept)
    assert found is not None
    assert {shot.curve for shot in found} == set(wanted.curves)
    assert len(wanted.curves) == curves
    state, *rest = [header(piece) for piece in page.frame(ask(f"page=train&{query}"))]
    assert kept.date in json.dumps(state)
    assert plainly(rest[0]["insight"]) == write_all(train_sentences.insight(wanted, found), "en")


@pytest.mark.parametrize(
    "query",
    ["task=noisy", "seeds=4", "seed=1", "steps=50", "initialisation=small_projections", "experiment=heads&m=2"],
)
def test_another_setting_is_not_shipped(query: str) -> None:
    wanted = page.experiment(share.read(f"page=train&{query}").state)
    kept = shipped("train_heads" if isinstance(wanted, HeadsExperiment) else "train_quality")
    assert train_shipped.of_shipped(wanted, kept) is None


def test_a_curve_that_was_not_trained_is_not_shipped() -> None:
    kept = shipped("train_quality")
    assert train_shipped.of_shipped(QualityExperiment(d_k=(4, 32)), kept) is None


@pytest.mark.slow
@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_shipped_result_waits_for_the_prediction(lang: str) -> None:
    def parts_of(query: str, **extra: Any) -> list[dict[str, Any]]:
        return [header(piece) for piece in page.frame(ask(f"page=train&lang={lang}{query}", **extra))]

    date = shipped("train_quality").date
    hidden = parts_of("&predict=true")
    assert date not in json.dumps(hidden, ensure_ascii=False)
    for link in ("", "&predict=false"):
        assert date in json.dumps(parts_of(link), ensure_ascii=False)
    shown = parts_of("&predict=true", reveal=True, prediction={"name": "train_falls", "answer": "unscaled"})
    assert shown[-1]["part"] == "verdict"
    assert shown[-1]["right"] is True
    assert [part["part"] for part in parts_of("", keep=True)] == ["state"]
    assert [part["part"] for part in parts_of("&predict=true", keep=True)] == ["state", "question"]
