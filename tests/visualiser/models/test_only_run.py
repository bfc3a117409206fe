"""A capture as a run: which sequences its layers attend between."""

import pytest

from attention_core import InvalidInput
from attention_core.models import capture
from tests.attention_core.models.small_models import READ, text
from visualiser.models.only_run import Named, only_run
from visualiser.pages.model import MOST_TOKENS


@pytest.mark.parametrize("name", ["T5", "BART"])
@pytest.mark.parametrize("written", [7, 11])  # 11 is the length of the source, too
def test_a_translation_has_a_source_and_a_target(name: str, written: int) -> None:
    model, inputs = READ[name]()
    inputs = inputs | {"decoder_input_ids": text(written, seed=1)["input_ids"]}
    got = capture(model, **inputs)
    run = only_run("x", got, Named(inputs=inputs), MOST_TOKENS).the_run
    assert [(line.name, len(line)) for line in run.lines] == [("source", 11), ("target", written)]
    assert list(run.lines[0].ids) == inputs["input_ids"][0].tolist()
    assert list(run.lines[1].ids) == inputs["decoder_input_ids"][0].tolist()
    expected = [
        (1, 0) if layer.kind == "cross" else (0, 0) if layer.name.startswith("encoder.") else (1, 1)
        for layer in got.layers
    ]
    assert list(run.between) == expected
    assert {(0, 0), (1, 1), (1, 0)} == set(expected)


def test_layers_that_are_chosen_keep_their_sequences() -> None:
    model, inputs = READ["BART"]()
    got = capture(
        model, layers=[3, 4, 5], **inputs
    )  # a cross-attention, the next self-attention, and its cross-attention
    run = only_run("x", got, Named(), MOST_TOKENS).the_run
    assert list(run.between) == [(1, 0), (1, 1), (1, 0)]


def test_towers_that_do_not_read_each_other_are_sequences_of_their_own() -> None:
    model, inputs = READ["CLIP"]()
    got = capture(model, **inputs)
    run = only_run("x", got, Named(inputs=inputs), MOST_TOKENS).the_run
    assert sorted(len(line) for line in run.lines) == [10, 11]  # nine patches and a class token; a text
    for layer, (queries, keys) in zip(run.layers, run.between, strict=True):
        assert (len(run.lines[queries]), len(run.lines[keys])) == tuple(layer.weights.shape[-2:])
    of_text = next(line for line in run.lines if len(line) == 11)
    assert list(of_text.ids) == inputs["input_ids"][0].tolist()


def test_tokens_of_two_sequences_are_two_lists() -> None:
    model, inputs = READ["BART"]()
    got = capture(model, **inputs)
    run = only_run("x", got, Named(tokens=[list("abcdefghijk"), list("ABCDEFG")]), MOST_TOKENS).the_run
    assert [line.tokens for line in run.lines] == [tuple("abcdefghijk"), tuple("ABCDEFG")]
    with pytest.raises(InvalidInput) as problem:
        only_run("x", got, Named(tokens=[list("abcdefghijk"), list("ABC")]), MOST_TOKENS)
    assert problem.value.details == {"came": "11 and 3", "expected": "11 and 7"}


def test_one_window_of_a_swin_is_shown() -> None:
    model, inputs = READ["Swin"]()
    got = capture(model, **inputs)
    with pytest.raises(InvalidInput) as problem:
        only_run("x", got, Named(), MOST_TOKENS)
    assert problem.value.code == "notebook_batch"
    run = only_run("x", got, Named(batch=0), MOST_TOKENS).the_run
    assert [layer.weights.shape[-1] for layer in run.layers] == [4] * len(run.layers)
    assert bool((run.layers[1].weights == got.layers[1].weights[0]).all())


def test_of_two_lists_of_tokens_that_are_equally_long_the_first_are_those_that_are_read() -> None:
    model, inputs = READ["BART"]()
    inputs = inputs | {"decoder_input_ids": text(11, seed=1)["input_ids"]}
    named = Named(tokens=[list("abcdefghijk"), list("ABCDEFGHIJK")])
    run = only_run("x", capture(model, **inputs), named, MOST_TOKENS).the_run
    assert [("".join(line.tokens), line.name) for line in run.lines] == [
        ("abcdefghijk", "source"),
        ("ABCDEFGHIJK", "target"),
    ]
