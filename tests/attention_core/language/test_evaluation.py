"""The scores of a model: what an untrained one reaches, and which are stated."""

import torch

from attention_core.language import MEASURES, STATED, WORDS, Document, Evaluation, LanguageModel, corpus, evaluate
from attention_core.language.measures import chance
from attention_core.language.model import initial, shapes
from attention_core.language.texts import PLACES, Place


def test_an_untrained_model_guesses_and_its_heads_read_all_alike():
    model = LanguageModel({name: 0.01 * value for name, value in initial(3, 2).items()})
    some = corpus()[::4]
    found = evaluate(model, some)
    assert found.accuracy["repeat"] < 0.03
    assert found.accuracy["pair"] < 0.03
    assert 0.25 < found.accuracy["agreement"] < 0.75
    assert 0.1 < found.accuracy["bracket"] < 0.6
    for name in MEASURES:
        even = torch.full((2, 4), chance(name, some), dtype=torch.float64)
        assert torch.allclose(torch.tensor(found.heads[name], dtype=torch.float64), even, atol=1e-3)
    assert not found.reached


def test_an_answer_is_the_likeliest_of_its_choices():
    """A model without attention that always says `are`, then `]`: likelier than every word but those."""
    words = (
        "<bos>",
        "[",
        "the",
        "keys",
        "to",
        "the",
        "door",
        "are",
        "old",
        ".",
        "]",
        "the",
        "dog",
        "near",
        "the",
        "doors",
    )
    document = Document(
        "sentences",
        (*words, "is", "old"),
        (Place("agreement", 6, 3), Place("agreement", 15, 12), Place("bracket", 9, 1), Place("pair", 10, 4)),
    )
    parameters = {name: torch.zeros(shape) for name, shape in shapes(1).items()}
    parameters["E"][:, 0] = 1.0  # normed, the first component is large
    for word, logit in (("are", 1.0), ("is", 0.5), ("]", 0.75), (")", 0.25)):
        parameters["U"][0, WORDS.index(word)] = logit
    found = evaluate(LanguageModel(parameters), [document, Document("repeats", words, (Place("repeat", 3, 2),))])
    assert found.accuracy == {"repeat": 0.0, "pair": 0.0, "agreement": 0.5, "bracket": 1.0}


def made(**changed: float) -> Evaluation:
    """Return an evaluation that reaches exactly what is stated, with one head a layer."""
    heads = {
        name: ((0.0, 0.01), (changed.get(f"{name}_head", STATED.get(f"{name}_head", 0.0)), 0.0)) for name in MEASURES
    }
    return Evaluation({name: changed.get(name, STATED[name]) for name in PLACES}, heads)


def test_a_model_reaches_what_is_stated_if_every_score_does():
    assert made().stated == dict(STATED)
    assert made().reached
    assert made().best("sink") == (2, 1, STATED["sink_head"])
    assert made().best("same_token") == (1, 2, 0.01)
    for name in STATED:
        assert not made(**{name: STATED[name] - 0.01}).reached
