"""The two figures of the page, Figure 2 and the walk through it: its scripts draw them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from torch import Tensor

from attention_core import AttentionConfig
from visualiser.figures.figure import Figure
from visualiser.locale import text
from visualiser.pages.anatomy import sentences, steps
from visualiser.pages.anatomy.facts import Facts
from visualiser.reasons.tensors import of_tensor
from visualiser.state.view import View
from visualiser.tables import Column, Table, token_columns

RESULTS = {"input": "X", "queries": "Q", "keys": "K", "values": "V", "heads": "head"}
"""The tensor that a step makes, if its name is not the step's."""


@dataclass(frozen=True, eq=False)
class Walk:
    """A configuration, the facts of the step at which the walk stands, and its tensors."""

    config: AttentionConfig
    known: Facts
    tensors: Mapping[str, Tensor]

    @property
    def values(self) -> np.ndarray:
        """What the step makes."""
        return self.tensors[RESULTS.get(self.known.step, self.known.step)].numpy()


def _shapes(walk: Walk, view: View) -> Table:
    """List every box of the figure with the shapes of its weights and of its output."""
    found, lang = steps.boxes(walk.config, walk.known.d_v, walk.known.grouped), view.lang
    columns = [
        Column(text(lang, "anatomy.table.box"), [text(lang, f"anatomy.box.{box['title']}") for box in found.values()])
    ]
    for name in ("weights", "sizes", "symbols", "numbers"):
        kind = "shape" if name in ("sizes", "numbers") else ""
        columns.append(Column(text(lang, f"anatomy.table.{name}"), [box[name] for box in found.values()], kind=kind))
    if walk.known.grouped:
        columns.append(Column(text(lang, "anatomy.table.shared"), [box.get("shared", "") for box in found.values()]))
    return Table(text(lang, "anatomy.table.shapes"), columns)


def _numbers(walk: Walk, view: View) -> Table:
    """List the step's result, one line for each row of its tensor, with at most the first 16 columns."""
    known, values, lang = walk.known, walk.values, view.lang
    shown = values[:64, :16]
    columns = [Column(text(lang, "anatomy.table.position"), np.arange(len(shown)))]
    if len(values) == known.config.n and known.tokens:
        columns += token_columns(lang, known.tokens, known.line, range(len(shown)))
    formula = of_tensor(RESULTS.get(known.step, known.step), known.config)
    columns += [Column(str(column), shown[:, column], formula=formula) for column in range(shown.shape[1])]
    return Table(sentences.title(known.config, known.step, known.given).written(lang), columns)


DIAGRAM: Final[Figure[Walk, ...]] = Figure(
    name="anatomy",
    sentence=lambda walk, view: [sentences.shapes(walk.known)],
    table=_shapes,
    painter="script",
)
WALK: Final[Figure[Walk, ...]] = Figure(
    name="walk",
    sentence=lambda walk, view: [sentences.result(walk.known)],
    table=_numbers,
    painter="script",
)
