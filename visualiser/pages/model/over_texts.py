"""The page of one head: where it is strongest over many texts, what it joins there, and its measures beside all."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from attention_core.cached import cached_property
from attention_core.learned import HEAD_MEASURES, Given, Score
from attention_core.learned.head_texts import DISTANCES, Joined, Passage, Reads, TextReading
from attention_core.learned.over_corpus import measures_over
from visualiser import models
from visualiser.figures.read_head import head_name, measure_name
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.models.run_work import sizes_of
from visualiser.pages.model.wire_lines import line_tree
from visualiser.reasons import of_learned
from visualiser.reasons.explained import Reason, explained
from visualiser.reasons.table import Why, from_table
from visualiser.server.admission.cost import SMALL, Cost
from visualiser.server.live import parts
from visualiser.server.live.page_request import PageRequest

MOST_JOINED: Final = 12
"""Tokens and pairs of each list."""

_SORTED: Final = measures_over(None)
"""The measures of which each passage has a score: the others are taken over one kind of document."""


@dataclass(frozen=True, eq=False)
class Told:
    """What the sentences speak of: a reading, a head of it from 1, and the measure by which its passages are sorted."""

    reading: TextReading
    layer: int
    head: int
    by: str

    @property
    def score(self) -> Score:
        """The measure of the head over all passages."""
        return self.reading.measures.score(self.by, self.layer, self.head)

    @cached_property
    def joined(self) -> Joined:
        """What the head joins."""
        return self.reading.joined(self.layer, self.head, MOST_JOINED)


def head(request: PageRequest) -> Iterator[bytes]:
    """Yield the page of the link's head; before its texts are read with the model, that they have to be."""
    state = request.reading.state
    name, texts = state.config.model, str(state.own["texts"])
    if state.own["predict"]:  # it could answer what is asked
        yield parts.failure(text(state.lang, "predict.files_wait"))
        return
    choices = models.offered_texts(name)
    found: dict[str, Any] = {
        "model": name,
        "texts": texts,
        "choices": [[one, _texts_name(state.lang, one)] for one in choices],
    }
    if texts not in choices:
        named = ", ".join(label for _, label in found["choices"])
        problem = text(state.lang, "error.unknown_texts", value=name, choices=named or "–")
        yield parts.values("head", {**found, "problem": problem, "read": False}, parts.Structures(request.known))
        return
    reading = models.text_reading(name, texts)
    if reading is None:
        yield parts.values("head", {**found, "problem": "", "read": False}, parts.Structures(request.known))
        return
    told = _told(request, reading)
    told_of = sentences(told, state.lang, texts)
    if state.own["changes"]:
        told_of.append(message("head.as_it_is"))
    said = explained(told_of, state.lang, from_table(TABLE, told))
    tree = {**found, "problem": "", "read": True, "said": said, **_values(told, state.lang)}
    yield parts.values("head", tree, parts.Structures(request.known))


def passage(request: PageRequest) -> Iterator[bytes]:
    """Yield a passage of the page as the model reads it, with the weights of the head: NaN where the mask forbids."""
    found = _passage(request)
    if found is None or request.reading.state.own["predict"]:
        yield parts.failure(text(request.lang, "error.passage_gone"))
        return
    told, one = found
    run = models.find(request.reading.state.config.model).run(one.text)
    layer = run.layers[told.layer - 1]
    weights = layer.weights[told.head - 1].float().numpy()
    allowed = layer.allowed[told.head - 1].numpy()
    shown = np.where(allowed, weights, np.nan).astype(np.float32)
    tree = {"line": line_tree(run.lines[0]), "weights": shown, "shape": list(shown.shape)}
    yield parts.values("passage", tree, parts.Structures(request.known))


