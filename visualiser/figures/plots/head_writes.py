"""What the chosen head writes when it reads the chosen key: the five tokens whose logits it raises most.

    logits = U · γ ∘ (v_key W_O), less their mean over all tokens

How this can mislead: it is the direct path alone. Later layers may read what the head writes, and undo it; the last
norm's division, biases and all other heads are left out, and so is the weight with which the key is read. A head that
copies here copies only what it reads.
"""

from html import unescape
from typing import Any, Final

import numpy as np

from attention_core.learned import Written, WrittenToken
from visualiser.drawing.drawing import Drawing
from visualiser.drawing.labels import label
from visualiser.drawing.lollipops import Points, lollipops
from visualiser.figures.decided_head import unwritten
from visualiser.figures.figure import Figure
from visualiser.figures.read_head import ReadHead
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.state.view import View
from visualiser.tables import Column, Table
from visualiser.theme import CALM


def first(shown: ReadHead) -> list[WrittenToken]:
    """Return what is written most for the chosen key; empty where nothing is."""
    return [] if shown.written is None else shown.written.first(shown.place(shown.key))


def _named(token: WrittenToken) -> str:
    return label(token.name)


def drawing(shown: ReadHead, view: View | None = None) -> Drawing:
    """Draw a line a token from 0 to its logit, the largest at the top."""
    view = view or View()
    lang, found = view.lang, first(shown)
    name, logits = text(lang, "figure.head_writes.x"), np.array([one.logit for one in found], dtype=np.float64)
    data, layout = lollipops(
        [_named(one) for one in found],
        [one.own for one in found],
        np.zeros_like(logits),
        [Points("written", name, logits, CALM)],
        (name, text(lang, "figure.head_writes.y", key=shown.named_key(shown.key))),
        legend=False,
    )
    return Drawing(head_writes.name, data, layout)


def _facts(shown: ReadHead, found: Written) -> dict[str, Any]:
    most = first(shown)[0]
    rank = int(found.rank[shown.place(shown.key)]) + 1
    return {
        "head": shown.called, "key": shown.said_key(shown.key), "name": unescape(_named(most)), "added": most.logit,
        "rank": rank,
    }  # fmt: skip


def _sentence(shown: ReadHead, view: View) -> list[Message]:
    found = shown.written
    if found is None:
        return []
    if constant := unwritten(shown):
        return constant
    facts = _facts(shown, found)
    if facts["rank"] == 1:
        return [message("table.head_writes.own", **{name: facts[name] for name in ("head", "key", "added")})]
    return [message("table.head_writes.summary", **facts)]


def _brief(shown: ReadHead, view: View) -> list[Message]:
    found = shown.written
    if found is None or unwritten(shown):
        return []
    return [message("brief.head_writes", copying=found.copying)]


def _table(shown: ReadHead, view: View) -> Table:
    lang, found = view.lang, first(shown)
    logits = np.array([one.logit for one in found], dtype=np.float64)
    return Table(
        text(lang, "table.head_writes.caption", head=shown.name, key=shown.said_key(shown.key)),
        [
            Column(text(lang, "table.head_writes.token"), [unescape(_named(one)) for one in found], typed=True),
            Column(
                text(lang, "figure.head_writes.x"), logits, kind="written",
                made=lambda line: message("reason.made.written", value=float(logits[line])),
            ),
        ],
    )  # fmt: skip


def _instead(shown: ReadHead, view: View) -> list[Message]:
    return unwritten(shown)


head_writes: Final = Figure(
    name="head-writes", draw=drawing, sentence=_sentence, table=_table, brief=_brief, instead=_instead
)
