"""The shipped model at the link of a lesson's step, in float64: what it says, what its heads read, write and cost.

It is that of `tests.references.changed_model`; of a link the page says the text and the changes.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import numpy as np
import torch

from attention_core.changes import Factor, Mean, Mute
from attention_core.language import WORDS, corpus, shipped
from attention_core.language.model import forward, initial
from attention_core.language.words import read as words_of
from attention_core.learned import corpus_measures, shipped_model
from attention_core.learned.by_factor import TIMES
from tests.references.changed_model import Changed, Matrix, changed
from visualiser.pages.model.reading import read
from visualiser.server.live.page_request import PageRequest

PAGE: Final = "page=model"
TAYLOR: Final = 5
"""The place of what *Ben* is followed by, in the text with which the page opens."""
KEYS: Final = 8
LAST: Final = -1
HEADS: Final = tuple((layer, head) for layer in (0, 1) for head in range(4))


@cache
def opened(link: str) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """Return the tokens that a link's model reads, and what the link changes."""
    found = read(PageRequest(link, None, frozenset(), b"", "en", "light", 0, "", {}, "model"))
    return tuple(words_of(found.state.config.text).ids), found.acting


def run(link: str = PAGE, *more: Any, layers: int = 2) -> Changed:
    ids, changes = opened(link)
    return run_of(ids, (*changes, *more), layers)


@cache
def run_of(ids: tuple[int, ...], changes: tuple[Any, ...] = (), layers: int = 2) -> Changed:
    return changed(shipped(layers).model.parameters, ids, changes)


def says(word: str, found: Changed) -> float:
    """Return the probability of a word after the last token."""
    return float(np.exp(found.log_probabilities[LAST, WORDS.index(word)]))


def first(found: Changed, count: int = 1) -> set[str]:
    return {WORDS[at] for at in found.log_probabilities[LAST].argsort()[::-1][:count]}


def text_log(found: Changed, ids: Sequence[int]) -> float:
    return float(found.log_probabilities[np.arange(len(ids) - 1), ids[1:]].sum())


def lost(*changes: Any, link: str = PAGE) -> float:
    """Return by how many nats changes lower ln p of a link's text."""
    ids, _ = opened(link)
    return text_log(run(link), ids) - text_log(run(link, *changes), ids)


def costs() -> dict[tuple[int, int], float]:
    return {at: lost(Mute(*at)) for at in HEADS}


def weight(found: Changed, head: int, key: int, row: int = LAST, layer: int = 2) -> float:
    return float(found.weights[layer - 1][head - 1, row, key])


def parameter(name: str) -> Matrix:
    return shipped().model.parameters[name].double().numpy()


def normed(x: Matrix) -> Matrix:
    away = x - x.mean(-1, keepdims=True)
    return away / np.sqrt((away**2).mean(-1, keepdims=True) + 1e-5)


def three_cost_most() -> bool:
    """Return True if the dearest heads are three of layer 1, each mostly through layer 2."""
    dearest = sorted(HEADS, key=lambda at: -costs()[at])[:3]
    return [layer for layer, _ in dearest] == [0, 0, 0] and min(through_layer_2(head) for _, head in dearest) > 0.7


def through_layer_2(head: int) -> float:
    """Return the share of the cost of a head of layer 1 that is left if the stream keeps what the head writes."""
    ids, _ = opened(PAGE)
    sources = (run(), run(PAGE, Mute(0, head)))
    x = parameter("E")[list(ids)]
    for layer, source in enumerate(sources):
        x = x + np.concatenate(list(source.outputs[layer]), -1) @ parameter(f"W_O/{layer + 1}")
    logits = normed(x) @ parameter("U")
    logs = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    left = text_log(run(), ids) - float(logs[np.arange(len(ids) - 1), ids[1:]].sum())
    return left / costs()[0, head]


def written(head: int, key: int = TAYLOR) -> tuple[float, int]:
    """Return what a head of layer 2 adds to the key's own token before the last norm divides, and that token's rank."""
    ids, _ = opened(PAGE)
    own = slice(16 * (head - 1), 16 * head)
    x = run().projected[1][2][key, own] @ parameter("W_O/2")[own]
    logits = (x - x.mean()) @ parameter("U")
    logits = logits - logits.mean()
    return float(logits[ids[key]]), int((logits > logits[ids[key]]).sum())