def passage_price(request: PageRequest) -> Cost:
    """Return the cost of running the model over a passage."""
    found = _passage(request)
    model = models.known(request.reading.state.config.model)
    if found is None or model is None:
        return SMALL
    needed = models.work(sizes_of(model, model.positions(Given(found[1].text))))
    return Cost(needed.seconds, needed.memory, needed.multiply_adds)


def _passage(request: PageRequest) -> tuple[Told, Passage] | None:
    """Return the passage that a request names by its list and its place; None if it is not there, or no longer."""
    state, extra = request.reading.state, request.extra
    reading = models.text_reading(state.config.model, str(state.own["texts"]))
    place, band = extra.get("place"), extra.get("band")
    if reading is None or type(place) is not int or not (band is None or type(band) is int):
        return None
    told = _told(request, reading)
    at = told.by, told.layer, told.head
    lists = (reading.strongest(*at),) if band is None else reading.bands(*at)
    listed = lists[band or 0] if 0 <= (band or 0) < len(lists) else ()
    return (told, listed[place]) if 0 <= place < len(listed) else None


def _told(request: PageRequest, reading: TextReading) -> Told:
    """Return what is shown of a reading: a layer or head that the model lacks becomes the last one."""
    state = request.reading.state
    layers, h = reading.measures.scores["entropy"].shape
    layer, head, by = min(state.config.layer, layers), min(max(1, state.view.head), h), str(state.own["by"])
    known = _known(reading)
    return Told(reading, layer, head, by if by in known else _furthest(reading, known, layer, head))


def _known(reading: TextReading) -> list[str]:
    """Return the measures that some head has over the texts."""
    scores = reading.measures.scores
    return [name for name, values in scores.items() if name in _SORTED and bool(values.isfinite().any())]


def _furthest(reading: TextReading, names: Sequence[str], layer: int, head: int) -> str:
    """Return what a head's first label over the texts is, or without one the measure furthest above its chance."""
    labels = [label.measure for label in reading.measures.labels[layer - 1][head - 1] if label.measure in names]
    if labels:
        return labels[0]
    scores = {name: reading.measures.score(name, layer, head) for name in names}
    above = {name: (one.value - one.chance) / (1 - one.chance) for name, one in scores.items() if one.chance < 1}
    return max((name for name in above if not math.isnan(above[name])), key=above.__getitem__, default=names[0])


def _values(told: Told, lang: str) -> dict[str, Any]:
    """Return what the page's script draws."""
    reading, layer, at = told.reading, told.layer, (told.by, told.layer, told.head)
    joined = told.joined
    scores = reading.measures.scores
    layers, h = scores["entropy"].shape
    return {
        "layer": layer,
        "head": told.head,
        "layers": layers,
        "h": h,
        "by": told.by,
        "measures": [_measure(told, name, lang) for name in _known(told.reading)],
        "strongest": [_passage_tree(one) for one in reading.strongest(*at)],
        "bands": [[_passage_tree(one) for one in band] for band in reading.bands(*at)],
        "keys": [_reads(reading, one, joined) for one in joined.keys],
        "queries": [_reads(reading, one, joined) for one in joined.queries],
        "pairs": [
            {"query": _token(reading, one.query), "key": _token(reading, one.key), "rows": one.rows, "p": one.p}
            for one in joined.pairs
        ],
        "sampled": reading.sampled,
        "counted": joined.rows - joined.on_first,
        "distances": _distances(joined),
    }


def _measure(told: Told, name: str, lang: str) -> dict[str, Any]:
    """Return a measure of the head with its rows and its chance, and that of all heads, layer by layer."""
    score = told.reading.measures.score(name, told.layer, told.head)
    values = told.reading.measures.scores[name]
    return {
        "name": name,
        "label": measure_name(lang, name),
        "value": _number(score.value),
        "chance": _number(score.chance),
        "rows": score.rows,
        "of": score.of,
        "more": int((values > score.value).sum()),
        "all": values.flatten().float().numpy(),
        "is_label": score.is_label,
        "unit": HEAD_MEASURES[name].unit if name in HEAD_MEASURES else "share",
    }


