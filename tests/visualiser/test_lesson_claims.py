"""Each number, order and reason in the words of the lessons, recomputed beside the words.

A sentence that compares or gives a reason, and that no claim has, is red: a new one comes with its fact. Here stand the
claims on the model that ships; `lesson_page_claims` has those on pages that draw their own numbers.
"""

import re
from typing import Any, Final

import numpy as np
import pytest

from attention_core.changes import Factor, Mute
from tests.visualiser.lesson_model import (
    HEADS,
    KEYS,
    LAST,
    PAGE,
    TAYLOR,
    best_factor,
    corpus_factor,
    costs,
    first,
    kept_mean,
    large_scores,
    lost,
    new_ratios,
    on_first,
    over_corpus,
    rank_correlation,
    ratios,
    run,
    run_of,
    says,
    sharp_rows,
    shuffled,
    three_cost_most,
    twin_over_chance,
    weight,
    weight_of,
    written,
)
from tests.visualiser.lesson_page_claims import PAGE_CLAIMS
from tests.visualiser.lesson_pages import Claim
from tests.visualiser.test_lessons import LESSONS, NAMES

SIX: Final = LESSONS["learned-heads"]["steps"]
SEVEN: Final = LESSONS["take-a-head-away"]["steps"]
AGREES: Final = SIX[6]["link"]
OTHER: Final = "page=model&text=Anna+Miller+sees+Ben+Taylor+.+Ben+Taylor+sees+Anna+Miller"
"""The text of docs/change-a-model.md."""


