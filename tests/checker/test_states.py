"""States in which a sentence, or its check, was once wrong: nothing false is said there."""

from typing import Final

import pytest

from tests.checker.checking import problems
from tests.checker.pages import PAGES

_TINY: Final = (
    "page=anatomy&seed=26&source=text&text=mat%20cat&positions=true&h=1&d_model=30&scaling=custom&scale=16"
    "&qk_norm=true&mask=window&window=2&row=1&head=1&step=halved&rows=one"
)
_LONG: Final = "Ben Anna sees ( keys ) " * 10
_MODEL: Final = "page=model&model=headlight&text=Zoe%20sees%20Anna%20Miller%20.&layer=2&head=1&x=sink&y=cost&key=-1"

STATES: Final = {
    # float32 makes 0 of both gates, of which one is e²⁰ times the other
    "gates that underflow": ("anatomy", f"{_TINY}&normalisation=sigmoid"),
    "weights beside a sink that underflow": ("anatomy", f"{_TINY}&normalisation=sink&sink=8"),
    # float64 adds up the 64 weights of a row to a little more than 1
    "a sink that takes nothing": (
        "anatomy",
        "page=anatomy&source=model&model=headlight-one-layer&layer=1&scale=16&qk_norm=true&normalisation=sink&sink=-1"
        f"&row=1&head=3&step=weights&rows=one&text={_LONG.replace(' ', '%20')}",
    ),
    # only the first rows are distributions in the format: their ceiling is that of one key and the sink
    "rows that a format breaks beside a sink": (
        "explore",
        "n=2&h=1&seed=450172&source=gaussian&scaling=none&mask=causal&dtype=float16&subtract_max=false&tie=false"
        "&d_k=512&normalisation=sink&sink=0",
    ),
    "rows of a model that a format breaks beside a sink": (
        "explore",
        "n=16&h=1&source=model&scaling=none&mask=causal&dtype=bfloat16&subtract_max=false&normalisation=sink&sink=0"
        "&model=headlight&layer=2&text=Ben&scale=16",
    ),
    # float32 adds up the weights of a row to a little more than 1, so the sink had the entropy −∞
    "a changed head whose sink takes nothing": ("model", f"{_MODEL}&over=text&changes=sink:-3,factor:16"),
    # the arithmetic of a weight was that of a softmax, which divided by this one
    "the weights of a muted head": ("model", f"{_MODEL}&over=corpus&changes=mute@2.1"),
    # the scores are not divided into terms, and had no reason at all
    "the scores of capped q and k": ("model", f"{_MODEL}&over=corpus&changes=softcap:5"),
    "a cost as an axis": ("model", f"{_MODEL}&over=corpus&changes=&cost=text"),
    # its entropy and ceiling were said to be those of a head that nobody can measure, and of one key
    "a row that may read nothing": ("model", f"{_MODEL}&over=text&changes=hide:0@2.1&row=0"),
    # ln 1 was expected to be of all keys
    "rows of one key each": ("model", f"{_MODEL}&over=text&changes=causal:1@2.1&row=3"),
    # the word that came was named in place of the likeliest
    "a question about the likeliest word": (
        "model",
        f"{_MODEL}&over=text&changes=qk_norm,uniform@1.3,factor:4&row=0&predict=true&question=model_mute#tenth",
    ),
    # the weights of another head, over a key that is hidden from the head's own
    "a replaced head beside hidden keys": (
        "folder",
        "page=model&model=gpt2&text=Dogs+bark+at+night.&layer=1&head=2&over=text"
        "&changes=hide%3A0%2Chide%3A1%2Creplace%3A1.2%401.2&cost=none&lang=ko&row=2",
    ),
    # a sink of one head is none of another one of its layer
    "a head beside one with a sink": (
        "folder",
        "page=model&model=llama&text=Dogs+bark+at+night.&layer=1&head=2&over=text&changes=sink%3A2%401.1&cost=none&lang=en&row=1",
    ),
    # "× 1 its ln p" is no plural after 1
    "a best factor of 1": (
        "folder",
        "page=model&model=neox&text=Once+upon+a+time+there+was+a+cat.+The+dogs+are+loud.+She+drinks+tea.&layer=2&head=2"
        "&over=text&changes=factor%3A1.0005%2Csoftmax%401.3&cost=none&lang=ko&row=5",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("page", "link"), STATES.values(), ids=STATES)
def test_nothing_false_is_said_there(page: str, link: str) -> None:
    assert problems(PAGES[page], link) == []


def test_weights_that_float32_makes_0_are_not_called_alike() -> None:
    for name in ("gates that underflow", "weights beside a sink that underflow"):
        _, link = STATES[name]
        said = {sentence.key: sentence.facts for sentence in PAGES["anatomy"].sentences(link)}
        assert "anatomy.largest_lost" in said
        assert "short.anatomy.largest_lost" in said
        assert said["predict.anatomy_largest.because_lost"]["keys"] == ["0 “mat”"], "the larger score tells the key"
