"""What is true of a head for which a change decides: a muted, uniform, replaced or constant one uses no score.

The scores themselves are still there: they are the products of its queries and keys.
"""

from typing import Final

from attention_core.changes import Change, Mean, Mute, Replace, Uniform
from visualiser.figures.read_head import ReadHead, head_name
from visualiser.locale.message import Message, message

_WORDS: Final[dict[type[Change], tuple[str, str]]] = {
    Mute: ("model.muted", "model.label_muted"),
    Uniform: ("model.uniform", "model.label_uniform"),
    Replace: ("model.replace", "model.label_replace"),
    Mean: ("model.mean", "model.label_mean"),
}
"""What is said of such a head, and what stands on its map."""


def label(shown: ReadHead, layer: int, head: int) -> Message | None:
    """Return what stands on the map of a head, from 1, for which a change decides; None for any other."""
    change = shown.decided.get((layer, head))
    return None if change is None else message(_WORDS[type(change)][1], **_other(change))


def said(shown: ReadHead) -> Message | None:
    """Say what a change made of the chosen head; None for a head that follows its scores."""
    change = shown.decided.get((shown.layer, shown.head))
    return None if change is None else message(_WORDS[type(change)][0], head=shown.called, **_other(change))


def unused_score(shown: ReadHead) -> list[Message]:
    """Say what a change made of the chosen head, what its score still is, and the way back; nothing without one."""
    found = said(shown)
    if found is None:
        return []
    there = shown.why is not None and not shown.why.forbidden
    facts = {"query": shown.number(shown.row), "key": shown.number(shown.key)}
    score = [message("model.unused_score", **facts, score=shown.why.score)] if there and shown.why else []
    return [found, *score, way_back(shown)]


def unwritten(shown: ReadHead) -> list[Message]:
    """Say that the chosen head writes the same whatever it reads; nothing for one that writes what it reads."""
    found = said(shown)
    writes = isinstance(shown.decided.get((shown.layer, shown.head)), (Uniform, Replace))
    return [] if found is None or writes else [found, way_back(shown)]


def way_back(shown: ReadHead) -> Message:
    """Say which control gives the head its own weights again."""
    title, runs = message("control.changes.label"), message("changes.head_runs")
    return message("model.way_back", control=title, choice=runs, head=shown.name)


def _other(change: Change) -> dict[str, str]:
    return {"other": head_name(change.by_layer + 1, change.by_head + 1)} if isinstance(change, Replace) else {}