def weight_of(queries: Changed, keys: Changed) -> float:
    """Return what head 2.1 gives *Taylor* with the queries of one run and the keys of another."""
    scores = queries.projected[1][0][LAST, :16] @ keys.projected[1][1][:, :16].T / 4
    return float(np.exp(scores[TAYLOR] - scores.max()) / np.exp(scores - scores.max()).sum())


def ratios(found: Changed) -> list[float]:
    """Return Var(q·k) / d_k of the heads of layer 2, over the cells that the mask allows."""
    return [ratio(q, k) for q, k in queries_and_keys(found)]


def queries_and_keys(found: Changed) -> list[tuple[Matrix, Matrix]]:
    """Return q and k of the heads of layer 2."""
    Q, K, _ = found.projected[1]
    return [(Q[:, own], K[:, own]) for own in (slice(16 * head, 16 * head + 16) for head in range(4))]


def ratio(q: Matrix, k: Matrix) -> float:
    return float((q @ k.T)[np.tril_indices(len(q))].var() / q.shape[-1])


def new_ratios() -> list[float]:
    """Return those of the model that ships before its first step."""
    return ratios(changed(initial(shipped().seed, 2), opened(PAGE)[0]))


def shuffled() -> list[float]:
    """Return the same with each component shuffled over the tokens: independent, and as long as before."""
    draw = np.random.default_rng(0)
    return [
        float(np.mean([ratio(draw.permuted(q, axis=0), draw.permuted(k, axis=0)) for _ in range(100)]))
        for q, k in queries_and_keys(run())
    ]


def sharp_rows() -> float:
    """Return the share of rows of layer 2 that give one key more than half."""
    return float((run().weights[1].max(-1) > 0.5).mean())


def large_scores() -> float:
    """Return the share of scores of layer 2 above 10."""
    scores = run().scores[1]
    return float((scores[scores > -np.inf] > 10).mean())


def over_corpus(measure: str) -> Matrix:
    return corpus_measures(shipped_model("headlight")).means[measure].double().numpy().flatten()


def twin_over_chance() -> float:
    """Return by how much the twin's best head of induction is above what reading all keys alike gives."""
    found = corpus_measures(shipped_model("headlight-one-layer"))
    return float((found.means["induction"] - found.chance["induction"]).max())


def rank_correlation(one: Matrix, other: Matrix) -> float:
    return float(np.corrcoef(one.argsort().argsort(), other.argsort().argsort())[0, 1])


@cache
def on_first(head: int, repeated: bool | None = None) -> float:
    """Return the weight of a head of layer 2 on `<bos>` over the corpus: of all rows, or by an earlier mention."""
    found = []
    for document in corpus():
        weights = run_of(document.ids).weights[1][head - 1]
        before = [document.ids[row] in document.ids[:row] for row in range(len(document.ids))]
        found += [weights[row, 0] for row in range(1, len(before)) if repeated in (None, before[row])]
    return float(np.mean(found))


def corpus_factor() -> float:
    """Return the factor, of 25, at which the mean ln p over the corpus is largest: times W_Q, in one batch each."""
    ids = torch.tensor([one.ids for one in corpus()])
    logs = []
    for times in TIMES:
        given = {name: one * times if name.startswith("W_Q") else one for name, one in parameters().items()}
        found = forward(given, ids)[0].log_softmax(-1)
        logs.append(float(found[:, :-1].gather(-1, ids[:, 1:, None]).sum()))
    return TIMES[int(np.argmax(logs))]


def parameters() -> dict[str, torch.Tensor]:
    return shipped().model.parameters


def best_factor() -> float:
    ids, _ = opened(PAGE)
    return TIMES[int(np.argmax([text_log(run(PAGE, Factor(times)), ids) for times in TIMES]))]


def kept_mean(layer: int, head: int) -> Mean:
    outputs = corpus_measures(shipped_model("headlight")).outputs[layer]
    assert outputs is not None
    return Mean(layer, head, tuple(outputs[head].tolist()))
