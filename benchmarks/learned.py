"""What lessons and pages say of the model that ships, and why it is so, beside what was measured of it.

    python benchmarks/claims.py --only learned

prints the third table of docs/claims.md. The text is the one with which the page Model opens, unless another is named.
"""

from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_core.changes import Change, Factor, Mean, Mute
from attention_core.language import WORDS, LanguageModel, LanguagePass, corpus, shipped
from attention_core.language.model import LayerPass, forward, initial
from attention_core.language.words import read
from attention_core.learned import corpus_measures, shipped_model
from attention_core.learned.by_factor import TIMES
from benchmarks.statements import Statement, band
from visualiser.state import share

HERE: Final = "`python benchmarks/claims.py --only learned`"
HEADS: Final = tuple((layer, head) for layer in (0, 1) for head in range(4))
TEXT: Final = read(share.beginning("model").config.text).ids
LAST: Final = len(TEXT) - 1
NAMED: Final = 5
"""The places of *Ben* at the end, and of *Taylor*."""
DRAWS: Final = 200


def costs() -> str:
    every = {at: lost(Mute(*at)) for at in HEADS}
    through = [through_layer_2(head) for head in (0, 1, 3)]
    return (
        "nats that ln p of the text loses without a head: "
        + ", ".join(f"{name(*at)} {nats:.1f}" for at, nats in every.items())
        + f"; through layer 2 alone: 1.1 {through[0]:.1f}, 1.2 {through[1]:.1f}, 1.4 {through[2]:.1f}"
    )  # fmt: skip


def keys_say_it() -> str:
    """Give head 2.1 the queries or the keys of a run without head 1.1."""
    whole, without = run(), run(Mute(0, 0))
    found = [
        _weight(*_projected(q.layers[1], k.layers[1])) for q, k in ((whole, whole), (whole, without), (without, whole))
    ]
    return (
        f"weight of head 2.1 on *Taylor*: {found[0]:.3f}; with its keys as they are without head 1.1 {found[1]:.2g}, "
        f"with its queries so {found[2]:.3f}"
    )


def second_head() -> str:
    whole, without = run(), run(Mute(1, 0))
    weights = [whole.layers[1].weights[0], whole.layers[1].weights[1], without.layers[1].weights[1]]
    first, second, after = (float(one[LAST, NAMED]) for one in weights)
    chances = [probability(*(Mute(1, head) for head in muted)) for muted in ((), (0,), (1,), (0, 1))]
    return (
        f"weight on *Taylor*: head 2.1 {first:.3f}, head 2.2 {second:.3f}, and {after:.3f} without 2.1; its "
        f"probability: {chances[0]:.3f}, without 2.1 {chances[1]:.3f}, without 2.2 {chances[2]:.3f}, without both "
        f"{chances[3]:.3f}"
    )


def long_and_dependent() -> str:
    """Shuffle each component over the tokens: what is left has the same sizes, and no dependence."""
    generator = np.random.default_rng(0)
    lengths, as_it_is, shuffled = [], [], []
    for head in range(4):
        q, k = _of(run().layers[1], head)
        lengths += [float((one**2).mean()) for one in (q, k)]
        as_it_is.append(_ratio(q, k))
        draws = [_ratio(*(generator.permuted(one, axis=0) for one in (q, k))) for _ in range(DRAWS)]
        shuffled.append(float(np.mean(draws)))
    return (
        f"in layer 2: mean square of a component {band(lengths)}; variance of q·k / d_k {band(as_it_is)} over the "
        f"heads, with components shuffled against each other {band(shuffled)}"
    )


def before_training() -> str:
    ratios = [
        [float(np.mean([_ratio(*_of(layer, head)) for head in range(4)])) for layer in new.layers]
        for new in (LanguageModel(initial(seed, 2))(TEXT) for seed in range(5))
    ]
    first, second = zip(*ratios, strict=True)
    return (
        f"variance of a score before training, five seeds: layer 1 {band(first)}, layer 2 {band(second)}; in layer 2 "
        f"of the seed that ships {second[0]:.2f}, after training {np.mean(_ratios(run())):.1f}"
    )


def trained_factor() -> str:
    """The factor times W_Q is the factor of the scores: the corpus in one batch at each."""
    ids = torch.tensor([document.ids for document in corpus()])
    logs = np.stack([_logs(ids, times) for times in TIMES])
    found = np.array(TIMES)[logs.argmax(0)]
    here = TIMES[int(np.argmax([text_log(Factor(times)) for times in TIMES]))]
    return (
        f"the likeliest of 25 factors: × {here:.3g} for the text, × {TIMES[int(logs.mean(1).argmax())]:.3g} for the "
        f"mean over the corpus; between × 0.5 and × 2 for {np.mean((found > 0.5) & (found < 2)):.3g} of its documents, "
        f"at most × {found.max():.3g}"
    )


def _logs(ids: Tensor, times: float) -> NDArray[np.float64]:
    given = {name: one * times if name.startswith("W_Q") else one for name, one in shipped().model.parameters.items()}
    with torch.no_grad():
        logs = forward(given, ids)[0].log_softmax(-1)
    return logs[:, :-1].gather(-1, ids[:, 1:, None]).double().sum((1, 2)).numpy()


def extremes() -> str:
    whole, none, large = (text_log(*one) for one in ((), (Factor(0.0),), (Factor(16.0),)))
    sharp = [float(layer.weights.amax(-1).mean()) for layer in run(Factor(16.0)).layers]
    return (
        f"ln p of the text {whole:.1f}, at × 0 {none:.1f}, at × 16 {large:.1f}; mean largest weight of a row at × 16: "
        f"layer 1 {sharp[0]:.3f}, layer 2 {sharp[1]:.3f}"
    )


