"""The Map's sentences against softmax(scale · QKᵀ) in float64: heads, sinks, a phrase's diagonals, a row."""

import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final
from urllib.parse import quote

import numpy as np
import torch
from numpy.typing import NDArray

from attention_core import AttentionInputs, attention_statistics
from attention_core.inputs.structured import motif_length, motif_starts
from tests.checker.checking import Cell, Page, near
from tests.checker.terms import of_values, off
from visualiser.figures.mapped import Mapped
from visualiser.figures.plots.row import caption
from visualiser.listed_statistics import ROW_FACTS
from visualiser.locale.message import Message
from visualiser.maps.facts import facts, seeing
from visualiser.maps.geometry import options
from visualiser.maps.kept import BINS, Kept
from visualiser.pages.map import OF_MAP, OF_ROW, reasons, rows, sentences
from visualiser.pages.map.sequence import subject
from visualiser.reasons.digits import parse_number
from visualiser.reasons.explained import How, Reason
from visualiser.server.live.page_request import PageRequest
from visualiser.state.view import View
from visualiser.tables import Table
from visualiser.upload import canonical

WORDS: Final = ("the", "cat", "sat", "on", "a", "mat", "고양이", "7")
SINK: Final = 0.2
"""The share of a head's weight that makes a key a sink."""
ALIKE: Final = 0.01
"""Mean entropies that differ by less, as a share of the ceiling, say nothing about heads."""
UNIFORM: Final = 1e-3
"""Nats below the ceiling: a row with less lost is uniform, its weights within about 5 % of each other."""
DIAGONAL: Final = 2.0
"""A diagonal is seen if its cells hold this many times an even share."""


