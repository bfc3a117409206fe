"""What a model says of sentences: the most alike and the most changed of all pairs, whichever are listed."""

from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from attention_core.learned import Likeness, Said
from tests import draws
from visualiser.figures import saying
from visualiser.figures.before_after import Saying
from visualiser.figures.plots.model_says import model_says
from visualiser.state.view import View


class Shown(SimpleNamespace):
    """What a figure asks of what is shown, told from others by what it is."""

    __hash__ = object.__hash__


def likeness(sentences: int, seed: int) -> Likeness:
    vectors = torch.randn(sentences, 7, generator=torch.Generator().manual_seed(seed))
    return Likeness(tuple(map(str, range(sentences))), vectors)


def shown(before: Likeness, after: Likeness) -> Any:
    return Shown(saying=Saying(before, after), changed=before is not after, pinned=False)


def cosines(found: Likeness) -> dict[str, float]:
    return {
        f"{one + 1}–{other + 1}": float(
            torch.nn.functional.cosine_similarity(found.vectors[one], found.vectors[other], 0)
        )
        for one, other in combinations(range(len(found.sentences)), 2)
    }


@pytest.mark.parametrize("seed", range(draws.cases(100)))
def test_of_all_pairs_the_most_alike_is_named_and_listed_first(seed: int) -> None:
    """The first five pairs by number were taken, of up to fifteen."""
    sentences = draws.generator("sentences", seed).randrange(2, 7)
    found = likeness(sentences, seed)
    true = cosines(found)
    (said,) = model_says.sentence(shown(found, found), View())
    best = max(true, key=lambda pair: true[pair])
    assert (said.key, said.facts["name"]) == ("table.model_says.likeness", best)
    assert said.facts["now"] == pytest.approx(true[best], abs=1e-6)
    listed = [one.name for one in saying.outcomes(shown(found, found))]
    assert listed == sorted(true, key=lambda pair: -true[pair])[:5]


@pytest.mark.parametrize("seed", range(draws.cases(100)))
def test_of_all_pairs_the_most_changed_is_named_and_listed(seed: int) -> None:
    sentences = draws.generator("sentences", seed).randrange(2, 7)
    before, after = likeness(sentences, 2 * seed), likeness(sentences, 2 * seed + 1)
    then, now = cosines(before), cosines(after)
    most = max(then, key=lambda pair: abs(now[pair] - then[pair]))
    (said,) = saying.changed_said(shown(before, after))
    assert (said.key, said.facts["name"]) == ("says.likeness", most)
    assert said.facts["before"] == pytest.approx(then[most], abs=1e-6)
    listed = [one.name for one in saying.outcomes(shown(before, after))]
    assert most in listed
    assert len(listed) == min(5, len(then))


def test_sentences_that_did_not_change() -> None:
    before = likeness(4, 1)
    same, near = Likeness(before.sentences, before.vectors.clone()), before.vectors.clone()
    near[0, 0] += 1e-5
    (said,) = saying.changed_said(shown(before, same))
    assert said.key == "says.same_likeness"
    (said,) = saying.changed_said(shown(before, Likeness(before.sentences, near)))
    assert said.key == "says.unseen_likeness"
    assert 0 < said.facts["apart"] < 1e-4
    assert saying.changed_said(shown(likeness(1, 0), likeness(1, 1))) == []


@pytest.mark.parametrize("seed", range(draws.cases(50)))
def test_what_changed_most_and_what_came_are_listed(seed: int) -> None:
    chance = draws.generator("listed", seed)
    words = chance.randrange(5, 30)

    def said() -> Said:
        logits = torch.randn(1, words, generator=torch.Generator().manual_seed(chance.randrange(10**6)))
        return Said.of_logits("next", logits, str, (0,), (truth,))

    truth = chance.choice((-1, chance.randrange(words)))
    before, after = said(), said()
    at: Any = Shown(
        saying=Saying(before, after), changed=True, layer=1, row=0, place=int, run=SimpleNamespace(between=((0, 0),))
    )
    p, q = (one.logs[0].double().exp() for one in (before, after))
    listed = [one.number for one in saying.outcomes(at)]
    assert len(listed) == 5
    assert int((p - q).abs().argmax()) in listed
    assert truth < 0 or truth in listed
    size = torch.maximum(p, q)
    assert [float(size[one]) for one in listed] == sorted((float(size[one]) for one in listed), reverse=True)
    assert int(size.argmax()) in listed


def test_pairs_of_sentences_that_are_alike_are_named_together() -> None:
    """A sentence that stands three times in a text makes three pairs with the cosine 1: none is *the* most alike."""
    cosines = np.array([0.5, 1.0, 1.0, 0.5, 0.25, 1.0 - 1e-8])
    names = ["1–2", "1–3", "1–4", "2–3", "2–4", "3–4"]
    found = saying.Outcomes(cosines, cosines, names.__getitem__, of_cosines=True)
    assert found.alike(1) == "1–3, 1–4, 3–4"
    assert found.alike(4) == "2–4"
    moved = saying.Outcomes(cosines, cosines - np.array([0, 0.5, 0.5, 0, 0, 0.25]), names.__getitem__, of_cosines=True)
    assert moved.alike(1) == "1–3, 1–4"
    many = saying.Outcomes(np.ones(9), np.ones(9), str, of_cosines=True)
    assert many.alike(0) == "0, 1, 2, 3, 4, 5, …"
    assert saying.Outcomes(cosines, cosines, names.__getitem__).alike(1) == "1–3"
