"""Where the numbers of the Model page's sentences come from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from visualiser.figures import row_shares, shown_map, weights_of_row
from visualiser.figures.read_head import ReadHead, moments
from visualiser.figures.shown_map import SHOWS
from visualiser.figures.sorted_heads import WEIGHT
from visualiser.locale.message import Message, message
from visualiser.reasons import of_learned
from visualiser.reasons.explained import How, Reason
from visualiser.reasons.of_saying import SAYING
from visualiser.reasons.table import Why, from_table


@dataclass(frozen=True, eq=False)
class Told:
    """What the page's sentences speak of: a head over a text, and the variances of all heads there."""

    shown: ReadHead
    ratios: tuple[float, ...]


def _measured(told: Told, name: str) -> Reason:
    shown = told.shown
    return Reason(shown.kind(name), shown.made(name, shown.layer, shown.head))


def _behaviour(sentence: Message) -> str:
    """Return the measure that a sentence speaks of; of cross-attention that of the end of the source."""
    named = sentence.facts.get("behaviour", sentence.facts.get("measure"))
    return named.key.rpartition(".")[2] if isinstance(named, Message) else "end"


def _labelled(told: Told, sentence: Message) -> Reason:
    """Explain the score of a label: it is measured over the corpus."""
    name = _behaviour(sentence)
    score = told.shown.over_corpus(name, told.shown.layer, told.shown.head)
    return Reason(of_learned.MEASURES[name], of_learned.measure(name, score, corpus=True))


def _previous(told: Told, sentence: Message) -> Reason:
    """Explain the score of the head that a question asked for."""
    layer, head = map(int, sentence.facts["head"].split("."))
    score = told.shown.over_corpus("previous_token", layer, head)
    return Reason(of_learned.MEASURES["previous_token"], of_learned.measure("previous_token", score, corpus=True))


def _here(told: Told, sentence: Message) -> Reason:
    """Explain what this text gives of what the head does over the corpus."""
    return _measured(told, _behaviour(sentence))


def _of_chance(told: Told, sentence: Message) -> Reason:
    """Explain the chance beside a score: over the corpus, or over this text."""
    shown, name = told.shown, _behaviour(sentence)
    over_corpus = shown.corpus or sentence.key.endswith("model.does_elsewhere")
    score = (shown.over_corpus if over_corpus else shown.score)(name, shown.layer, shown.head)
    return Reason(of_learned.MEASURES[name], of_learned.chance(score))


def _labelled_heads(told: Told, sentence: Message) -> Reason:
    return Reason("counted", message("reason.made.learned_labels"))


def _rows(told: Told, sentence: Message) -> Reason:
    return Reason("counted", message("reason.made.learned_rows"))


def _all_rows(told: Told, sentence: Message) -> Reason:
    return Reason("counted", message("reason.made.learned_all_rows"))


def _named(name: str) -> Why[Told]:
    """Return what explains a measure by its name."""
    return lambda told, sentence: _measured(told, name)


def _across(told: Told, sentence: Message) -> Reason:
    return _measured(told, told.shown.axes[0])


def _upwards(told: Told, sentence: Message) -> Reason:
    return _measured(told, told.shown.axes[1])


def _weight(told: Told, sentence: Message) -> Reason:
    shown = told.shown
    best = int(np.argmax(shown.weights[shown.row]))
    return weights_of_row.reason(shown, best)


def _shown_most(told: Told, sentence: Message) -> Reason | None:
    return shown_map.most_reason(told.shown)


def _shown_tied(told: Told, sentence: Message) -> Reason:
    facts = {"count": int(sentence.facts["count"]), "most": float(sentence.facts["value"])}
    return Reason("counted", message("reason.made.alike_shown", **facts))


def _empty(told: Told, sentence: Message) -> Reason:
    return Reason("counted", message("reason.made.rows_empty"))


def _sink(told: Told, sentence: Message) -> Reason:
    return weights_of_row.reason(told.shown, None)


def _share(told: Told, sentence: Message, name: str) -> Reason:
    value = float(sentence.facts["share" if name == "picture" else name])
    return Reason("row_share", message("reason.made.row_share", value=value))


def _of_pictures(told: Told, sentence: Message) -> Reason:
    return _share(told, sentence, "picture")


def _of_text(told: Told, sentence: Message) -> Reason:
    return _share(told, sentence, "text")


def _of_first(told: Told, sentence: Message) -> Reason | None:
    return _of_key(told, 0)