@dataclass(frozen=True, eq=False)
class Truth:
    """Weights, entropies and ceilings of every row in float64."""

    kept: Kept
    head: int
    row: int

    @cached_property
    def allowed(self) -> NDArray[np.bool_]:
        config, (n_q, n_k) = self.kept.config, self.sizes
        query, key = np.arange(n_q)[:, None] + n_k - n_q, np.arange(n_k)[None]
        if config.mask == "causal":
            return key <= query
        if config.mask == "window":
            return np.abs(key - query) <= config.window
        return np.ones((n_q, n_k), bool)

    @property
    def sizes(self) -> tuple[int, int]:
        return self.kept.Q.shape[1], self.kept.K.shape[1]

    @cached_property
    def factor(self) -> float:
        config = self.kept.config
        d_k = self.kept.Q.shape[-1]
        grown = math.log(self.sizes[1]) / math.log(32) if config.log_n else 1.0
        return {"sqrt_d_k": d_k**-0.5, "none": 1.0, "d_k": 1 / d_k, "custom": config.scale}[config.scaling] * grown

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        Q, K = (tensor.double().numpy() for tensor in (self.kept.Q, self.kept.K))
        return np.where(self.allowed, self.factor * Q @ K.transpose(0, 2, 1), -np.inf)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        most = np.maximum(self.scores.max(-1, keepdims=True), -1e300)
        exponentials = np.exp(self.scores - most)
        return exponentials / np.maximum(exponentials.sum(-1, keepdims=True), 1e-300)

    @cached_property
    def entropy(self) -> NDArray[np.float64]:
        p = self.weights
        return -np.where(p > 0, p * np.log(np.where(p > 0, p, 1.0)), 0.0).sum(-1)

    @cached_property
    def keys(self) -> NDArray[np.int64]:
        """The number of keys of each query."""
        return self.allowed.sum(-1)

    @cached_property
    def seeing(self) -> NDArray[np.bool_]:
        return self.keys > 0

    @cached_property
    def ceiling(self) -> NDArray[np.float64]:
        return np.log(np.maximum(self.keys, 1))

    @cached_property
    def means(self) -> NDArray[np.float64]:
        """Each head's mean entropy over the queries with keys."""
        return self.entropy[:, self.seeing].mean(-1)

    @cached_property
    def mean_ceiling(self) -> float:
        return float(self.ceiling[self.seeing].mean())

    @cached_property
    def uniform(self) -> bool:
        return bool((self.ceiling - self.entropy)[:, self.seeing].max() <= UNIFORM)

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The share of a head's weight on each key."""
        return self.weights.sum(1) / self.seeing.sum()

    @cached_property
    def meetings(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Queries and keys of the allowed cells where two copies of the phrase meet."""
        starts, length = motif_starts(self.kept.config).tolist(), motif_length(self.kept.config)
        cells = [(a + t, b + t) for a in starts for b in starts if a != b for t in range(length)]
        query, key = np.array(cells, dtype=np.int64).reshape(-1, 2).T
        seen = self.allowed[query, key]
        return query[seen], key[seen]

    @cached_property
    def diagonals(self) -> list[float]:
        """By head the mean weight of these cells, in even shares; NaN if there is none."""
        query, key = self.meetings
        if not len(query):
            return [np.nan] * len(self.weights)
        return (self.weights[:, query, key] * self.keys[query]).mean(-1).tolist()


def upload(given: str) -> bytes:
    n_q, n_k, d_k, h, kind, seed = given.split(",")
    draws = np.random.default_rng(int(seed))
    shapes = (int(h), int(n_q), int(d_k)), (int(h), int(n_k), int(d_k))
    Q, K = (draws.standard_normal(shape).astype(np.float32) for shape in shapes)
    if kind == "constant":
        Q, K = np.full_like(Q, 5), np.full_like(K, 3)
    elif kind == "zero":
        Q *= 0
    elif kind == "sharp":
        Q, K = 60 * Q, 60 * K
    elif kind == "same":
        Q, K = (np.broadcast_to(tensor[:1], tensor.shape).copy() for tensor in (Q, K))
    elif kind == "repeated":
        K[:] = K[:, :1]
    elif kind.startswith("sink"):  # every query likes these keys
        Q[..., 0] = 6 * int(d_k) ** 0.5
        for key in range(int(kind[4:])):
            K[:, (7 + 11 * key) % int(n_k), 0] += 4
    keys = torch.from_numpy(K)
    return canonical(AttentionInputs(torch.from_numpy(Q), keys, keys))


def link(draws: random.Random) -> str:
    """Return a link; behind # stands the file that the visitor opens with it."""
    n = draws.choice((2, 3, 4, 5, 7, 16, 31, 32, 40, 64, 65, 97, 130, 200, 260, 300))
    h = draws.choice((1, 1, 2, 3, 4, 5, 8))
    settings: dict[str, Any] = {"page": "map", "n": n, "h": h, "seed": draws.randrange(100)}
    settings |= {"d_k": draws.choice((1, 1, 2, 5, 16, 64, 200)), "tie": "false"}
    settings["source"] = draws.choice(("structured", "structured", "gaussian", "text", "upload"))
    settings["scaling"] = draws.choice(("sqrt_d_k", "sqrt_d_k", "none", "d_k", "custom"))
    settings["scale"] = draws.choice((0, 0, 0.01, 0.3, 1, 16))
    settings["mask"] = draws.choice(("none", "none", "causal", "window"))
    settings["window"] = draws.choice((1, 2, 3, 30, 100, 1000))
    settings["dtype"] = draws.choice(("float32", "float32", "float16", "bfloat16"))
    settings["qk_norm"], settings["log_n"] = (draws.choice(("false", "false", "true")) for _ in range(2))
    settings["row"], settings["head"] = draws.randrange(n), draws.randrange(h + 1)
    if settings["source"] == "text":
        length = draws.choice((2, 3, 5, 40, 90))
        settings["text"] = quote(" ".join(draws.choices(WORDS[: draws.choice((1, 2, 8))], k=length)))
        settings["positions"] = draws.choice(("true", "false"))
        settings["d_model"] = 32
        settings["split"] = draws.choice(("words", "words", "characters"))
    query = "&".join(f"{name}={value}" for name, value in settings.items())
    if settings["source"] != "upload":
        return query
    kind = draws.choice(("normal", "constant", "zero", "sharp", "same", "repeated", "sink1", "sink2", "sink3"))
    sides = (2, 3, 6, 64, 70, 130, 300)
    n_q = draws.choice(sides)
    n_k = draws.choice((n_q, *sides))
    return f"{query}#{n_q},{n_k},{min(64, settings['d_k'])},{h},{kind},{draws.randrange(100)}"


@lru_cache(maxsize=4)
def _kept(link: str) -> tuple[Kept, int, int]:
    query, _, file = link.partition("#")
    ask = PageRequest(query, None, frozenset(), upload(file) if file else b"", "en", "light", 0, "", {})
    state, _, shown = subject(ask)
    Q, K = shown.tensors()
    for tensor in (Q, K):
        length = tensor.double().norm(dim=-1)
        off = (length[length > 0] / shown.d_k**0.5 - 1).abs().max().item() if length.any() else 0.0
        assert not shown.config.qk_norm or off < (1e-6 if Q.dtype == torch.float32 else 1e-2)
    kept = Kept(shown.config, Q, K, shown.tokens, attention_statistics(Q, K, overview=BINS, **options(shown.config)))
    return kept, state.view.single(shown.h), state.view.inspected(shown.n_q)


def truth(link: str) -> Truth:
    return Truth(*_kept(link))


def sentences_of(link: str) -> Sequence[Message]:
    kept, head, row = _kept(link)
    known, opened = facts(kept), rows.row_of(kept, head, row)
    return [
        *sentences.insight(known),
        *(sentence for figure in OF_MAP for sentence in figure.sentence(Mapped(kept), View())),
        caption(opened),
        *(sentence for figure in OF_ROW for sentence in figure.sentence(opened, View())),
    ]


def _close(name: str, claimed: float, true: float, off: float = 2e-4) -> Iterator[str]:
    """Hold a number against the true one; `off` is what a pass in float32 may be off by."""
    if not (near(claimed, true) or abs(claimed - true) <= off):
        yield f"{name} is {true}, not {claimed}"


def _ceiling(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _close("the mean ceiling", facts["ceiling"], truth.mean_ceiling)


def _heads(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    means = truth.means
    yield from _ceiling(truth, facts)
    yield from _close("the least mean entropy", facts["few"], means.min())
    yield from _close("the greatest mean entropy", facts["many"], means.max())
    for heads, end in ((facts["narrow"], means.min()), (facts["wide"], means.max())):
        near_end = 2e-3 * truth.mean_ceiling
        if any(abs(means[head - 1] - end) > near_end for head in heads):
            yield f"of the heads {heads} one is not at the end {end}"
        if {int(head) + 1 for head in np.flatnonzero(abs(means - end) < 5e-6)} - set(heads):
            yield f"another head beside {heads} is at the end {end}"
    if set(facts["narrow"]) & set(facts["wide"]) or np.ptp(means) < ALIKE * truth.mean_ceiling:
        yield "heads are compared that are alike"


def _heads_alike(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _ceiling(truth, facts)
    yield from _close("the mean entropy", facts["entropy"], truth.means.mean())
    if facts["heads"] != len(truth.means) or len(truth.means) < 2:
        yield "there are other heads"
    if np.ptp(truth.means) > 0.03 * truth.mean_ceiling:
        yield "the heads differ"


def _one_head(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _ceiling(truth, facts)
    yield from _close("the mean entropy", facts["entropy"], float(truth.means[0]))
    if len(truth.means) > 1:
        yield "there are several heads"
    yield from _close("e^H", facts["effective"], math.exp(truth.means[0]), 1e-3 * math.exp(truth.means[0]))


def _uniform(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _close("the mean entropy", facts["entropy"], truth.means.mean())
    if (truth.ceiling - truth.entropy)[:, truth.seeing].max() > 1.1 * UNIFORM + 2e-4:
        yield "a row is not uniform"


def _sink(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    key, stated = facts["key"], {share.facts["head"]: share.facts["share"] for share in facts["shares"]}
    for head, share in stated.items():
        yield from _close(f"the share in head {head}", share, 100 * float(truth.shares[head - 1, key]), 0.02)
        if truth.shares[head - 1, key] < SINK - 1e-3:
            yield f"key {key} is no sink in head {head}"
    if others := {int(head) + 1 for head in np.flatnonzero(truth.shares[:, key] > SINK + 1e-3)} - stated.keys():
        yield f"key {key} is a sink in heads {others} too"


def _one_sink(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    surely, perhaps = ((truth.shares > SINK + off).any(0).sum() for off in (1e-3, -1e-3))
    if not surely <= 1 <= perhaps:
        yield f"there are {surely} sinks"
    yield from _close("the share", facts["share"], 100 * float(truth.shares[facts["head"] - 1, facts["key"]]), 0.02)
    yield from _close("the largest share", facts["share"], 100 * truth.shares.max(), 0.02)


def _first(link: str) -> Sequence[Message]:
    return sentences.insight(facts(_kept(link)[0]))[:1]


def _sinks(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    surely, perhaps = ((truth.shares > SINK + off).any(0).sum() for off in (1e-3, -1e-3))
    if not surely <= facts["count"] <= perhaps:
        yield f"there are {surely} sinks"
    yield from _close("the share", facts["share"], 100 * float(truth.shares[facts["head"] - 1, facts["key"]]), 0.02)
    yield from _close("the largest share", facts["share"], 100 * truth.shares.max(), 0.02)
    if facts["least"] != 100 * SINK:
        yield "another share makes a sink"


def _phrase(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    """Check the phrase itself by the queries: a code that copies share makes them alike."""
    config = truth.kept.config
    starts, length = list(motif_starts(config)), motif_length(config)
    if config.source != "structured" or facts["length"] != length or length < 2:
        yield "there is no such phrase"
    if facts["starts"] != starts or len(set(map(int, starts))) < len(starts):
        yield "it does not stand there"


def _diagonals(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _phrase(truth, facts)
    met, cells = truth.diagonals, len(truth.meetings[0])
    planted = [head for head in range(1, len(met) + 1) if head % 4 in (1, 2)]
    if not cells or not set(facts["heads"]) <= set(planted):
        yield "nothing can be seen there"
        return
    least = min(met[head - 1] for head in facts["heads"])
    yield from _close("the least weight there", facts["times"], least, 2e-3 * least)
    if least < DIAGONAL * 0.995:
        yield "there is no diagonal"
    if others := {head for head in planted if met[head - 1] > DIAGONAL * 1.005} - set(facts["heads"]):
        yield f"heads {others} have diagonals too"


def _pooled(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _diagonals(truth, facts)
    side = -(-truth.sizes[0] // BINS)
    if side == 1:
        yield "no square holds several cells"
        return
    weights = truth.weights[facts["heads"][0] - 1]
    squares = [
        weights[row // side * side :, column // side * side :][:side, :side]
        for row, column in zip(*truth.meetings, strict=True)
    ]
    if not sum(square.mean() for square in squares) < sum(square.max() for square in squares):
        yield "the average pales nothing"


def _unseen(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _phrase(truth, facts)
    met, cells = truth.diagonals, len(truth.meetings[0])
    planted = [head for head in range(1, len(met) + 1) if head % 4 in (1, 2)]
    most = max(met[head - 1] for head in planted)
    if facts["heads"] != planted:
        yield "other heads hold it"
    yield from _close("the largest weight there", facts["times"], most, 2e-3 * most)
    if most > DIAGONAL * 1.005 or not cells:
        yield "there is a diagonal, or no cell"


def _masked(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _phrase(truth, facts)
    if len(truth.meetings[0]):
        yield "the mask leaves places where copies meet"


def _repeated(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    tokens = truth.kept.tokens or ()
    counts = Counter(tokens)
    if counts[facts["token"]] != facts["count"] or facts["count"] < 2:
        yield "another count"
    if max(counts.values()) > facts["count"]:
        yield "another token is commoner"


def _equal(truth: Truth, facts: Mapping[str, Any], cells: NDArray[np.float64], off: float) -> Iterator[str]:
    at = [place for place, token in enumerate(truth.kept.tokens or ()) if token == facts["token"]]
    if abs(cells[:, at] - cells[:, at[:1]]).max() > off or abs(cells[:, :, at] - cells[:, :, at[:1]]).max() > off:
        yield "its rows or columns differ"


def _repeated_alike(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _repeated(truth, facts)
    yield from _equal(truth, facts, truth.weights, 1e-4)


def _repeated_masked(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _repeated(truth, facts)
    Q, K = (tensor.double().numpy() for tensor in (truth.kept.Q, truth.kept.K))
    scores = truth.factor * Q @ K.transpose(0, 2, 1)
    yield from _equal(truth, facts, scores, 1e-5 * max(1.0, abs(scores).max()))
    if truth.allowed.all():
        yield "no mask tells them apart"


def _repeated_positions(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _repeated(truth, facts)
    if not truth.kept.config.positions:
        yield "no positions are added"


def _map(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _close("the mean entropy", facts["entropy"], truth.means.mean())
    squares = [len(range(0, n, -(-n // BINS))) for n in truth.sizes]
    if [facts[name] for name in ("heads", "n_q", "n_k", "rows", "columns")] != [
        len(truth.weights), *truth.sizes, *squares
    ]:  # fmt: skip
        yield "other sizes"


def _strips(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    for name, low_or_high in (("low", truth.means.min()), ("high", truth.means.max())):
        yield from _close(name, facts.get(name, facts.get("entropy")), low_or_high)
    yield from _close("the greatest ceiling", facts["ceiling"], truth.ceiling.max())


def _caption(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    if (facts["head"], facts["query"]) != (truth.head, truth.row) or facts["keys"] != min(16, truth.keys[truth.row]):
        yield "another row or number of keys"


def _row(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    weights = truth.weights[truth.head - 1, truth.row]
    entropy = float(truth.entropy[truth.head - 1, truth.row])
    if facts["head"] != truth.head or int(str(facts["query"]).split()[0]) != truth.row:
        yield "another row"
    yield from _close("entropy", facts["entropy"], entropy)
    yield from _close("ceiling", facts["ceiling"], truth.ceiling[truth.row])
    yield from _close("e^H", facts["effective"], math.exp(entropy), 5e-4 * math.exp(entropy))
    jacobian = np.diag(weights) - np.outer(weights, weights)
    yield from _close("norm", facts["norm"], float(np.linalg.norm(jacobian)), 1e-4)
    yield from _close("weight", facts["weight"], weights.max(), 1e-4)
    loose = 1e-4 + 1e-5 * abs(truth.scores[truth.head - 1, truth.row][truth.allowed[truth.row]]).max()
    if "key" in facts:
        key = int(str(facts["key"]).split()[0])
        if weights[key] < weights.max() * (1 - loose) or (weights >= weights.max() * (1 - 1e-7)).sum() > 1:
            yield "the largest weight is elsewhere too"
    elif not 1 < facts["count"] <= (weights >= weights.max() * (1 - loose)).sum():
        yield "not so many keys share the largest weight"


def _row_masked(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    if facts["query"] != truth.row or truth.keys[truth.row]:
        yield "it sees a key"


def _whole(truth: Truth, sentences: Sequence[Message]) -> Iterator[str]:
    """PageRequest for every sink and for the phrase, unless the weights are uniform."""
    keys = Counter(sentence.key for sentence in sentences)
    if keys["insight.map_uniform"]:
        return
    if min(truth.seeing.sum(), truth.sizes[1]) >= 64:
        surely = {int(key) for key in np.flatnonzero((truth.shares > SINK + 1e-3).any(0))}
        named = {sentence.facts["key"] for sentence in sentences if sentence.key == "insight.map_sink"}
        if not keys["insight.map_sinks"] and surely - named:
            yield f"the sinks {surely - named} are not told"
    config = truth.kept.config
    if config.source == "structured" and config.n >= 32 and not any("map_phrase" in key for key in keys):
        yield "the phrase is not told"


def _asked(link: str) -> tuple[Sequence[Message], How]:
    kept, head, row = _kept(link)
    known, opened = facts(kept), rows.row_of(kept, head, row)
    how = reasons.reasons(kept, known)
    of_row = [Message(_OF_ROW, {each.name: opened.statistics[each.name]}) for each in ROW_FACTS]

    def explained(sentence: Message, name: str, place: int) -> Reason | None:
        return reasons.of_row(opened, name) if sentence.key == _OF_ROW else how(sentence, name, place)

    return [*sentences.insight(known), *of_row], explained


_OF_ROW: Final = "statistic.said"
"""A row's number stands beside its name."""


def _reason(truth: Truth, sentence: Message, name: str, given: Reason) -> Iterator[str]:
    """Check means over queries and heads, a sink's weight, and the sums of an open row."""
    key, kept = given.made.key, truth.kept
    open_rows = truth.entropy[:, truth.seeing]
    if key == "reason.made.mean":
        yield from of_values(given, "rows", list(open_rows))
    elif key == "reason.made.heads":
        yield from of_values(given, "heads", [truth.means])
    elif key == "reason.made.ceilings":
        keys = truth.keys[truth.seeing]
        h = len(kept.Q) if len(keys) else 1
        yield from off(given, rows=[keys.size, keys.size * h], few=int(keys.min()), many=int(keys.max()))
    elif key == "reason.made.logarithm":
        yield from off(given, keys=[int(truth.keys[truth.row]), int(truth.keys.max())])
    elif key == "reason.made.sink":
        weights = truth.weights[:, truth.seeing].sum(1).ravel()
        yield from off(given, queries=int(truth.seeing.sum()), weight=weights.tolist())
    elif key == "reason.made.largest_row":
        yield from off(given, sum=float(1 / truth.weights[truth.head - 1, truth.row].max()))
    elif key == "reason.made.norm_of_powers":
        p = truth.weights[truth.head - 1, truth.row]
        yield from off(given, two=float((p**2).sum()), three=float((p**3).sum()))
    elif key == "reason.made.terms":
        yield from off(given, keys=int(truth.keys[truth.row]))
    elif key == "reason.made.tokens":
        yield from off(given, tokens=len(kept.tokens or ()))
    elif key not in _PLAIN:
        yield f"nobody checks {key}"


def _tables(link: str) -> dict[str, Table]:
    kept, head, row = _kept(link)
    found = {each.name: each.table(Mapped(kept), View()) for each in OF_MAP} if seeing(kept).any() else {}
    return {**found, **{each.name: each.table(rows.row_of(kept, head, row), View()) for each in OF_ROW}}


def _cell(truth: Truth, asked: Cell) -> Iterator[str]:
    """Check the sums, ranks and exponentials behind the tables' numbers."""
    key, facts = asked.made.key.removeprefix("reason.made."), asked.made.facts
    given = Reason(asked.column.kind, asked.made)
    if asked.table == "row":
        scores = truth.scores[truth.head - 1, truth.row]
        at = int(asked.beside("key"))
        if key == "weight":
            total = np.exp(scores - scores.max()).sum()
            below, shown = scores[at] - scores.max(), parse_number(str(facts["below"]))
            blur = 1e-6 * abs(scores).max()  # float32 scores, each rounded by itself
            below = shown if abs(shown - below) <= blur else below
            yield from off(given, below=below, sum=total, score=scores[at], most=scores.max())
        elif key == ("scaled.dot_product_normed" if truth.kept.config.qk_norm else "scaled.dot_product"):
            yield from off(given, factor=truth.factor)
            if truth.factor:
                yield from off(given, product=scores[at] / truth.factor)
        elif key == "underflow":
            yield from off(given, true=truth.weights[truth.head - 1, truth.row, at])
        else:
            yield f"nobody checks {key}"
        return
    entropy = truth.entropy[asked.line, truth.seeing]
    p = truth.weights[asked.line, truth.seeing]
    if key == "mean":
        squares = (p**2).sum(-1)
        norm = np.sqrt(np.maximum(0.0, squares - 2 * (p**3).sum(-1) + squares**2))
        of = {"entropy": entropy, "effective_keys": np.exp(entropy), "jacobian_norm": norm}
        yield from of_values(given, "rows", [of[asked.column.kind]])
    elif key == "ranked":
        yield from off(given, rows=entropy.size, value=float(np.sort(entropy)[facts["rank"] - 1]))
    elif key == "variance_of_scores":
        scores = truth.scores[asked.line][truth.allowed]
        true, total = ((scores - scores.mean()) ** 2).sum(), parse_number(str(facts["sum"]))
        yield from off(given, count=scores.size)
        if not near(total, true, 2) and abs(total - true) > 1e-4:
            yield f"sum is {true}"
    elif key == "largest_row":
        yield from off(given, sum=1 / p.max())
    else:
        yield f"nobody checks {key}"


_PLAIN: Final = {
    *("reason.made.control", "reason.made.planted", "reason.made.even_share", "reason.made.sinks"),
    *("reason.made.no_key", "reason.made.effective_row"),
}

PAGE: Final = Page(
    tables=_tables,
    cell=_cell,
    link=link,
    sentences=sentences_of,
    truth=truth,
    claims={
        "insight.map_heads": _heads,
        "insight.map_heads_alike": _heads_alike,
        "insight.map_one_head": _one_head,
        "insight.map_uniform": _uniform,
        "insight.map_sink": _sink,
        "short.insight.map_sink": _one_sink,
        "insight.map_sinks": _sinks,
        "insight.map_phrase": _diagonals,
        "insight.map_phrase_pooled": _pooled,
        "insight.map_phrase_unseen": _unseen,
        "insight.map_phrase_masked": _masked,
        "insight.map_repeated": _repeated_alike,
        "insight.map_repeated_masked": _repeated_masked,
        "insight.map_repeated_positions": _repeated_positions,
        "table.map.summary": _map,
        "table.strips.summary": _strips,
        "table.strips.summary_one": _strips,
        "table.row.caption": _caption,
        "table.row.summary": _row,
        "table.row.summary_alike": _row,
        "insight.row_masked": _row_masked,
    },
    whole=_whole,
    asked=_asked,
    names=frozenset({"narrow", "wide", "key", "head", "heads", "token", "name"}),
    reason=_reason,
    first=_first,
)
