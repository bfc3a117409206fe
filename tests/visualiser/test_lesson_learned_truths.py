"""The lesson *Heads that learned something*: what it claims of the model that ships, in numbers of the core."""

import re
from typing import Any, Final

import pytest
import torch
from torch import Tensor

from attention_core import AttentionResult, compute
from attention_core.language import WORDS, shipped
from attention_core.language.model import positions
from attention_core.language.words import read as words_of
from attention_core.learned import (
    corpus_measures,
    layer_inputs,
    shipped_model,
)
from tests.visualiser.test_lesson_truths import lesson
from visualiser.pages.model.live import Read, read
from visualiser.server.live.page_request import PageRequest
from visualiser.state import share

STEPS: Final[list[dict[str, Any]]] = lesson("learned-heads")["steps"]
TEXT: Final = share.beginning("model").config.text
BEN, TAYLOR, FIRST_BEN, KEYS = 19, 5, 4, 8
"""Positions in `TEXT`."""


def shown(link: str) -> Read:
    """Return what the Model page shows at a link."""
    return read(PageRequest(link, None, frozenset(), b"", "en", "light", 0, "", {}, "model"))


def result(link: str) -> AttentionResult:
    """Compute a state of Explore, a layer of a model included."""
    config = share.read(link, "en").state.config
    if config.source != "model":
        return compute(config, device="cpu")
    return compute(config, layer_inputs(shipped_model(config.model).run(config.text), config.layer), device="cpu")


def forward(
    text: str, mute: int | None = None, value: tuple[int, int, Tensor] | None = None
) -> tuple[tuple[Tensor, Tensor], Tensor]:
    """Return weights and values of layer 2, and each word's chance to be next, by the formulas of `LanguageModel`.

    `mute` sets the output of a head of layer 1 to 0; `value` gives a head and a key of layer 2 another value.
    """
    of = shipped().model.parameters
    ids = torch.tensor(words_of(text).ids)
    n, x = len(ids), of["E"][ids]
    for layer in (1, 2):
        y = torch.nn.functional.layer_norm(x, (64,))
        z = positions(n) + (y if layer == 2 else 0)
        Q, K, V = (
            (given @ of[f"{name}/{layer}"]).view(n, 4, 16).transpose(0, 1)
            for name, given in (("W_Q", z), ("W_K", z), ("W_V", y))
        )
        if layer == 2 and value:
            head, key, given = value
            V[head - 1, key] = given
        scores = (Q @ K.mT / 4).masked_fill(torch.ones(n, n).triu(1).bool(), -torch.inf)
        output = scores.softmax(-1) @ V
        if layer == 1 and mute:
            output[mute - 1] = 0
        x = x + output.transpose(0, 1).reshape(n, 64) @ of[f"W_O/{layer}"]
    chances = (torch.nn.functional.layer_norm(x, (64,)) @ of["U"])[-1].softmax(-1)
    return (scores.softmax(-1), V), chances


def likeliest(chances: Tensor, count: int = 1) -> list[str]:
    return [WORDS[int(at)] for at in chances.topk(count).indices]


@pytest.mark.parametrize(
    ("number", "rights"), [(2, ["1.1"]), (3, [str(TAYLOR)]), (6, ["0"])], ids=["previous", "induction", "sink"]
)
def test_the_page_asks_what_the_step_speaks_of(number: int, rights: list[str]) -> None:
    step = STEPS[number - 1]
    posed = shown(step["link"]).posed
    assert posed is not None
    assert posed.choice.name == step["question"]["prediction"]
    assert list(posed.rights) == rights
    assert step["focus"] == ("model-heads" if number == 2 else "head-map")
    assert shown(step["question"]["reveal"]).posed is None