def _of_patch(told: Told, sentence: Message) -> Reason | None:
    parts = row_shares.of_row(told.shown)
    if parts is None or parts.most is None:
        return None
    return _of_key(told, parts.most)


def _of_key(told: Told, key: int) -> Reason | None:
    shown = told.shown
    if not shown.allowed[shown.row, key]:
        return None
    return weights_of_row.reason(shown, key)


def _mean_share(told: Told, sentence: Message) -> Reason:
    layer, value = int(sentence.facts["layer"]), float(sentence.facts["share"])
    return Reason("row_share", row_shares.mean_share(told.shown, layer - 1, value))


def _of_model(told: Told, sentence: Message) -> Reason:
    return Reason("counted", message("reason.made.model_size"))


def _tokens(told: Told, sentence: Message) -> Reason:
    return Reason("n", message("reason.made.model_tokens"))


def _sounds(told: Told, sentence: Message) -> Reason:
    return Reason("counted", message("reason.made.model_moments", seconds=told.shown.run.lines[0].seconds))


def _mask(told: Told, sentence: Message) -> Reason:
    n_q, n_k = told.shown.weights.shape
    return Reason("counted", message("reason.made.mask", n_q=n_q, n_k=n_k))


def _keys(told: Told, sentence: Message) -> Reason:
    n_k = told.shown.weights.shape[1]
    return Reason("keys", message("reason.made.keys_of_row", n_k=n_k, value=int(sentence.facts["keys"])))


def _score(told: Told, sentence: Message) -> Reason | None:
    made = of_learned.score(told.shown.attention, told.shown.why)
    return made and Reason("score", made)


def _terms(told: Told, sentence: Message) -> Reason | None:
    Q = told.shown.attention.Q
    return None if Q is None else Reason("counted", message("reason.made.learned_terms", d_k=Q.shape[-1]))


def _mean(told: Told, sentence: Message) -> Reason:
    return Reason("score_mean", of_learned.score_mean(moments(told.shown)[0], told.shown.cells))


def _variance(told: Told, sentence: Message) -> Reason:
    mean, variance = moments(told.shown)
    return Reason("score_variance", of_learned.score_variance(variance, mean, told.shown.cells))


def _entropy(told: Told, sentence: Message) -> Reason:
    shown, value = told.shown, float(sentence.facts["entropy"])
    return of_learned.mean_entropy(shown.entropy[np.isfinite(shown.entropy)], value, shown.sink is not None)


def _ceiling(told: Told, sentence: Message) -> Reason:
    shown, value = told.shown, float(sentence.facts["ceiling"])
    return of_learned.mean_ceiling(shown.allowed[np.isfinite(shown.entropy)].sum(-1), shown.sink is not None, value)


def _near(told: Told, sentence: Message) -> Reason:
    return Reason("counted", message("reason.made.learned_near"))


def _with_variance(told: Told, sentence: Message) -> Reason:
    return Reason("counted", message("reason.made.learned_heads"))


def _median(told: Told, sentence: Message) -> Reason:
    return Reason("variance_ratio", of_learned.median(told.ratios, float(sentence.facts["median"])))


def _largest(told: Told, sentence: Message) -> Reason:
    facts = {"heads": len(told.ratios), "value": float(sentence.facts["largest"])}
    return Reason("variance_ratio", message("reason.made.learned_largest", **facts))


def _changes(told: Told, sentence: Message) -> Reason:
    return Reason("counted", message("reason.made.changes"))


def _alike(told: Told, sentence: Message) -> Reason:
    weight = float(told.shown.weights[told.shown.row].max())
    return Reason("counted", message("reason.made.alike", count=int(sentence.facts["count"]), weight=weight))


def _first(told: Told, sentence: Message) -> Reason:
    """Explain the largest value of what sorts the heads."""
    shown, found = told.shown, told.shown.sorted_heads
    if found.rules.sort == WEIGHT:
        return Reason("given_weight", message("reason.made.weight_here", value=float(sentence.facts["value"])))
    layer, head = found.heads[found.first[0]]
    return Reason(shown.kind(found.rules.sort), shown.made(found.rules.sort, layer, head))


def _chance_of_first(told: Told, sentence: Message) -> Reason:
    found = told.shown.sorted_heads
    return Reason(of_learned.MEASURES[found.rules.sort], of_learned.chance(found.scores[found.first[0]]))


def _counted_heads(told: Told, sentence: Message) -> Reason:
    return Reason("counted", message("reason.made.heads_counted"))


