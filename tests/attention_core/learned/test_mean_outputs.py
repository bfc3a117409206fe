"""Mean outputs of heads: a loop over positions gives the same, and grouped values and filling count as they should."""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import pytest
import torch

from attention_core.learned import SHIPPED, ModelRun, corpus_measures, shipped_model
from attention_core.learned.mean_outputs import MeanOutputs
from attention_core.learned.over_corpus import measured_documents
from attention_core.models.captured import CapturedLayer


def loop(runs: Sequence[ModelRun], layer: int, head: int) -> torch.Tensor:
    """Return the mean of one head's output, position by position."""
    found, positions = torch.zeros(16, dtype=torch.float64), 0
    for run in runs:
        its = run.layers[layer]
        assert its.V is not None
        for query in range(len(run.tokens)):
            positions += 1
            for key in range(query + 1):
                found += its.weights[head, query, key].double() * its.V[head, key].double()
    return found / positions


def captured(layer: Any, **changed: Any) -> CapturedLayer:
    """Return a layer as one that any model may have."""
    return CapturedLayer(**{one.name: getattr(layer, one.name) for one in fields(CapturedLayer)} | changed)


def means(*runs: ModelRun) -> list[Any]:
    made = MeanOutputs()
    for run in runs:
        made.add(run)
    return list(made.means)


def test_a_loop_finds_the_same() -> None:
    model = shipped_model("headlight")
    runs = [model.run(text) for text in ("Anna sees Ben .", "the keys to the cabinet are old . the keys")]
    found = means(*runs)
    for layer in range(2):
        for head in range(4):
            torch.testing.assert_close(found[layer][head], loop(runs, layer, head))


@pytest.mark.night
@pytest.mark.slow
@pytest.mark.parametrize("name", SHIPPED)
def test_what_is_kept_of_a_shipped_model_is_measured(name: str) -> None:
    model: Any = shipped_model(name)
    kept, made = corpus_measures(model).outputs, measured_documents(model).outputs
    assert len(kept) == SHIPPED[name]
    torch.testing.assert_close(list(kept), list(made))


def test_grouped_values_are_shared_and_filling_does_not_count() -> None:
    run = shipped_model("headlight").run("Anna sees Ben . Anna")
    first: Any = run.layers[0]
    n = len(run.tokens)
    grouped = captured(first, K=first.K[:2], V=first.V[:2])
    expected = torch.stack([(first.weights[head] @ first.V[head // 2]).mean(0) for head in range(4)])
    torch.testing.assert_close(means(replace(run, layers=(grouped, run.layers[1])))[0], expected.double())

    at = torch.arange(n).repeat(2, 1)
    at[1, 2:] = -1
    two = {name: torch.stack([getattr(first, name)] * 2) for name in ("Q", "K", "V", "scores", "weights")}
    found = means(ModelRun(run.lines, (captured(first, **two),), ((0, 0),), (at,)))[0]
    outputs = first.weights.double() @ first.V.double()
    torch.testing.assert_close(found, (outputs.sum(1) + outputs[:, :2].sum(1)) / (n + 2))


def test_a_layer_without_values_has_no_mean() -> None:
    run = shipped_model("headlight").run("Anna sees Ben")
    first: Any = run.layers[0]
    found = means(replace(run, layers=(captured(first, V=None), run.layers[1])))
    assert found[0] is None
    assert found[1] is not None