def mean_output() -> str:
    kept = {
        (layer, head): Mean(layer, head, tuple(outputs[head].tolist()))
        for layer, outputs in enumerate(corpus_measures(shipped_model("headlight")).outputs)
        if outputs is not None
        for head in range(len(outputs))
    }
    pairs = [f"{name(*at)} {lost(Mute(*at)):.1f} and {lost(kept[at]):.1f}" for at in HEADS]
    return "nats lost with a head muted and at its mean: " + ", ".join(pairs)


def few_rows() -> str:
    """Random rows as Train begins with: one of 16 keys is the right one, and the loss is that of the page Why."""
    draw = torch.Generator().manual_seed(0)
    shares = []
    for d_k in (4, 1024):
        q, k = (torch.randn(4000, n, d_k, generator=draw) for n in (1, 16))
        scores = (q @ k.mT)[:, 0].double().requires_grad_()
        (0.5 * (scores.softmax(-1) - torch.eye(16)[0]).square().sum()).backward()
        assert scores.grad is not None
        of_rows = scores.grad.square().sum(-1).sort().values
        shares.append(float(of_rows[-400:].sum() / of_rows.sum()))
    return (
        f"share of Σ ‖dL/ds‖² in the tenth of the rows that has most, unscaled: {shares[0]:.2f} at d_k 4, "
        f"{shares[1]:.2f} at d_k 1024"
    )


LEARNED: Final = (
    Statement(
        "three of the four heads of layer 1 cost most in this text, since layer 2 rests on what they hand on",
        costs,
        HERE,
        "holds for this text: most of each cost goes through layer 2",
    ),
    Statement(
        "head 2.1 finds the key that says what stood before it, and head 1.1 wrote that there",
        keys_say_it,
        HERE,
        "holds: it is the keys that lack it, and not the queries",
    ),
    Statement(
        "a second head does the same",
        second_head,
        HERE,
        "holds; no backup head (Wang et al. 2022), since it reads the same with and without the first",
    ),
    Statement(
        "learned q and k are long, and their components are not independent",
        long_and_dependent,
        HERE,
        "both hold: length alone makes more than ten, and dependence adds to it",
    ),
    Statement(
        "√d_k sets how large the first scores are, not the later ones", before_training, HERE, "holds in layer 2"
    ),
    Statement(
        "the text is likeliest near the factor of the training",
        trained_factor,
        HERE,
        "holds for the mean, not for every text",
    ),
    Statement(
        "large factors, which make rows nearly one-hot, are tolerated better than × 0", extremes, HERE, "holds here"
    ),
    Statement(
        "the mean output over other texts is another way to take a head away",
        mean_output,
        HERE,
        "it costs less for four heads and more for the others: no milder in general",
    ),
    Statement(
        "unscaled, a few rows that are not saturated have most of the gradient (pages Why and Train)",
        few_rows,
        HERE,
        "holds at large d_k",
    ),
)


def run(*changes: Change, ids: Sequence[int] = TEXT) -> LanguagePass:
    return _run(changes, tuple(ids))


@cache
def _run(changes: tuple[Change, ...], ids: tuple[int, ...]) -> LanguagePass:
    return shipped().model(ids, changes)


def text_log(*changes: Change, ids: Sequence[int] = TEXT) -> float:
    return _log(run(*changes, ids=ids).logits, ids)


def lost(*changes: Change, ids: Sequence[int] = TEXT) -> float:
    """Return by how many nats changes lower ln p of a text."""
    return text_log(ids=ids) - text_log(*changes, ids=ids)


def probability(*changes: Change) -> float:
    """Return the probability of *Taylor* after the last *Ben*."""
    return float(run(*changes).logits[-1].double().softmax(-1)[WORDS.index("Taylor")])


def through_layer_2(head: int) -> float:
    """Return the nats lost if only layer 2 is without a head of layer 1: path patching, the stream keeps its output."""
    of = shipped().model.parameters
    without = run(Mute(0, head))
    x = of["E"][list(TEXT)] + _written(run(), 0) + _written(without, 1)
    return text_log() - _log(torch.nn.functional.layer_norm(x, x.shape[-1:]) @ of["U"], TEXT)


def _written(found: LanguagePass, layer: int) -> Tensor:
    output = found.layers[layer].weights @ found.layers[layer].V
    return output.transpose(0, 1).flatten(1) @ shipped().model.parameters[f"W_O/{layer + 1}"]


def _log(logits: Tensor, ids: Sequence[int]) -> float:
    logs = logits.double().log_softmax(-1)
    return float(logs[:-1].gather(-1, torch.tensor(ids)[1:, None]).sum())


def _weight(queries: Tensor, keys: Tensor) -> float:
    return float((queries[0, LAST] @ keys[0].T / 4).softmax(-1)[NAMED])


def _of(layer: LayerPass, head: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    q, k = (one[head].double().numpy() for one in _projected(layer, layer))
    return q, k


def _projected(of_queries: LayerPass, of_keys: LayerPass) -> tuple[Tensor, Tensor]:
    assert of_queries.Q is not None
    assert of_keys.K is not None
    return of_queries.Q, of_keys.K


def _ratios(found: LanguagePass) -> list[float]:
    return [_ratio(*_of(found.layers[1], head)) for head in range(4)]


def _ratio(q: NDArray[np.float64], k: NDArray[np.float64]) -> float:
    """Return Var(q·k) / d_k over the cells that the mask allows."""
    return float((q @ k.T)[np.tril_indices(len(q))].var() / q.shape[-1])


def name(layer: int, head: int) -> str:
    return f"{layer + 1}.{head + 1}"