def _passage_tree(one: Passage) -> dict[str, Any]:
    return {"text": one.text, "score": one.score, "rows": one.rows}


def _reads(reading: TextReading, one: Reads, joined: Joined) -> dict[str, Any]:
    """Return a token with how many of the counted rows it has, and how often it stands in the texts."""
    return {"token": _token(reading, one.id), "rows": one.rows, "of": one.of, "tokens": joined.tokens, "p": one.p}


def _token(reading: TextReading, number: int) -> str:
    return reading.names[number]


def _distances(joined: Joined) -> dict[str, Any]:
    """Return the histogram of |q − k| as far as any row has keys."""
    last = max((place for place, share in enumerate(joined.even) if share > 0), default=0) + 1
    return {
        "begins": list(DISTANCES[: last + 1]),
        "share": np.array(joined.distances[:last], dtype=np.float32),
        "even": np.array(joined.even[:last], dtype=np.float32),
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _texts_name(lang: str, texts: str) -> str:
    """Return what texts are called; a file of the owner has its own name."""
    known = ("english", "korean", models.MANUAL, models.SYNTHETIC)
    return text(lang, f"texts.{texts}") if texts in known else texts


def sentences(told: Told, lang: str, texts: str) -> list[Message]:
    """Say what the head's measure is over the texts beside all heads, then what was read and what it joins."""
    reading, score, joined = told.reading, told.score, told.joined
    values = reading.measures.scores[told.by]
    facts = {
        "head": head_name(told.layer, told.head),
        "measure": message(f"measure.{told.by}"),
        "texts": _texts_name(lang, texts),
    }
    if math.isnan(score.value):
        found = [message("head.unmeasured", **facts)]
    else:
        known = int(values.isfinite().sum())
        counts = {"score": score.value, "rows": score.rows, "of": score.of}
        beside = {"more": int((values > score.value).sum()), "heads": known - 1}
        if math.isnan(score.chance):
            found = [message("head.measured", **facts, **counts, **beside)]
        else:
            found = [message("head.measured_chance", **facts, **counts, **beside, chance=score.chance)]
    read = {"documents": reading.measures.documents, "tokens": joined.tokens}
    found.append(message("head.read", **read))
    if reading.cut:
        found.append(message("head.cut", cut=reading.cut, documents=reading.measures.documents))
    if joined.rows:
        found.append(message("head.on_first", head=facts["head"], rows=joined.rows, on_first=joined.on_first))
    if joined.missed:
        found.append(message("head.missed", missed=joined.missed))
    return found


def _score(told: Told, sentence: Message) -> Reason:
    return Reason(
        of_learned.MEASURES[told.by], message("reason.made.head_mean", value=told.score.value, rows=told.score.rows)
    )


def _chance(told: Told, sentence: Message) -> Reason:
    return Reason(of_learned.MEASURES[told.by], of_learned.chance(told.score))


def _counted(key: str) -> Why[Told]:
    """Return what explains a number that is counted."""
    return lambda told, sentence: Reason("counted", message(f"reason.made.{key}"))


_ROWS: Final[Mapping[str, Why[Told]]] = {
    "score": _score,
    "chance": _chance,
    "rows": _counted("learned_rows"),
    "of": _counted("learned_all_rows"),
    "more": _counted("head_more"),
    "heads": _counted("head_others"),
}

TABLE: Final[Mapping[str, Mapping[str, Why[Told]]]] = {
    "head.measured": _ROWS,
    "head.measured_chance": _ROWS,
    "head.read": {"documents": _counted("head_documents"), "tokens": _counted("head_tokens")},
    "head.cut": {"cut": _counted("head_cut"), "documents": _counted("head_documents")},
    "head.on_first": {"rows": _counted("head_rows"), "on_first": _counted("head_on_first")},
    "head.missed": {"missed": _counted("head_missed")},
}