MODEL_CLAIMS: Final[dict[str, dict[str, list[Claim]]]] = {
    "learned-heads": {
        "note": [
            Claim(
                "over the corpus gives about half of its weight to `<bos>`",
                "코퍼스에서 가중치의 절반쯤을 `<bos>`에 줍니다",
                lambda: 0.4 < on_first(1) < 0.6,
            ),
            Claim(
                "its share on `<bos>` is another",
                "`<bos>`의 몫이 달라집니다",
                lambda: abs(float(run().weights[1][0, 1:, 0].mean()) - on_first(1)) > 0.05,
            ),
            Claim(
                "Head 1.4, which reads the token itself, is needed as well",
                "토큰 자신을 읽는 헤드 1.4도 필요합니다",
                lambda: weight(run(PAGE, Mute(0, 3)), 1, TAYLOR) < 0.01,
            ),
            Claim(
                "It keeps the scores of a *new* model small, whatever d_k is",
                "d_k가 얼마든 *새* 모델의 점수를 작게 둡니다",
                lambda: max(new_ratios()) < 3,
            ),
        ],
        "2 because": [
            Claim(
                "Head 1.4, on the diagonal, reads the token itself",
                "대각선 위에 있는 헤드 1.4는 토큰 자신을 읽습니다",
                lambda: float(run().weights[0][3].diagonal().mean()) > 0.9,
            ),
            Claim(
                "looks at positions only: its maps are the same whatever the words are",
                "위치만 비교하므로 단어가 무엇이든 히트맵이 같습니다",
                lambda: np.allclose(run_of((0, *[KEYS] * 19)).weights[0], run().weights[0], rtol=0, atol=1e-12),
            ),
        ],
        "3 because": [
            Claim(
                "this model does say *Taylor*",
                "이 모델은 실제로 *Taylor*라고 말합니다",
                lambda: first(run()) == {"Taylor"}
                and says("Taylor", run(PAGE, Mute(1, 0))) < says("Taylor", run()) / 2,
            ),
        ],
        "4 text": [
            Claim(
                "Without head 1.1, head 2.1 does not find *Taylor*",
                "헤드 1.1이 없으면 헤드 2.1은 *Taylor*를 찾지 못합니다",
                lambda: weight(run(PAGE, Mute(0, 0)), 1, TAYLOR) < 0.01,
            ),
            Claim(
                "The key of *Taylor* has to say “*Ben* stands before me”. Head 1.1 put that there",
                "그것을 넣은 것이 헤드 1.1입니다",
                lambda: (without := run(PAGE, Mute(0, 0)))
                and weight_of(run(), without) < 0.05
                and weight_of(without, run()) > 0.7,
            ),
        ],
        "5 because": [
            Claim(
                "The twin guesses a surname: *Miller*",
                "성을 찍어 *Miller*라고 합니다",
                lambda: first(run(layers=1)) == {"Miller"} and says("Miller", run(layers=1)) < 0.5,
            ),
        ],
        "5 note": [
            Claim(
                "A head that reads all keys alike gives them about as much",
                "모든 키를 똑같이 읽는 헤드도 그만큼은 줍니다",
                lambda: twin_over_chance() < 0.05,
            ),
        ],
        "6 because": [
            Claim(
                "This head rests there when it has nothing to find",
                "이 헤드는 찾을 것이 없으면 여기에 머뭅니다",
                lambda: weight(run(), 1, 0, KEYS) > 0.99
                and on_first(1, repeated=False) > 0.7 > on_first(1, repeated=True),
            ),
            Claim(
                "Over the corpus about half of its weight lies there: much weight need not mean much meaning",
                "코퍼스에서 이 헤드의 가중치 절반쯤이 여기에 있습니다",
                lambda: 0.4 < on_first(1) < 0.6,
            ),
        ],
        "7 text": [
            Claim(
                "*keys* decides, not *cabinet*",
                "*cabinet*이 아니라 *keys*가 정합니다",
                lambda: first(run(AGREES), 2) == first(run(AGREES.replace("cabinet", "cabinets")), 2)
                and first(run(AGREES), 2) != first(run(AGREES.replace("keys", "key")), 2),
            ),
            Claim(
                "Head 2.4 reads neither word but the *the* between them",
                "헤드 2.4는 두 단어가 아니라 그 사이의 *the*를 읽습니다",
                lambda: weight(run(AGREES), 4, 4) > 0.9,
            ),
            Claim(
                "The model goes on with *are* or *were*",
                "모델은 *are*나 *were*로 이어 갑니다",
                lambda: first(run(AGREES), 2) == {"are", "were"},
            ),
        ],
        "8 because": [
            Claim(
                "Learned q and k are long",
                "학습된 q와 k는 길고",
                lambda: min(float((one**2).mean()) for one in run().projected[1][:2]) > 3 and min(shuffled()) > 10,
            ),
            Claim(
                "their components are not independent",
                "성분이 서로 독립도 아닙니다",
                lambda: all(found > 1.5 * alone for found, alone in zip(ratios(run()), shuffled(), strict=True)),
            ),
            Claim(
                "A few products are large, most rows sharp",
                "몇몇 내적이 크고 대부분의 행이 날카롭습니다",
                lambda: large_scores() < 0.1 and sharp_rows() > 0.8,
            ),
            Claim(
                "Before training the variance was about 2",
                "학습하기 전 이 층의 분산은 약 2였습니다",
                lambda: 1.5 < float(np.mean(new_ratios())) < 2.5,
            ),
        ],
        "9 text": [
            Claim(
                "Only head 1.3 stays within a factor 2 of the footnote’s 1, and its rows are the widest",
                "2배 안에 있는 것은 헤드 1.3뿐이고, 그 행이 가장 넓게 퍼져 있습니다",
                lambda: np.flatnonzero(abs(np.log2(over_corpus("variance"))) <= 1).tolist() == [2]
                and int(over_corpus("entropy").argmax()) == 2,
            ),
            Claim(
                "On the whole, more variance goes with sharper rows",
                "대체로 분산이 클수록 행이 날카롭습니다",
                lambda: rank_correlation(over_corpus("variance"), over_corpus("entropy")) < -0.7,
            ),
        ],
    },
    "take-a-head-away": {
        "note": [
            Claim(
                "another head does the same",
                "다른 헤드도 같은 일을 합니다",
                lambda: weight(run(), 2, TAYLOR) > 0.9 and written(2)[1] == 0,
            ),
            Claim(
                "in this text three of the four heads of layer 1 cost most, because those of layer 2 rest on what they "
                "hand on",
                "이 글에서 손실이 가장 큰 것은 1층의 헤드 넷 가운데 셋입니다. 2층 헤드가 1층이 넘겨주는 것에 "
                "기대기 때문입니다",
                three_cost_most,
            ),
            Claim(
                "In another text another head costs most",
                "다른 글에서는 다른 헤드의 손실이 가장 큽니다",
                lambda: max(HEADS, key=lambda at: lost(Mute(*at), link=OTHER)) == (1, 0),
            ),
            Claim(
                "without head 2.2 it hardly changes, without 2.1 about a fifth is left, and without both hardly "
                "anything",
                "헤드 2.2만 끄면 거의 그대로이고, 2.1만 끄면 5분의 1쯤이 되고, 둘을 모두 끄면 거의 0입니다",
                lambda: says("Taylor", run(PAGE, Mute(1, 1))) > 0.85
                and 0.15 < says("Taylor", run(PAGE, Mute(1, 0))) < 0.25
                and says("Taylor", run(PAGE, Mute(1, 0), Mute(1, 1))) < 0.05,
            ),
            Claim(
                "costs more with some heads and less with others",
                "헤드에 따라 손실이 더 크기도 하고 더 작기도 합니다",
                lambda: {lost(kept_mean(*at)) < 0.95 * lost(Mute(*at)) for at in HEADS} == {False, True}
                and {lost(kept_mean(*at)) > 1.05 * lost(Mute(*at)) for at in HEADS} == {False, True},
            ),
        ],
        "1 text": [
            Claim("It is almost sure how it goes on: *Taylor*", "거의 확신합니다", lambda: says("Taylor", run()) > 0.9),
        ],
        "1 note": [
            Claim(
                "after most of them the model is far less sure",
                "대부분의 자리에서 모델은 훨씬 덜 확신합니다",
                lambda: float((np.exp(run().log_probabilities[:-1].max(-1)) < 0.6).mean()) > 0.5,
            ),
        ],
        "2 because": [
            Claim(
                "Head 1.4, which reads the token itself. Three of the four heads of layer 1 cost most: those of "
                "layer 2 rest on what they hand on",
                "손실이 가장 큰 것은 1층의 헤드 넷 가운데 셋입니다. 2층 헤드가 1층이 넘겨주는 것에 기대기 때문입니다",
                lambda: max(HEADS, key=lambda at: costs()[at]) == (0, 3) and three_cost_most(),
            ),
        ],
        "2 note": [
            Claim(
                "one can be useless without another",
                "하나가 없으면 다른 하나가 쓸모없기도 합니다",
                lambda: lost(Mute(0, 0), Mute(1, 0)) - lost(Mute(0, 0)) < lost(Mute(1, 0)) / 4,
            ),
        ],
        "3 text": [
            Claim(
                "is *Taylor* again, before everything else",
                "쓰는 것도 무엇보다 먼저 *Taylor*입니다",
                lambda: written(1)[1] == 0,
            ),
        ],
        "3 note": [
            Claim(
                "of *Taylor* it writes no copy",
                "*Taylor*를 복사하지 않습니다",
                lambda: written(4)[1] >= 5,
            ),
        ],
        "4 because": [
            Claim(
                "*Taylor* falls to about a fifth, and is still first",
                "5분의 1쯤으로 떨어지지만 여전히 첫째입니다",
                lambda: 0.15 < says("Taylor", run(SEVEN[3]["question"]["reveal"])) < 0.25
                and first(run(SEVEN[3]["question"]["reveal"])) == {"Taylor"},
            ),
            Claim(
                "head 2.2 reads it as well, and writes it less than half as strongly",
                "헤드 2.2도 그것을 읽지만 절반도 안 되는 세기로 쓰기 때문입니다",
                lambda: weight(run(), 2, TAYLOR) > 0.9 and written(2)[0] < written(1)[0] / 2,
            ),
        ],
        "5 text": [
            Claim(
                "Without head 2.2 alone *Taylor* hardly loses anything. Without heads 2.1 and 2.2 the model only "
                "guesses",
                "헤드 2.2만 끄면 *Taylor*는 거의 잃는 것이 없습니다. 헤드 2.1까지 함께 끄면 모델은 찍을 뿐입니다",
                lambda: says("Taylor", run()) - says("Taylor", run(PAGE, Mute(1, 1))) < 0.1
                and says("Taylor", run(SEVEN[4]["link"])) < 0.05,
            ),
            Claim(
                "both do the same, one more strongly than the other",
                "둘은 같은 일을 하고, 세기만 다릅니다",
                lambda: min(weight(run(), head, TAYLOR) for head in (1, 2)) > 0.9
                and (written(1)[1], written(2)[1]) == (0, 0)
                and written(1)[0] > 2 * written(2)[0],
            ),
        ],
        "5 note": [
            Claim(
                "It reads and writes *Taylor* all the time",
                "언제나 *Taylor*를 읽고 쓰며",
                lambda: weight(run(), 2, TAYLOR) == weight(run(PAGE, Mute(1, 0)), 2, TAYLOR) > 0.9,
            ),
        ],
        "6 text": [
            Claim(
                "Head 2.1 no longer finds *Taylor*: it looks for the key that says what stood before it, and head 1.1 "
                "writes that into the keys",
                "그것을 키에 써 넣는 것이 헤드 1.1이기 때문입니다",
                lambda: weight(run(SEVEN[5]["link"]), 1, TAYLOR) < 0.01
                and weight_of(run(), run(SEVEN[5]["link"])) < 0.05
                and weight_of(run(SEVEN[5]["link"]), run()) > 0.7,
            ),
        ],
        "7 text": [
            Claim(
                "nothing to copy",
                "복사할 것이 없습니다",
                lambda: says("Taylor", run(SEVEN[6]["link"])) < 0.2,
            ),
        ],
        "8 because": [
            Claim(
                "Less likely",
                "덜 그럴듯해집니다",
                lambda: lost(Factor(2.0)) > 0,
            ),
            Claim(
                "its maximum lies near × 1, the trained one; in this one text a little below",
                "× 1 근처, 이 글에서는 그보다 조금 아래에 있습니다",
                lambda: 0.6 < best_factor() < 1,
            ),
        ],
        "8 note": [
            Claim(
                "of the mean over the corpus it lies at × 1",
                "코퍼스 전체의 평균에서는 × 1입니다",
                lambda: corpus_factor() == 1,
            ),
        ],
        "9 text": [
            Claim(
                "At × 0 every head reads all allowed tokens alike",
                "0을 곱하면 모든 헤드가 허용된 토큰을 똑같이 읽고",
                lambda: np.allclose(run(SEVEN[8]["link"]).weights[1][:, LAST], 1 / 20),
            ),
            Claim(
                "With a large factor rows are nearly one-hot, which this model tolerates better",
                "이 모델은 그것을 더 잘 견딥니다",
                lambda: min(float(layer.max(-1).mean()) for layer in run(PAGE, Factor(16.0)).weights) > 0.9
                and lost(Factor(16.0)) < lost(Factor(0.0)),
            ),
        ],
    },
}  # fmt: skip
CLAIMS: Final = PAGE_CLAIMS | MODEL_CLAIMS


