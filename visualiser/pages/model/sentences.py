"""The sentences of the Model page: what the chosen head does, what the query reads, what footnote 4 says here."""

import math

import numpy as np

from attention_core.learned import HEAD_MEASURES, FootnoteFour, LearnedModel
from visualiser.figures.read_head import ReadHead, head_name
from visualiser.locale.message import Message, message, short

SHARES = tuple(name for name, measure in HEAD_MEASURES.items() if measure.unit == "share")
"""Measures that are a share of weight, of which one can be a head's label."""


def insight(shown: ReadHead, model: LearnedModel, footnote: FootnoteFour | None) -> list[Message]:
    """Give the gist of what the head does, then all sentences."""
    does = behaviour(shown)
    found = [does, reads(shown)]
    if shown.layer in model.positional:
        found.append(message("model.positional", layer=shown.layer))
    found += [] if footnote is None else [of_footnote(footnote)]
    return [short(does), *found]


def behaviour(shown: ReadHead) -> Message:
    """Say what the head does over what the measures are taken over, or which share is its largest without a label."""
    labels = shown.labels.get((shown.layer, shown.head), ())
    if labels:
        name, score = labels[0]
        facts = {"head": shown.name, "behaviour": message(f"model.behaviour.{name}")}
        if shown.corpus:
            return message("model.does", **facts, score=score)
        here = shown.measured(name, shown.layer, shown.head) if name in shown.measures else math.nan
        if math.isnan(here):
            return message("model.does_elsewhere", **facts, score=score)
        return message("model.does_text", **facts, score=here, corpus=score)
    found = {name: shown.measured(name, shown.layer, shown.head) for name in SHARES}
    there = {name: value for name, value in found.items() if math.isfinite(value)}
    if not there:
        return message("model.unmeasured", head=shown.name)
    best = max(there, key=lambda name: there[name])
    return message(
        "model.no_label_corpus" if shown.corpus else "model.no_label_text",
        head=shown.name,
        measure=message(f"measure.{best}"),
        score=there[best],
    )


def reads(shown: ReadHead) -> Message:
    """Say what the chosen query reads most."""
    weights = shown.weights[shown.row]
    if not shown.allowed[shown.row].any():
        return message("model.reads_nothing", query=shown.row, head=shown.name)
    best = int(np.argmax(weights))
    facts = {
        "head": shown.name,
        "query": shown.said(shown.row),
        "key": shown.said(best),
        "weight": float(weights[best]),
    }
    if shown.sink is not None and shown.sink[shown.row] > weights[best]:
        return message("model.reads_sink", **facts, sink=float(shown.sink[shown.row]))
    return message("model.reads", **facts)


def of_footnote(found: FootnoteFour) -> Message:
    """Answer if footnote 4 holds for learned heads: in how many the variance of q · k is about d_k."""
    where = head_name(found.layer, found.head)
    return message(
        "model.footnote", near=found.near, heads=found.heads, median=found.median, largest=found.largest, where=where
    )