_SORTED: Final[Mapping[str, Why[Told]]] = {
    "value": _first,
    "chance": _chance_of_first,
    "rows": _rows,
    "of": _all_rows,
    "count": _counted_heads,
    "heads": _of_model,
}

_READ: Final[Mapping[str, Why[Told]]] = {"weight": _weight, "n_q": _mask, "n_k": _mask, "keys": _keys, "count": _alike}

_ROWS: Final[Mapping[str, Why[Told]]] = {"chance": _of_chance, "rows": _rows, "of": _all_rows}

_PICTURED: Final[Mapping[str, Why[Told]]] = {
    "share": _of_pictures,
    "first": _of_first,
    "text": _of_text,
    "weight": _of_patch,
}

TABLE: Final[Mapping[str, Mapping[str, Why[Told]]]] = {
    **SAYING,
    "model.reads_picture": _PICTURED,
    "model.reads_pictures": _PICTURED,
    "model.reads_no_patch": _PICTURED,
    "model.picture_gets": {"share": _of_pictures},
    "table.reads_by_layer.summary": {"share": _mean_share},
    "model.does": {"score": _labelled, **_ROWS},
    "model.does_every": {"score": _labelled, **_ROWS},
    "model.does_text": {"score": _here, "corpus": _labelled, **_ROWS},
    "model.does_text_every": {"score": _here, "corpus": _labelled, **_ROWS},
    "model.does_elsewhere": {"score": _labelled, **_ROWS},
    "model.no_label_corpus": {"score": _here, **_ROWS},
    "model.no_label_text": {"score": _here, **_ROWS},
    "model.not_measured": {"score": _here, **_ROWS},
    "model.across_corpus": {"monotone": _named("monotone"), "end": _named("end"), **_ROWS},
    "model.across_text": {"monotone": _named("monotone"), "end": _named("end"), **_ROWS},
    "model.reads": {"weight": _weight},
    "model.sorted.": _SORTED,
    "brief.model_heads": _SORTED,
    **{
        f"patching.{name}": {**SAYING.get(f"patching.{name}", {}), "heads": _of_model}
        for name in ("noise", "denoise", "unseen", "same")
    },
    **{f"model.shows.{name}": {"value": _shown_most} for name in SHOWS[1:]},
    **{f"model.shows.{name}_tied": {"value": _shown_most, "count": _shown_tied} for name in SHOWS[1:]},
    "model.rows_empty": {"count": _empty},
    "model.changed": {"count": _changes},
    "model.reads_sink": {"weight": _weight, "sink": _sink},
    "model.reads_tied": {"weight": _weight, "count": _alike},
    "model.reads_sink_tied": {"weight": _weight, "sink": _sink, "count": _alike},
    "model.without_encoder": {"positions": _sounds},
    "model.footnote": {"near": _near, "heads": _with_variance, "median": _median, "largest": _largest},
    "table.model_heads.": {"layers": _of_model, "heads": _of_model, "n": _tokens, "count": _labelled_heads},
    "model.labelled_more": {"more": _labelled_heads},
    "table.head_scatter.summary": {"heads": _of_model, "of_x": _across, "of_y": _upwards},
    "table.head_map.summary": _READ,
    "table.head_map.tied": _READ,
    "table.head_row.summary": _READ,
    "table.head_row.tied": _READ,
    "table.head_picture.summary": _READ,
    "table.head_picture.tied": _READ,
    "table.why_key.summary": {"score": _score, "count": _terms},
    "table.head_scores.summary": {"mean": _mean, "variance": _variance},
    "table.head_entropy.summary": {"entropy": _entropy, "ceiling": _ceiling},
    "brief.why_key.score": {"score": _score},
    "model.unused_score": {"score": _score},
    "brief.scores_unused": {"variance": _variance},
    "brief.score_distribution": {"variance": _variance},
    "brief.entropy": {"entropy": _entropy, "ceiling": _ceiling},
    "predict.model_previous.because": {"score": _previous},
    "predict.model_key.because": {"weight": _weight},
}


def reasons(told: Told) -> How:
    """Return where the facts of the sentences come from."""
    return from_table(TABLE, told)


def of_files(sentence: Message, name: str, place: int) -> Reason | None:
    """Return where the size of a model comes from that is not loaded yet, or not fetched."""
    if name == "to_fetch":
        return Reason("model_files", message("reason.made.hub_files"))
    made = "learned_files" if sentence.key == "model.unloaded" else "hub_memory"
    return Reason("model_memory", message(f"reason.made.{made}")) if name == "megabytes" else None
