"""What the shipped model's heads write, held against its parameters in float64."""

import pytest
import torch

from attention_core.errors import InvalidInput
from attention_core.language import WORDS, shipped
from attention_core.learned import NAMES, SUBJECTS, HeadWriter, WritingModel, shipped_model, written
from attention_core.learned.copying import FIRST


def writing(name: str = "headlight") -> WritingModel:
    model = shipped_model(name)
    assert isinstance(model, WritingModel)
    return model


@pytest.mark.parametrize("text", [NAMES, SUBJECTS])
@pytest.mark.parametrize(("name", "layer"), [("headlight", 1), ("headlight", 2), ("headlight-one-layer", 1)])
def test_a_head_writes_its_value_through_its_rows_and_the_words(name: str, layer: int, text: str) -> None:
    model = writing(name)
    run = model.run(text)
    parameters = {key: one.double() for key, one in shipped(model.layers).model.parameters.items()}
    V = run.layers[layer - 1].V
    assert V is not None
    for head in range(4):
        stream = V[head].double() @ parameters[f"W_O/{layer}"][16 * head : 16 * head + 16]
        logits = (stream - stream.mean(-1, keepdim=True)) @ parameters["U"]
        logits -= logits.mean(-1, keepdim=True)
        said = written(model.writer(layer), run.layers[layer - 1], head + 1, run.ids)
        most = logits.topk(FIRST)
        torch.testing.assert_close(said.logits.double(), most.values, atol=1e-4, rtol=1e-4)
        copied = [bool(logits[key].argsort(descending=True)[:FIRST].eq(one).any()) for key, one in enumerate(run.ids)]
        assert said.copied.tolist() == copied
        assert said.copying == pytest.approx(sum(copied) / len(copied))
        first = said.first(2)
        assert [one.name for one in first] == [WORDS[number] for number in most.indices[2].tolist()]


def test_the_induction_head_copies_and_the_head_of_the_token_before_does_not() -> None:
    model = writing()
    run = model.run(NAMES)
    scores = {
        (layer, head): written(model.writer(layer), run.layers[layer - 1], head, run.ids).copying
        for layer in (1, 2)
        for head in range(1, 5)
    }
    assert max(scores, key=lambda at: scores[at]) == (2, 1)
    assert scores[2, 1] > 0.6
    assert scores[1, 1] < 0.2


def test_what_the_last_layer_adds_is_what_its_heads_write() -> None:
    """Σ over heads and keys of weight × written logits = the change of the logits before the norm divides."""
    model = writing()
    run, parameters = model.run(NAMES), shipped(2).model.parameters
    layer, row = run.layers[1], len(run.ids) - 1
    assert layer.V is not None
    writer = model.writer(2)
    added = torch.stack([layer.weights[head, row] @ layer.V[head] for head in range(4)]).flatten()
    stream = added @ parameters["W_O/2"]
    by_keys = sum(layer.weights[head, row] @ writer.logits(layer.V[head] @ writer.W_O[head]) for head in range(4))
    torch.testing.assert_close(by_keys, writer.logits(stream[None])[0], atol=1e-4, rtol=1e-4)


@pytest.mark.night
def test_words_by_the_thousand_are_made_in_parts_that_change_nothing() -> None:
    model = writing()
    run = model.run(NAMES)
    small = model.writer(2)
    wide = HeadWriter(small.W_O, lambda rows: small.logits(rows).repeat(1, 30_000), small.name)
    one, other = (written(writer, run.layers[1], 1, run.ids) for writer in (small, wide))
    torch.testing.assert_close(one.own, other.own, atol=1e-3, rtol=1e-4)


def test_what_is_not_there_is_refused() -> None:
    model = writing()
    run = model.run(NAMES)
    with pytest.raises(InvalidInput, match="between 1 and 2"):
        model.writer(3)
    with pytest.raises(InvalidInput, match="between 1 and 4"):
        written(model.writer(1), run.layers[0], 5, run.ids)
    with pytest.raises(InvalidInput) as refused:
        written(model.writer(1), run.layers[0], 1, run.ids[:-1])
    assert refused.value.code == "writing_unread"
