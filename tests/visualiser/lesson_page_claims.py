"""What lessons say of pages that draw their own numbers, beside the fact that makes it true.

A fact is one that the step carries itself (`holds`), a number of a table that the page sends, what was recorded in
docs/claims.md, which a test compares with its measurement, or a few lines over the core.
"""

from typing import Final

import torch

from tests.visualiser.lesson_pages import (
    UNSCALED,
    Claim,
    apart_from_1,
    at,
    config,
    few_rows_times_long_vectors,
    held,
    lengths,
    mean_in_deviations,
    one_position_each,
    question_minutes,
    recorded,
    shares_the_width,
    softmax_of,
    the_mean_falls_less,
    word_scores,
    word_weights,
)
from tests.visualiser.test_lessons import LESSONS

AFTER_6: Final = LESSONS["after-sqrt-d-k"]["steps"][5]["question"]["reveal"]
AFTER_10: Final = LESSONS["after-sqrt-d-k"]["steps"][9]
WHY: Final = "page=why"

PAGE_CLAIMS: Final[dict[str, dict[str, list[Claim]]]] = {
    "additive-or-dot": {
        "note": [
            Claim(
                "Choose the task *noisy key*: there it is the other way round",
                "과제로 *잡음 섞인 키*를 고르면 반대가 됩니다",
                lambda: recorded("noisy key at d_k 1024: unscaled 0.975 [0.967, 0.98], additive 0.488"),
            ),
            Claim(
                "About half as many again. But far more of them are tanh",
                "절반쯤 더 많을 뿐입니다. 다만 tanh가 훨씬 많고",
                lambda: recorded("operations at n 2048, d_k 64: 1.52 ×; of them tanh and exp 65 ×"),
            ),
            Claim(
                "with smaller W_Q and W_K at the start (initialisation) the unscaled product learns too",
                "W_Q와 W_K를 작은 값으로 초기화하면 스케일링 없는 내적도 학습합니다",
                lambda: recorded("reverse, unscaled at d_k 256: 0.141", "at the start 0.981 [0.942, 1]"),
            ),
        ],
        "2 text": [
            Claim(
                "Products without scaling pick one key; tanh is bounded and w small, so additive scores stay small",
                "스케일링 없는 내적은 키 하나를 고릅니다",
                lambda: held("additive-or-dot", 2, 1, 2, 3, 4),
            ),
        ],
        "4 text": [
            Claim(
                "At small d_k all learn. As it grows, the product without scaling fails",
                "d_k가 작으면 모두 학습합니다. 커지면 스케일링 없는 내적은 실패하고",
                lambda: held("additive-or-dot", 4, 1, 2, 3, 4),
            ),
        ],
        "5 text": [
            Claim(
                "In theory they are similar",
                "이론상으로는 비슷합니다",
                lambda: held("additive-or-dot", 6, 1),
            ),
        ],
        "6 text": [
            Claim(
                "A similar number of operations, but of another kind",
                "연산 수는 비슷하지만 종류가 다릅니다",
                lambda: held("additive-or-dot", 6, 1, 2, 3),
            ),
        ],
        "7 text": [
            Claim(
                "So the dot product won: cheap, and its one weakness, scores that grow with d_k, is repaired by one "
                "multiplication with 1/√d_k",
                "단 하나의 약점인 d_k와 함께 커지는 점수는 1/√d_k를 한 번 곱하면 해결됩니다",
                lambda: held("additive-or-dot", 7, 1, 2),
            ),
        ],
    },
    "after-sqrt-d-k": {
        "note": [
            Claim(
                "It makes vectors of length √d_k, which random ones nearly have anyway",
                "난수 벡터의 길이도 원래 거의 그렇습니다",
                lambda: float(lengths(UNSCALED).sub(1).abs().max()) < 0.15,
            ),
            Claim(
                "With gains of 1 the training here fails as d_k grows. Not on every task: on *noisy key* this head, "
                "with the norm and no factor, learns best",
                "*잡음 섞인 키* 과제에서는 정규화만 하고 계수가 없는 이 헤드가 가장 잘 학습합니다",
                lambda: recorded(
                    "noisy key: at d_k 4 scaled 0.682 [0.674, 0.688], unscaled 0.693 [0.68, 0.707], qk_norm_unscaled "
                    "0.908"
                ),
            ),
            Claim(
                "at d_k = 4 its accuracy lies well above that of scaled attention, and the two come close as d_k grows",
                "d_k = 4에서 정확도가 스케일드 내적보다 훨씬 높고, d_k가 커지면 둘이 비슷해집니다",
                lambda: recorded("at d_k 64 scaled 0.988 [0.982, 0.992]", "qk_norm_unscaled 0.999 [0.998, 1]"),
            ),
            Claim(
                "Show b = 0, and more keys",
                "b = 0일 때와 키가 더 많을 때를 보여 주세요",
                lambda: at("n=64&normalisation=sink&sink=4", "entropy", 9)
                < 0.8 * at("normalisation=sink&sink=4", "entropy", 9),
            ),
        ],
        "2 because": [
            Claim(
                "Random vectors have nearly this length anyway",
                "난수 벡터의 길이도 원래 거의 √d_k입니다",
                lambda: float(lengths(UNSCALED).sub(1).abs().max()) < 0.15,
            ),
        ],
        "3 text": [
            Claim(
                "Most rows give nearly all their weight to one key, as they do without any norm",
                "대부분의 행이 가중치를 거의 모두 키 하나에 줍니다. 정규화하지 않았을 때와 같습니다",
                lambda: held("after-sqrt-d-k", 3, 2, 3)
                and at(UNSCALED, "entropy", 5) < 0.1
                and at(UNSCALED, "entropy", 8) < 1.5,
            ),
        ],
        "6 because": [
            Claim(
                "at large d_k the head hardly learns",
                "d_k가 크면 헤드가 거의 학습하지 못합니다",
                lambda: at(AFTER_6, "train-accuracy", 5, lines=[46, 50]) < 0.3,
            ),
            Claim(
                "But a few rows keep a large one, which keys and queries of length √d_k multiply: ‖dL/dW_Q, dL/dW_K‖ "
                "rises",
                "그러나 몇 행에는 큰 값이 남고, 여기에 길이가 √d_k인 키와 쿼리가 곱해져 ‖dL/dW_Q, dL/dW_K‖는 커집니다",
                few_rows_times_long_vectors,
            ),
        ],
        "9 note": [
            Claim(
                "With b = 0 the sink takes hardly anything",
                "b = 0이면 싱크는 거의 가져가지 못합니다",
                lambda: at("normalisation=sink", "entropy", 9) < 0.05,
            ),
        ],
        "10 because": [
            Claim(
                "Keys that fit have large scores and b stays: such rows leave the sink less",
                "싱크는 맞는 것을 찾은 행에서 적게 가져갑니다",
                lambda: at(AFTER_10["question"]["reveal"], "entropy", 9) < at(AFTER_10["link"], "entropy", 9) / 1.5,
            ),
        ],
    },
    "first-look": {
        "2 text": [
            Claim(
                "Now the vectors are much longer, still divided by √d_k: the maps look much as before",
                "이제 벡터가 훨씬 길어졌지만 여전히 √d_k로 나눕니다. 히트맵은 전과 비슷해 보입니다",
                lambda: 0.9 < at("d_k=512", "entropy", 8) / at("", "entropy", 8) < 1.1
                and config("d_k=512").d_k == 8 * config("").d_k,
            ),
        ],
        "3 text": [
            Claim(
                "without the division (unscaled dot product) the entropy falls towards 0 and the gradient vanishes; "
                "with 1/√d_k both stay",
                "스케일링 없는 내적은 엔트로피가 0에 가까워지고 기울기가 사라집니다. 1/√d_k를 곱하면 둘 다 유지됩니다",
                lambda: held("first-look", 3, 1, 2, 3, 4),
            ),
        ],
    },
    "heads": {
        "note": [
            Claim(
                "they cost about the same",
                "비용은 거의 같다는 것",
                lambda: recorded("h = 8 takes 1.020 × those of h = 1"),
            ),
            Claim(
                "Show step 4, where Concat is as wide as d_model",
                "4단계에서 Concat의 차원이 d_model과 같음을 보여 주세요",
                lambda: shares_the_width(LESSONS["heads"]["steps"][3]["link"]),
            ),
            Claim(
                "With few values an MLP behind it decodes the average",
                "값의 종류가 적으면 뒤의 MLP가 평균을 풀어냅니다",
                lambda: recorded("one head and an MLP of 64 units, two positions: 1 with 8 values, 0.511"),
            ),
        ],
        "1 text": [
            Claim(
                "One head, as wide as the whole model: d_k = d_model",
                "헤드 하나의 차원이 모델 전체와 같습니다: d_k = d_model",
                lambda: held("heads", 1, 1) and config("h=1").d_k == config("h=1").d_model,
            ),
        ],
        "2 text": [
            Claim(
                "Eight heads share that width: each is an eighth as wide",
                "헤드 여덟 개가 그 차원을 나누어 가집니다. 하나하나는 차원이 8분의 1이고",
                lambda: config("row=16").d_k * 8 == config("row=16").d_model == config("h=1").d_k,
            ),
        ],
        "4 text": [
            Claim(
                "All heads together are as wide as the model",
                "헤드를 모두 합친 차원은 모델의 차원과 같습니다",
                lambda: shares_the_width(LESSONS["heads"]["steps"][3]["link"]),
            ),
        ],
        "7 text": [
            Claim(
                "each has found one position of its own, and nearly every answer is right",
                "헤드마다 자기 위치를 하나씩 맡고, 답은 거의 모두 맞습니다",
                lambda: held("heads", 7, 1) and one_position_each(),
            ),
        ],
    },
    "saturation": {
        "note": [
            Claim(
                "Only with a small trace: step 3, both ends of the factor",
                "대각합도 작을 때만 그렇습니다. 3단계에서 계수의 양쪽 끝을 보여 주세요",
                lambda: held("saturation", 3, 1, 2, 3),
            ),
            Claim(
                "A few unsaturated rows still pass large gradients to W_Q and W_K; training is slow rather than dead",
                "포화되지 않은 몇 행이 W_Q와 W_K에 큰 기울기를 보냅니다. 학습이 멈추는 것이 아니라 느려집니다",
                lambda: recorded("with the norm of k and a few unsaturated rows", "unscaled 0.169 [0.118, 0.245]"),
            ),
        ],
        "1 text": [
            Claim(
                "One weight is near 1, and J is nearly empty",
                "가중치 하나가 1에 가깝고 J는 거의 비어 있습니다",
                lambda: held("saturation", 1, 1, 2),
            ),
        ],
        "2 because": [
            Claim(
                "Small at the right end, where one key has everything; but not largest at the left, where all keys are "
                "alike",
                "키 하나가 모두 차지하는 오른쪽 끝에서 작습니다. 그렇다고 모든 키가 같은 왼쪽 끝에서 가장 큰 것도 "
                "아닙니다",
                lambda: max(at(WHY, "temperature", 4, take=end) for end in ("first", "last"))
                < 0.8 * at(WHY, "temperature", 4, take="largest"),
            ),
        ],
        "3 text": [
            Claim(
                "near 1 where all keys are alike, near 0 where one has everything",
                "모든 키가 같으면 1에 가깝고, 하나가 모두 차지하면 0에 가깝습니다",
                lambda: held("saturation", 3, 2, 3),
            ),
        ],
        "4 text": [
            Claim(
                "no saturation at all, and yet the norm is only about 1/√n",
                "포화가 전혀 없는데도 노름은 약 1/√n뿐입니다",
                lambda: held("saturation", 4, 1, 2),
            ),
        ],
        "5 text": [
            Claim(
                "a row that has picked a wrong key hardly gets any",
                "틀린 키를 고른 행에는 기울기가 거의 가지 않습니다",
                lambda: held("saturation", 5, 1, 2),
            ),
        ],
        "7 text": [
            Claim(
                "the largest exponential is 1 and nothing overflows: what was NaN is a number again. In exact "
                "arithmetic no weight changes, since the common factor e^(−max) cancels",
                "가장 큰 exp 값이 1이고 오버플로가 없습니다. NaN이던 자리가 다시 수가 됩니다. 정확히 계산하면 공통 "
                "인수 e^(−max)가 약분되어 가중치는 달라지지 않습니다",
                lambda: held("saturation", 7, 1, 2),
            ),
        ],
        "8 text": [
            Claim(
                "cells marked “∞ or NaN” hold no number any more",
                "‘∞ 또는 NaN’으로 표시된 칸에는 더 이상 수가 없습니다",
                lambda: held("saturation", 8, 1),
            ),
        ],
    },
    "why-sqrt-d-k": {
        "note": [
            Claim(
                "half for the questions",
                "절반은 질문에 씁니다",
                lambda: 0.45 < question_minutes("why-sqrt-d-k") < 0.75,
            ),
            Claim(
                "Weights of a row add up to 1 whatever the factor; only their spread changes",
                "계수가 무엇이든 한 행의 가중치 합은 1이고, 퍼진 정도만 달라집니다",
                lambda: max(map(apart_from_1, ("", "scaling=none", "scaling=custom&scale=0.001"))) < 1e-5
                and at("scaling=none", "entropy", 8) < at("", "entropy", 8) / 5,
            ),
            Claim(
                "It stays near 0; the spread grows",
                "평균은 0 근처에 머물고 퍼진 폭이 커집니다",
                lambda: max(map(mean_in_deviations, ("d_k=512", UNSCALED))) < 0.1
                and at(UNSCALED, "score-distribution", 3) > 100 * at("d_k=512", "score-distribution", 3),
            ),
            Claim(
                "They need not: they can even grow",
                "꼭 그렇지는 않습니다. 오히려 커질 수 있습니다",
                lambda: recorded("unscaled 0.466 [0.398, 0.539] → 3.04 [0.537, 6.46]"),
            ),
        ],
        "3 text": [
            Claim(
                "Longer vectors, scaled",
                "벡터의 차원을 늘렸고 스케일링은 그대로입니다",
                lambda: config("d_k=512").d_k > config("").d_k
                and config("d_k=512").scaling == config("").scaling == "sqrt_d_k",
            ),
        ],
        "4 text": [
            Claim(
                "Most rows have given nearly all their weight to one key",
                "대부분의 행이 가중치를 거의 모두 키 하나에 주었습니다",
                lambda: held("why-sqrt-d-k", 4, 1, 2),
            ),
        ],
        "5 because": [
            Claim(
                "One weight is near 1, all others near 0: p hardly moves",
                "가중치 하나는 1에, 나머지는 0에 가까워 p가 거의 움직이지 않습니다",
                lambda: at(UNSCALED, "entropy", 5) < 0.1
                and at(UNSCALED, "gradient", 2) < at("d_k=512", "gradient", 2) / 10,
            ),
        ],
        "5 note": [
            Claim(
                "which a few unsaturated rows hold up: it falls less",
                "포화되지 않은 몇 행 때문에 중앙값보다 덜 줄어듭니다",
                the_mean_falls_less,
            ),
        ],
        "7 text": [
            Claim(
                "Without scaling the entropy falls towards 0, and with it the gradient at the scores. With 1/√d_k the "
                "curves stay level: the softmax sees the same spread at every d_k",
                "d_k가 얼마든 소프트맥스가 받는 점수의 퍼진 폭이 같습니다",
                lambda: held("why-sqrt-d-k", 7, 1, 2, 3, 4),
            ),
        ],
        "8 text": [
            Claim(
                "Too small: all keys alike. Too large: one key. The norm of J is smaller at *both* ends: in between, a "
                "change of the scores changes the weights most",
                "점수가 바뀔 때 가중치가 가장 크게 바뀌는 곳은 그 사이입니다",
                lambda: held("why-sqrt-d-k", 8, 1, 2, 3, 4),
            ),
        ],
    },
    "words-to-b": {
        "note": [
            Claim(
                "It is a mean of all values; only saturated weights pick one",
                "모든 값의 평균입니다. 포화된 가중치만 하나를 고릅니다",
                lambda: float(word_weights().min()) > 0.25 and float((50 * word_scores()).softmax(-1).max()) > 0.999,
            ),
        ],
        "3 text": [
            Claim(
                "which vectors this short hardly need",
                "이렇게 짧은 벡터에는 1/√d_k가 거의 필요 없어",
                lambda: float((word_weights() - (word_scores() / 2**0.5).softmax(-1)).abs().max()) < 0.1,
            ),
            Claim(
                "The larger one gets the larger weight",
                "큰 쪽이 더 큰 가중치를 받습니다",
                lambda: int(word_scores().argmax()) == int(word_weights().argmax()),
            ),
        ],
        "4 because": [
            Claim(
                "The page subtracts the larger score before exp; the weights are the same",
                "페이지는 exp 전에 큰 점수를 빼지만 가중치는 같습니다",
                lambda: all(
                    torch.allclose(softmax_of(word_scores(), shift), word_weights(), rtol=0, atol=1e-6)
                    for shift in (0.0, float(word_scores().max()))
                ),
            ),
        ],
    },
}  # fmt: skip
