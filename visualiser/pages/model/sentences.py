"""The sentences of the Model page: what the chosen head does, what the query reads, what footnote 4 says here."""

import math
from collections.abc import Sequence
from html import unescape

import numpy as np

from attention_core.language import NUMBERED
from attention_core.learned import FootnoteFour, LearnedModel, Score
from attention_core.models import PassageLayer
from visualiser.drawing.labels import label
from visualiser.figures import decided_head, layer_origin, row_shares, saying, shown_map, sorted_heads
from visualiser.figures.comparing import largest
from visualiser.figures.read_head import ReadHead, head_name, nothing, unit
from visualiser.figures.windows import in_window
from visualiser.locale.message import Message, message, short
from visualiser.pages.model.change_kinds import Item


def insight(
    shown: ReadHead, model: LearnedModel, footnote: FootnoteFour | None, changes: Sequence[Item] = ()
) -> list[Message]:
    """Give the gist of what the head does, then all sentences. `changes` are those that the model runs with."""
    does, read = behaviour(shown), [reads(shown)]
    parts = row_shares.of_row(shown)
    made = decided_head.said(shown)
    if made is not None:
        does, read = made, [*_without_changes(shown, does), *([] if shown.muted else read)]
    elif parts is not None and shown.allowed[shown.row].any():
        does, read = row_shares.said(shown, parts), [*row_shares.each_picture(parts), does]
    if shown.unnormalised and not shown.scored:
        does = rows_sum(shown)
    found = [does, *read, *shown_map.said(shown), *in_window(shown), *written(shown)]
    if isinstance(shown.attention, PassageLayer):
        found += passage(shown, shown.attention)
    elif not shown.scored:
        found.append(message("model.weights_alone"))
    order = sorting(shown)
    if asked_for(shown):  # what a search found comes first
        found, does = [*order, *found], message(order[0].key, **{**order[0].facts, **_by_name(shown)})
    else:
        found += order
    now = after_change(shown) if shown.changed else []
    if shown.pinned:
        now.append(message("model.pinned" if shown.changed else "model.pinned_same"))
    if changes:
        now.append(message("model.changed", count=len(changes)))
    found, does = [*now, *found], now[0] if shown.changed else does
    found += numbered_words(shown)
    if shown.costs is not None:
        found.append(shown.costs.said())
    if (left_out := without_encoder(shown)) is not None:
        found.append(left_out)
    if shown.layer in model.positional and not _takes_weights(shown, changes):
        found.append(message("model.positional", layer=shown.layer))
    found += layer_origin.said(shown)
    found += [] if footnote is None else [of_footnote(footnote)]
    return [short(does), *found]


def _without_changes(shown: ReadHead, does: Message) -> list[Message]:
    """Say what a head does for which a change decides: over the corpus without the change, over this input with it.

    A muted head does nothing here.
    """
    if shown.corpus:
        return [message("model.as_trained", said=does)]
    return [] if shown.muted else [does]


def _takes_weights(shown: ReadHead, changes: Sequence[Item]) -> bool:
    """Return True if heads of the layer have the weights of others, which may read words."""
    return any(one.kind == "replace" and one.layer == shown.layer for one in changes)


def after_change(shown: ReadHead) -> list[Message]:
    """Say what of the model's words changed most, and which head without a change of its own reads elsewhere."""
    return [*saying.changed_said(shown), *saying.moved_said(shown)]


def numbered_words(shown: ReadHead) -> list[Message]:
    """Say what a numbered word among the outcomes is: one that the shipped model's vocabulary lacks."""
    found = next((one for one in saying.outcomes(shown) if one.name in NUMBERED), None)
    if found is None:
        return []
    number = NUMBERED.index(found.name) + 1
    return [message("says.numbered", name=saying.said_name(found), number=number)]


def behaviour(shown: ReadHead) -> Message:
    """Say what the head does over what the measures are taken over, or without a label which measure is largest.

    A share of some rows is never told as one of all weight: the sentence says of how many rows it is a mean.
    """
    if shown.run.crosses(shown.layer):
        return _across(shown)
    at = shown.layer, shown.head
    labels = shown.labels.get(at, ())
    if labels:
        name, _ = labels[0]
        there, here = shown.over_corpus(name, *at), shown.score(name, *at)
        facts = {"head": shown.called, "behaviour": message(f"model.behaviour.{name}")}
        if shown.corpus:
            return message("model.does_every" if there.everywhere else "model.does", **facts, **_facts(there))
        if math.isnan(here.value):
            return message("model.does_elsewhere", **facts, **_facts(there))
        key = "model.does_text_every" if here.everywhere and there.everywhere else "model.does_text"
        return message(key, **facts, **_facts(here), corpus=there.value)
    names = [name for name in shown.measures if unit(name) == "share"]
    best = largest([shown.measured(name, *at) for name in names])
    if best is None:
        return message("model.unmeasured", head=shown.called)
    if shown.corpus:
        key = "model.no_label_corpus"
    else:
        key = "model.no_label_text" if shown.is_measured else "model.not_measured"
    return message(
        key,
        head=shown.called,
        measure=message(f"measure.{names[best]}"),
        **_facts(shown.score(names[best], *at)),
    )