def words(name: str, place: str, lang: str) -> str:
    """Return what a lesson says at a place: "note", or a step's number and "text", "because" or "note"."""
    if place == "note":
        return LESSONS[name]["note"][lang]
    number, _, part = place.partition(" ")
    step = LESSONS[name]["steps"][int(number) - 1]
    return (step["question"] if part == "because" else step)[part][lang]


EVERY: Final = [
    pytest.param(
        name, place, one, id=f"{name} {place}: {one.en[:40]}", marks=[pytest.mark.slow] * (name in PAGE_CLAIMS)
    )
    for name, places in CLAIMS.items()
    for place, of in places.items()
    for one in of
]


@pytest.mark.parametrize(("name", "place", "claim"), EVERY)
def test_a_claim_is_said_and_true(name: str, place: str, claim: Claim) -> None:
    assert claim.en in words(name, place, "en")
    assert claim.ko in words(name, place, "ko")
    assert claim.holds()


COMPARES: Final = re.compile(
    r"\b(?:half|third|quarter|fifth|tenth|nearly|almost|hardly|most|more|less|least|fewer|few|larger|largest|sharp\w*|"
    r"wide\w*|smaller|longer|higher|similar|alike|much|better|best|milder|only|seldom|twice|three of|no longer|"
    r"as strongly|because|since|hence|therefore|so that)\b",
    re.IGNORECASE,
)
TELLING: Final = re.compile(
    r"\*Heads that moved most\*|\*“[^”]*”\*|[^.]*\((?:Sanford|Wang|Olsson|Xiao) et al\.[^)]*\)|[^.?]*\?|"
    r"more than its word|comes twice|Now only|twice that factor|bright cells get more"
)
"""Of figures, what students get wrong, what others have shown, questions, and words that tell what is done."""


@pytest.mark.parametrize("name", NAMES)
def test_every_comparison_and_reason_has_a_claim(name: str) -> None:
    lesson = LESSONS[name]
    places = ["note", *(f"{number} {part}" for number, step in enumerate(lesson["steps"], 1) for part in parts(step))]
    open_ones = []
    for place in places:
        said = TELLING.sub(lambda found: " " * len(found[0]), words(name, place, "en"))
        claimed = [claim.en for claim in CLAIMS.get(name, {}).get(place, [])]
        spans = [(said.find(one), said.find(one) + len(one)) for one in claimed]
        for found in COMPARES.finditer(said):
            if not any(begin <= found.start() and found.end() <= end for begin, end in spans):
                open_ones.append((place, said[max(0, found.start() - 50) : found.end() + 40]))
    assert open_ones == []


def parts(step: dict[str, Any]) -> list[str]:
    """Return the parts of a step that have words."""
    because = ["because"] if "because" in step.get("question", {}) else []
    return ["text", *because, *(["note"] if "note" in step else [])]