def test_the_positions_that_the_links_name_are_those_words() -> None:
    tokens = shipped_model("headlight").run(TEXT).tokens
    assert [tokens[at] for at in (BEN, TAYLOR, FIRST_BEN, KEYS)] == ["Ben", "Taylor", "Ben", "keys"]
    assert len(tokens) == BEN + 1
    assert tokens[:KEYS].count("keys") == 0
    found = share.read(STEPS[3]["link"], "en").state
    assert (found.view.row, int(found.own["key"])) == (TAYLOR, FIRST_BEN)
    assert share.read(STEPS[5]["link"], "en").state.view.row == KEYS


def test_no_head_of_random_queries_and_keys_looks_for_the_token_before() -> None:
    """Step 1; the labelled head of step 2 gives it nine tenths."""
    random = result(STEPS[0]["link"]).weights.diagonal(-1, -2, -1).mean(-1)
    assert len(random) == 8
    assert random.max() < 0.1
    assert corpus_measures(shipped_model("headlight")).means["previous_token"][0, 0] > 0.9


@pytest.mark.parametrize(("head", "found"), [(1, False), (2, True), (3, True), (4, False)])
def test_head_21_needs_the_head_of_the_token_before(head: int, found: bool) -> None:
    """Step 4, and the note: it needs the one that reads the token itself, too."""
    whole = shipped_model("headlight").run(TEXT).layers[1].weights
    torch.testing.assert_close(forward(TEXT)[0][0], whole)
    (weights, _), _ = forward(TEXT, mute=head)
    assert whole[0, BEN, TAYLOR] > 0.9
    left = float(weights[0, BEN, TAYLOR])
    assert left > 0.9 if found else left < 0.001


def test_the_twin_has_about_what_no_choice_gives() -> None:
    """Step 5: no head of the twin has a thirtieth more than one that reads all keys alike."""
    found = corpus_measures(shipped_model("headlight-one-layer"))
    assert found.means["induction"].max() < found.chance["induction"].max() + 1 / 30
    assert corpus_measures(shipped_model("headlight")).means["induction"][1, 0] > 0.9


def test_the_article_carries_the_number_of_the_subject() -> None:
    """Step 7: the values that head 2.4 reads there decide the verb."""
    (weights, plural), goes_on = forward("the keys to the cabinet")
    (single_weights, single), other = forward("the key to the cabinet")
    assert likeliest(goes_on, 2) == ["were", "are"]
    assert set(likeliest(other, 2)) == {"is", "was"}
    torch.testing.assert_close(weights[3, 5], single_weights[3, 5], rtol=0, atol=0.02)  # the map stays
    assert not torch.allclose(plural[3, 4], single[3, 4], atol=0.1)
    _, swapped = forward("the keys to the cabinet", value=(4, 4, single[3, 4]))
    assert set(likeliest(swapped, 2)) == {"is", "was"}
    assert set(likeliest(forward("the key to the cabinets")[1], 2)) == {"is", "was"}


def test_the_same_word_keeps_its_number_in_any_language() -> None:
    """Step 10; the note says that a particle makes another word."""
    reading = words_of(share.read(STEPS[9]["link"], "en").state.config.text)
    assert reading.ids[-1] == reading.ids[1]
    assert WORDS[reading.ids[1]].startswith("<word")
    other = words_of(share.read(STEPS[9]["link"], "en").state.config.text.removesuffix("는") + "가")
    assert other.ids[-1] != other.ids[1]


def test_the_note_has_the_minutes_of_the_steps_and_of_what_is_left() -> None:
    note, minutes = lesson("learned-heads")["note"], [step["minutes"] for step in STEPS]
    written = {"½": 0.5, "1½": 1.5, "1": 1.0}
    for text, listed in ((note["en"], r"take ([\d½, ]+)\. When"), (note["ko"], r"차례로 ([\d½, ]+)분")):
        (found,) = re.findall(listed, text)
        assert [written[one] for one in found.split(", ")] == minutes
    assert sum(minutes) - minutes[6] - minutes[8] == 8.5
    assert "skip steps 7 and 9, on the subject and on the points: 8½ minutes are left" in note["en"]