def _facts(score: Score) -> dict[str, float]:
    """Return the facts of a score for a sentence."""
    return {"score": score.value, "chance": score.chance, "rows": score.rows, "of": score.of}


def _across(shown: ReadHead) -> Message:
    """Say in which order a head of cross-attention reads the source, and what it gives to the end of it."""
    order, end = (shown.score(name, shown.layer, shown.head) for name in ("monotone", "end"))
    if not (math.isfinite(order.value) and math.isfinite(end.value)):
        return message("model.unmeasured", head=shown.called)
    facts = {"monotone": order.value, "end": end.value, "chance": end.chance, "rows": end.rows}
    return message("model.across_corpus" if shown.corpus else "model.across_text", head=shown.called, **facts)


def reads(shown: ReadHead) -> Message:
    """Say what the chosen query reads most."""
    weights = shown.weights[shown.row]
    if not shown.allowed[shown.row].any():
        return message("model.reads_nothing", query=shown.number(shown.row), head=shown.called)
    if shown.reads_none:
        return nothing(shown)
    best, count = shown.most_read
    facts = {"head": shown.called, "query": shown.said_query(shown.row), "weight": float(weights[best])}
    facts |= {"count": count} if count > 1 else {"key": shown.said_key(best)}
    tied = "_tied" if count > 1 else ""
    if shown.sink is not None and shown.sink[shown.row] > weights[best]:
        return message(f"model.reads_sink{tied}", **facts, sink=float(shown.sink[shown.row]))
    return message(f"model.reads{tied}", **facts)


def sorting(shown: ReadHead) -> list[Message]:
    """Say what sorts the heads, which has most of it, and how many are shown; nothing for all as the model has them."""
    query, key = shown.said_query(shown.row), shown.said_key(shown.key)
    return sorted_heads.said(shown.sorted_heads, query, key, shown.corpus, (shown.layer, shown.head))


def asked_for(shown: ReadHead) -> bool:
    """Return True if heads are looked for: by the weight of a key, or by the least of a measure."""
    return shown.rules.finds or shown.rules.sort == sorted_heads.WEIGHT


def _by_name(shown: ReadHead) -> dict[str, str | Message]:
    """Return what the gist of an order calls the query and the key: by their tokens alone, if they have any."""
    named = {"query": (shown.queries, shown.row), "key": (shown.keys, shown.key)}
    return {
        name: message(f"model.sorted.{name}")
        if line is None or line.is_picture or line.seconds
        else f"“{unescape(label(line.tokens[at]))}”"
        for name, (line, at) in named.items()
    }


def written(shown: ReadHead) -> list[Message]:
    """Say which tokens the model wrote itself; nothing if it wrote none."""
    line = next((line for line in shown.run.lines if line.written), None)
    return [] if line is None else [message("model.wrote", first=line.written, last=len(line) - 1)]


def rows_sum(shown: ReadHead) -> Message:
    """Say what the rows of weights that were handed over add up to, if it is not 1."""
    sums = shown.weights.sum(-1, dtype=np.float64)
    sparse = isinstance(shown.attention, PassageLayer)
    return message(
        "model.rows_sparse" if sparse else "model.rows_sum",
        head=shown.called,
        least=float(sums.min()),
        most=float(sums.max()),
    )


def passage(shown: ReadHead, layer: PassageLayer) -> list[Message]:
    """Say which passage of a head's file of HeadVis the chosen layer is, and what such a file cannot tell."""
    where = {"interval": str(layer.interval), "id": str(layer.id), "count": len(shown.run.layers)}
    total = float(shown.weights[shown.row].sum(dtype=np.float64))
    row = [] if shown.reads_none else [message("model.passage_row", sum=total, query=shown.said_query(shown.row))]
    return [
        *row,
        message("model.passage", name=shown.name, head=layer.head or "?", passage=shown.layer, **where),
        message("model.passage_alone"),
    ]


def without_encoder(shown: ReadHead) -> Message | None:
    """Say that the encoder's own layers are not there, if it reads too much for them to be kept."""
    parts = {name for name, _, _ in shown.run.parts}
    if not parts or "encoder" in parts:
        return None
    return message("model.without_encoder", positions=len(shown.run.lines[0]))


def of_footnote(found: FootnoteFour) -> Message:
    """Answer if footnote 4 holds for learned heads: in how many the variance of q · k is about d_k."""
    where = head_name(found.layer, found.head)
    return message(
        "model.footnote", near=found.near, heads=found.heads, median=found.median, largest=found.largest, where=where
    )
