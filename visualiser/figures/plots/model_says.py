"""What a model says at the chosen query: its five largest outcomes, before a change and now.

How this can mislead: five outcomes are few of thousands, and small ones may add up to more. That a word falls without a
head says what the head does for it in this text, and not what it is for.
"""

from typing import Final

import numpy as np

from visualiser.drawing.drawing import Drawing
from visualiser.drawing.lollipops import Points, lollipops
from visualiser.figures import saying
from visualiser.figures.comparing import Effect, compared
from visualiser.figures.figure import Figure
from visualiser.figures.read_head import ReadHead
from visualiser.locale import text
from visualiser.locale.message import Message, message, write_all
from visualiser.state.view import View
from visualiser.tables import Column, Table
from visualiser.theme import CALM, INK


def drawing(shown: ReadHead, view: View | None = None) -> Drawing:
    """Draw a line an outcome, the largest at the top, with a point for the model as it is and one for it as changed."""
    view = view or View()
    lang, found, true = view.lang, saying.outcomes(shown), saying.true_outcome(shown)
    now = np.array([saying.value(shown, one.after) for one in found])
    then = np.array([saying.value(shown, one.before) for one in found])
    before = [_points(shown, lang, "before", then, INK)] if shown.changed else []
    data, layout = lollipops(
        [saying.named(one) for one in found],
        [one.number == true for one in found],
        then if shown.changed else np.zeros_like(now),
        [*before, _points(shown, lang, "now", now, CALM)],
        (text(lang, f"figure.model_says.{'cosine' if _is_likeness(shown) else 'y'}"), saying_of(shown, view)),
    )
    return Drawing(model_says.name, data, layout)


def _is_likeness(shown: ReadHead) -> bool:
    return shown.saying is not None and shown.saying.after.kind == "likeness"


def _points(shown: ReadHead, lang: str, kind: str, values: np.ndarray, colour: str) -> Points:
    name = saying.state_name(shown, lang, kind)
    return Points(kind, name, values, colour, f" ({name})")


def saying_of(shown: ReadHead, view: View) -> str:
    """Return of which position the outcomes are, as a title."""
    return "" if shown.saying is None else " ".join(write_all([saying.about(shown)], view.lang))


def _sentence(shown: ReadHead, view: View) -> list[Message]:
    return saying.changed_said(shown) if shown.changed else saying.largest_said(shown)


def _brief(shown: ReadHead, view: View) -> list[Message]:
    before, now = saying.text_logs(shown)
    if np.isnan(now):
        return []
    found = compared([before], [now])
    if not shown.changed:
        return [message("brief.model_says.text", now=now)]
    if found.effect is Effect.CHANGED:
        return [message("brief.model_says.changed", before=before, now=now)]
    if found.effect is Effect.UNSEEN:
        return [message("brief.model_says.unseen", now=now, apart=found.apart)]
    return [message("brief.model_says.same", now=now)]


def _table(shown: ReadHead, view: View) -> Table:
    lang, found = view.lang, saying.outcomes(shown)
    kind = "cosine" if _is_likeness(shown) else "said"
    columns = [Column(text(lang, "table.outcome"), [saying.said_name(one) for one in found], typed=True)]
    if shown.changed:
        columns.append(_column(shown, lang, "before", kind, [one.before for one in found]))
    columns.append(_column(shown, lang, "now", kind, [one.after for one in found]))
    return Table(text(lang, "table.model_says.caption"), columns)


def _column(shown: ReadHead, lang: str, name: str, kind: str, logs: list[float]) -> Column:
    values = np.array([saying.value(shown, one) for one in logs])

    def made(line: int) -> Message:
        if kind == "cosine":
            return message("reason.made.cosine", value=float(values[line]))
        return message("reason.made.said", value=float(values[line]))

    return Column(saying.state_name(shown, lang, name), values, kind=kind, made=made)


model_says: Final = Figure(name="model-says", draw=drawing, sentence=_sentence, table=_table, brief=_brief)
