"""The Map's sentences against the weights of scale · QKᵀ in float64: heads, sinks, a phrase's diagonals, a row."""

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
from attention_core.learned import LearnedLayer, shipped_model
from tests.checker.checking import Cell, Page, near
from tests.checker.other_rows import OtherRows
from tests.checker.softmax_rows import others
from tests.checker.terms import of_values, off
from visualiser.figures.mapped import Mapped
from visualiser.figures.plots.row import caption
from visualiser.listed_statistics import ROW_FACTS, of_rows
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
    layer: LearnedLayer | None = None

    @cached_property
    def allowed(self) -> NDArray[np.bool_]:
        config, (n_q, n_k) = self.kept.config, self.sizes
        if self.layer is not None:
            return self.layer.allowed[0].numpy()
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
        if self.layer is not None:
            return config.scale * float(self.layer.scale or np.nan) * grown
        return {"sqrt_d_k": d_k**-0.5, "none": 1.0, "d_k": 1 / d_k, "custom": config.scale}[config.scaling] * grown

    @cached_property
    def every(self) -> NDArray[np.float64]:
        """The scaled scores of all cells, those that the mask forbids too."""
        Q, K = self.compared
        return self.factor * Q @ K.transpose(0, 2, 1)

    @cached_property
    def compared(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Queries and keys as they are compared: a model's own, or those that the map keeps."""
        if self.layer is None or self.layer.Q is None or self.layer.K is None:
            return self.kept.Q.double().numpy(), self.kept.K.double().numpy()
        config, found = self.kept.config, []
        for vectors in (self.layer.Q, self.layer.K):
            own = vectors.double().numpy()
            own = own / np.sqrt((own**2).mean(-1, keepdims=True)) if config.qk_norm else own
            found.append(torch.from_numpy(own).to(getattr(torch, config.dtype)).double().numpy())
        return found[0], found[1]

    @cached_property
    def rows(self) -> OtherRows:
        return self._rows(self.every, self.allowed)

    @cached_property
    def one(self) -> OtherRows:
        """The open row alone, whose Jacobian is small enough."""
        return self._rows(self.every[self.head - 1 : self.head, self.row : self.row + 1], self.allowed[self.row][None])

    def _rows(self, scores: NDArray[np.float64], allowed: NDArray[np.bool_]) -> OtherRows:
        config = self.kept.config
        return OtherRows(scores, allowed, config.normalisation, config.sink, config.softcap)

    @property
    def spread(self) -> bool:
        return self.kept.config.normalisation != "sigmoid"

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        return np.where(self.allowed, self.every, -np.inf)

    @cached_property
    def treated(self) -> NDArray[np.float64]:
        """The scores that are weighed."""
        return np.where(self.allowed, self.rows.treated, -np.inf)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        return self.rows.weights

    @cached_property
    def entropy(self) -> NDArray[np.float64]:
        return self.rows.entropy

    def mean_of(self, name: str) -> NDArray[np.float64]:
        """Each head's mean of what sinks take (`sunk`) or gates add up to (`mass`), over the queries with keys."""
        return getattr(self.rows, name)[:, self.seeing].mean(-1)

    @cached_property
    def keys(self) -> NDArray[np.int64]:
        """The number of keys of each query."""
        return self.allowed.sum(-1)

    @cached_property
    def seeing(self) -> NDArray[np.bool_]:
        return self.keys > 0

    @cached_property
    def ceiling(self) -> NDArray[np.float64]:
        return self.rows.ceiling

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
    if draws.random() < 0.25:
        return _trained_link(draws)
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
    settings["normalisation"] = draws.choice(("softmax", "softmax", "sink", "sigmoid"))
    settings["sink"] = draws.choice((0, 0, -3, 2.5, 12))
    settings["softcap"] = draws.choice((0, 0, 0, 1, 30))
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


def _trained_link(draws: random.Random) -> str:
    """Return a state whose Q and K a shipped model brings; its mask is causal, so no other is chosen."""
    words = draws.choices(
        ("Anna", "Ben", "sees", "(", ")", "keys", "고양이", "."), k=draws.choice((1, 2, 5, 30, 63, 90))
    )
    settings: dict[str, Any] = {
        "page": "map",
        "source": "model",
        "model": draws.choice(("headlight", "headlight", "headlight-one-layer")),
        "layer": draws.choice((1, 2, 2)),
        "text": quote(" ".join(words)),
        "scale": draws.choice((1, 1, 1, 0, 0.3, 4)),
        "mask": draws.choice(("none", "causal")),
        "dtype": draws.choice(("float32", "float32", "float16")),
        "qk_norm": draws.choice(("false", "false", "true")),
        "log_n": draws.choice(("false", "false", "true")),
        "normalisation": draws.choice(("softmax", "softmax", "sink", "sigmoid")),
        "sink": draws.choice((0, -3, 2.5)),
        "softcap": draws.choice((0, 0, 1, 30)),
        "row": draws.randrange(len(words)),
        "head": draws.randrange(1, 5),
    }
    if settings["dtype"] != "float32":  # a normalised number between two of the format may fall to either
        settings["qk_norm"] = "false"
    return "&".join(f"{name}={value}" for name, value in settings.items())


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
    kept, head, row = _kept(link)
    config, layer = kept.config, None
    if config.source == "model":
        layer = shipped_model(config.model).run(config.text).layers[config.layer - 1]
    return Truth(kept, head, row, layer)


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


def _uniform_sunk(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _uniform(truth, facts)
    if not truth.rows.outcomes:
        yield "there is no learned sink"


def _gates(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    masses = truth.mean_of("mass")
    for heads, end, name in ((facts["narrow"], masses.min(), "low"), (facts["wide"], masses.max(), "high")):
        yield from _close(name, facts[name], end)
        if any(abs(masses[head - 1] - end) > 2e-3 * masses.max() + 1e-6 for head in heads):
            yield f"of the heads {heads} one is not at the end {end}"
        if {int(head) + 1 for head in np.flatnonzero(abs(masses - end) < 5e-6 * masses.max())} - set(heads):
            yield f"another head beside {heads} is at the end {end}"
    if set(facts["narrow"]) & set(facts["wide"]) or np.ptp(masses) < ALIKE * masses.max() or truth.spread:
        yield "heads are compared that are alike, or no gates"


def _gates_alike(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    masses = truth.mean_of("mass")
    yield from _close("the mean sum of gates", facts["mass"], masses.mean())
    if np.ptp(masses) > 0.03 * masses.max() or truth.spread or facts.get("heads", 1) != len(masses):
        yield "the heads differ, or there are others, or no gates"


def _sunk(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    shares = truth.mean_of("sunk")
    ends = {"low": shares.min(), "high": shares.max()} if "low" in facts else {"sink": shares.mean()}
    for name, end in ends.items():
        yield from _close(name, facts[name], end)
    if "sink" in facts and np.ptp(shares) > 6e-3 * shares.max() + 2e-4:
        yield "the heads differ"
    if not truth.rows.outcomes:
        yield "there is no learned sink"


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
    scores = truth.every
    yield from _equal(truth, facts, scores, 1e-5 * max(1.0, abs(scores).max()))
    if truth.allowed.all():
        yield "no mask tells them apart"


def _repeated_positions(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _repeated(truth, facts)
    if not truth.kept.config.positions or truth.layer is not None:
        yield "no positions are added"


def _repeated_read(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _repeated(truth, facts)
    if truth.layer is None:
        yield "no model reads the text"


def _map(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    if truth.spread:
        yield from _close("the mean entropy", facts["entropy"], truth.means.mean())
    else:
        yield from _close("the mean sum of gates", facts["mass"], truth.mean_of("mass").mean())
    squares = [len(range(0, n, -(-n // BINS))) for n in truth.sizes]
    if [facts[name] for name in ("heads", "n_q", "n_k", "rows", "columns")] != [
        len(truth.weights), *truth.sizes, *squares
    ]:  # fmt: skip
        yield "other sizes"


def _strips(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    means = truth.means if truth.spread else truth.mean_of("mass")
    for name, low_or_high in (("low", means.min()), ("high", means.max())):
        yield from _close(name, facts.get(name, facts.get("entropy", facts.get("mass"))), low_or_high)
    if truth.spread:
        yield from _close("the greatest ceiling", facts["ceiling"], truth.ceiling.max())


def _strip_sunk(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _close("the mean weight of the sink", facts["sink"], truth.mean_of("sunk").mean())


def _caption(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    if (facts["head"], facts["query"]) != (truth.head, truth.row) or facts["keys"] != min(16, truth.keys[truth.row]):
        yield "another row or number of keys"


def _row(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    weights = truth.weights[truth.head - 1, truth.row]
    entropy = float(truth.entropy[truth.head - 1, truth.row])
    if facts["head"] != truth.head or int(str(facts["query"]).split()[0]) != truth.row:
        yield "another row"
    if truth.spread:
        yield from _close("entropy", facts["entropy"], entropy)
        yield from _close("ceiling", facts["ceiling"], truth.ceiling[truth.row])
    else:
        yield from _close("sum of gates", facts["mass"], truth.one.mass.item())
    if truth.rows.outcomes:
        yield from _close("the sink's weight", facts["sink"], truth.one.sunk.item())
    if "effective" in facts:
        yield from _close("e^H", facts["effective"], math.exp(entropy), 5e-4 * math.exp(entropy))
    if truth.spread != ("mass" not in facts) or truth.rows.outcomes != ("sink" in facts):
        yield "these are other weights"
    yield from _close("norm", facts["norm"], truth.one.norm.item(), 1e-4)
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
    if keys["insight.map_uniform"] or keys["insight.map_uniform_sunk"]:
        return
    if bool(truth.rows.outcomes) != any("map_sunk" in key for key in keys):
        yield "what the learned sink takes is not told, or told without one"
    if truth.spread and min(truth.seeing.sum(), truth.sizes[1]) >= 64:
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
    of_row = [Message(_OF_ROW, {each.name: opened.statistics[each.name]}) for each in of_rows(kept.config, ROW_FACTS)]

    def explained(sentence: Message, name: str, place: int) -> Reason | None:
        return reasons.of_row(opened, name) if sentence.key == _OF_ROW else how(sentence, name, place)

    return [*sentences.insight(known), *of_row], explained


_OF_ROW: Final = "statistic.said"
"""A row's number stands beside its name."""


def _reason(truth: Truth, sentence: Message, name: str, given: Reason) -> Iterator[str]:
    """Check means over queries and heads, a sink's weight, and the sums of an open row."""
    key, kept = given.made.key, truth.kept
    of_rows, outcomes = truth.rows, truth.rows.outcomes
    named = {"mass": "mass", "sink_weight": "sunk"}.get(given.kind, "entropy")
    if key == "reason.made.mean":
        yield from of_values(given, "rows", list(getattr(of_rows, named)[:, truth.seeing]))
    elif key == "reason.made.heads":
        yield from of_values(given, "heads", [truth.means if named == "entropy" else truth.mean_of(named)])
    elif key == "reason.made.ceilings":
        keys = truth.keys[truth.seeing] + outcomes
        h = len(kept.Q) if len(keys) else 1
        yield from off(given, rows=[keys.size, keys.size * h], few=int(keys.min()), many=int(keys.max()))
    elif key == "reason.made.logarithm":
        yield from off(given, keys=[int(truth.keys[truth.row]) + outcomes, int(truth.keys.max()) + outcomes])
    elif key == "reason.made.sink":
        weights = truth.weights[:, truth.seeing].sum(1).ravel()
        yield from off(given, queries=int(truth.seeing.sum()), weight=weights.tolist())
    elif key == "reason.made.largest_row":
        yield from off(given, sum=float(1 / truth.weights[truth.head - 1, truth.row].max()))
    elif key == "reason.made.norm_of_powers":
        p = truth.weights[truth.head - 1, truth.row]
        yield from off(given, two=float((p**2).sum()), three=float((p**3).sum()))
    elif key in ("reason.made.weight_sink", "reason.made.sink_weight"):
        s = np.append(truth.treated[truth.head - 1, truth.row], kept.config.sink)
        own = float(s[:-1].max()) if key == "reason.made.weight_sink" else kept.config.sink
        blur = 2e-6 * (1 + abs(s[np.isfinite(s)]).max())
        below, shown = own - s.max(), parse_number(str(given.made.facts["below"]))
        yield from off(
            given,
            sum=float(np.exp(s - s.max()).sum()),
            below=shown if abs(shown - below) <= blur else below,
            most=float(s.max()),
            sink=kept.config.sink,
        )
    elif key == "reason.made.gate":
        yield from off(given, n=truth.sizes[1], score=float(truth.treated[truth.head - 1, truth.row].max()))
    elif key == "reason.made.weight":
        s = truth.treated[truth.head - 1, truth.row]
        yield from off(
            given, below=0.0, sum=float(np.exp(s - s.max()).sum()), score=float(s.max()), most=float(s.max())
        )
    elif key == "reason.made.norm_cells":
        yield from off(given, squares=truth.one.norm.item() ** 2)
    elif key == "reason.made.underflow":
        true = {"largest_weight": truth.one.weights.max(), "sink_weight": truth.one.sunk.item() if outcomes else 0.0}
        of = next((float(value) for what, value in true.items() if given.kind.startswith(what)), truth.one.norm.item())
        yield from off(given, true=of)
    elif key in ("reason.made.terms_sink", "reason.made.terms"):
        yield from off(given, keys=int(truth.keys[truth.row]))
    elif key == "reason.made.tokens":
        yield from off(given, tokens=len(kept.tokens or ()))
    elif key == "reason.made.of_model":
        yield from off(given, value=len(truth.compared[0]), layer=kept.config.layer)
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
        scaled, scores = (of[truth.head - 1, truth.row] for of in (truth.scores, truth.treated))
        at, config = int(asked.beside("key")), truth.kept.config
        if key == "capped":
            yield from off(given, cap=config.softcap, scaled=scaled[at])
        elif key == "gate":
            yield from off(given, n=truth.sizes[1], score=scores[at])
        elif key == "weight_sink":
            s = np.append(scores, config.sink)
            blur = 1e-6 * (1 + abs(s[np.isfinite(s)]).max())
            below, shown = scores[at] - s.max(), parse_number(str(facts["below"]))
            below = shown if abs(shown - below) <= blur else below
            total = float(np.exp(s - s.max()).sum())
            yield from off(given, below=below, sum=total, score=scores[at], most=float(s.max()), sink=config.sink)
        elif key == "weight":
            total = np.exp(scores - scores.max()).sum()
            below, shown = scores[at] - scores.max(), parse_number(str(facts["below"]))
            blur = 1e-6 * abs(scores).max()  # float32 scores, each rounded by itself
            below = shown if abs(shown - below) <= blur else below
            yield from off(given, below=below, sum=total, score=scores[at], most=scores.max())
        elif key == ("scaled.dot_product_normed" if truth.kept.config.qk_norm else "scaled.dot_product"):
            yield from off(given, factor=truth.factor)
            if truth.factor:
                yield from off(given, product=scaled[at] / truth.factor)
        elif key == "underflow":
            yield from off(given, true=truth.weights[truth.head - 1, truth.row, at])
        else:
            yield f"nobody checks {key}"
        return
    rows, seeing = truth.rows, truth.seeing
    p = truth.weights[asked.line, seeing]
    kind = asked.column.kind
    if key == "mean":
        if kind.startswith("jacobian_norm"):
            yield from of_values(given, "rows", [_norms(truth, asked.line)])
        else:
            of = {"sink_weight": "sunk", "mass": "mass"}.get(kind)
            entropy = rows.entropy[asked.line, seeing]
            values = getattr(rows, of)[asked.line, seeing] if of else entropy
            yield from of_values(given, "rows", [np.exp(entropy) if kind == "effective_keys" else values])
    elif key == "ranked":
        ordered = np.sort((rows.entropy if truth.spread else rows.mass)[asked.line, seeing])
        yield from off(given, rows=ordered.size, value=float(ordered[facts["rank"] - 1]))
    elif key in ("gate", "weight_sink", "underflow"):
        yield from _largest(truth, asked, given)
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


def _norms(truth: Truth, head: int) -> NDArray[np.float64]:
    """The norm of each Jacobian of a head, without its n_k × n_k cells: √Σⱼ (dⱼ pⱼ)² ((1 − pⱼ)² + Σᵢ≠ⱼ pᵢ²)."""
    p, slopes = truth.weights[head, truth.seeing], truth.rows.slopes[head, truth.seeing]
    if not truth.spread:
        x = truth.treated[head, truth.seeing] - math.log(truth.sizes[1])
        return np.sqrt(((slopes * p / (1 + np.exp(x.clip(-700, 700)))) ** 2).sum(-1))
    rest = others(p) + (truth.rows.sunk[head, truth.seeing][:, None] if truth.rows.outcomes else 0.0)
    return np.sqrt(((slopes * p) ** 2 * (rest**2 + others(p**2))).sum(-1))


def _largest(truth: Truth, asked: Cell, given: Reason) -> Iterator[str]:
    """Check the largest weight of a head: a gate, or a weight beside a sink."""
    head, config = asked.line, truth.kept.config
    s, query = truth.treated[head], int(asked.beside("at query"))
    key = int(asked.beside("at key"))
    at = float(s[query, key])
    if given.made.key.endswith("gate"):
        yield from off(given, n=truth.sizes[1], score=at)
    elif given.made.key.endswith("underflow"):
        yield from off(given, true=float(truth.weights[head, query, key]))
    else:
        all_of = np.append(s[query], config.sink)
        most, blur = float(all_of.max()), 1e-6 * (1 + abs(all_of[np.isfinite(all_of)]).max())
        below, shown = at - most, parse_number(str(given.made.facts["below"]))
        below = shown if abs(shown - below) <= blur else below
        yield from off(
            given, below=below, sum=float(np.exp(all_of - most).sum()), score=at, most=most, sink=config.sink
        )


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
        "insight.map_uniform_sunk": _uniform_sunk,
        "insight.map_gates": _gates,
        "insight.map_gates_alike": _gates_alike,
        "insight.map_gates_one": _gates_alike,
        "insight.map_sunk": _sunk,
        "insight.map_sunk_one": _sunk,
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
        "insight.map_repeated_read": _repeated_read,
        "table.map.summary": _map,
        "table.map.gates": _map,
        "table.strips.summary": _strips,
        "table.strips.summary_one": _strips,
        "table.strips.gates": _strips,
        "table.strips.gates_one": _strips,
        "table.strips.sunk": _strip_sunk,
        "table.row.caption": _caption,
        "table.row.summary": _row,
        "table.row.summary_alike": _row,
        "table.row.gates": _row,
        "table.row.gates_alike": _row,
        "table.row.sunk": _row,
        "table.row.sunk_alike": _row,
        "insight.row_masked": _row_masked,
    },
    whole=_whole,
    asked=_asked,
    names=frozenset({"narrow", "wide", "key", "head", "heads", "token", "name"}),
    reason=_reason,
    first=_first,
)
