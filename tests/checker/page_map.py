"""The Map's sentences against the weights of scale · QKᵀ in float64: heads, sinks, a phrase's diagonals, a row."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final
from urllib.parse import quote

import numpy as np
import torch

from attention_core import AttentionInputs, attention_statistics
from attention_core.learned import shipped_model
from tests.checker.checking import Page
from tests.checker.map_claims import CLAIMS
from tests.checker.map_reasons import SAID, cell, reason
from tests.checker.map_truth import SINK, Truth
from visualiser.figures.mapped import Mapped
from visualiser.figures.plots.row import caption
from visualiser.listed_statistics import ROW_FACTS, of_rows
from visualiser.locale.message import Message
from visualiser.maps.facts import facts, seeing
from visualiser.maps.geometry import options
from visualiser.maps.kept import BINS, Kept
from visualiser.pages.map import OF_MAP, OF_ROW, reasons, rows, sentences
from visualiser.pages.map.sequence import subject
from visualiser.reasons.explained import How, Reason
from visualiser.server.live.page_request import PageRequest
from visualiser.state.view import View
from visualiser.tables import Table
from visualiser.upload import canonical

WORDS: Final = ("the", "cat", "sat", "on", "a", "mat", "고양이", "7")


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


def _first(link: str) -> Sequence[Message]:
    return sentences.insight(facts(_kept(link)[0]))[:1]


def _whole(truth: Truth, sentences: Sequence[Message]) -> Iterator[str]:
    """Ask for every sink and for the phrase, unless the weights are uniform."""
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
    of_row = [Message(SAID, {each.name: opened.statistics[each.name]}) for each in of_rows(kept.config, ROW_FACTS)]

    def explained(sentence: Message, name: str, place: int) -> Reason | None:
        return reasons.of_row(opened, name) if sentence.key == SAID else how(sentence, name, place)

    return [*sentences.insight(known), *of_row], explained


def _tables(link: str) -> dict[str, Table]:
    kept, head, row = _kept(link)
    found = {each.name: each.table(Mapped(kept), View()) for each in OF_MAP} if seeing(kept).any() else {}
    return {**found, **{each.name: each.table(rows.row_of(kept, head, row), View()) for each in OF_ROW}}


PAGE: Final = Page(
    tables=_tables,
    cell=cell,
    link=link,
    sentences=sentences_of,
    truth=truth,
    claims=CLAIMS,
    whole=_whole,
    asked=_asked,
    names=frozenset({"narrow", "wide", "key", "head", "heads", "token", "name"}),
    reason=reason,
    first=_first,
)
