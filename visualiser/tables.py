"""Tables behind figures, for screen readers and for readers who prefer numbers, and the columns that several have.

Tokens come as text, whose white space is seen; the caller escapes them for HTML.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attention_core import AttentionResult, RowStatistic
from attention_core.learned import Line
from visualiser.drawing.boxes import mean_over_rows
from visualiser.drawing.labels import visible
from visualiser.listed_statistics import locked_label, mean_label
from visualiser.locale import text
from visualiser.reasons import of_cell, of_head, of_row
from visualiser.reasons.kinds import Kind, kind_of
from visualiser.reasons.of_head import Made
from visualiser.state.view import View


@dataclass(frozen=True, eq=False)
class Column:
    """One column: its heading and one value a line, numbers as numpy and text as strings.

    `typed`: a visitor typed the texts; they hold no symbols of ours. `kind` is the quantity of numbers that
    have a reason, and `made` returns the arithmetic of a line's. `formula` is a formula with its section, of numbers
    that are no quantity of the table of kinds.
    """

    label: str
    values: NDArray | list[str]
    typed: bool = False
    kind: str = ""
    made: Made | None = None
    formula: Kind | None = None


@dataclass(frozen=True, eq=False)
class Table:
    """A caption and columns of equal length."""

    caption: str
    columns: list[Column]


def column(lang: str, key: str, values: NDArray | list[str], kind: str = "", made: Made | None = None) -> Column:
    """Return a column whose heading is the text `table.KEY`."""
    return Column(text(lang, f"table.{key}"), values, kind=kind, made=made)


def head_column(result: AttentionResult, view: View) -> Column:
    """Return the numbers of the heads, from 1."""
    return column(view.lang, "head", np.arange(1, result.weights.shape[0] + 1))


def mean_column(result: AttentionResult, view: View, each: RowStatistic) -> Column:
    """Return a statistic's mean over the rows of each head."""
    values = mean_over_rows(result, each.name).numpy()
    kind = kind_of(result.config, each.name)
    return Column(mean_label(view.lang, each), values, kind=kind, made=of_head.mean(result, each.name))


def locked_columns(result: AttentionResult, view: View, statistics: Sequence[RowStatistic]) -> list[Column]:
    """Return the values of the locked row, head by head; no columns if no row is locked."""
    row = view.locked(result.weights.shape[1])
    if row is None:
        return []

    def made(each: RowStatistic) -> Made:
        return lambda head: of_row.of_row(result, each.name, head, row)

    return [
        Column(
            locked_label(view.lang, each),
            result.statistic(each.name)[:, row].numpy(),
            kind=kind_of(result.config, each.name),
            made=made(each),
        )
        for each in statistics
    ]


def key_columns(result: AttentionResult, view: View) -> list[Column]:
    """Return what the keys of a text are called; no column for other inputs."""
    line = None if result.inputs is None else result.inputs.line
    return token_columns(view.lang, result.tokens, line, range(result.weights.shape[2]))


def token_columns(lang: str, tokens: Sequence[str] | None, line: Line | None, positions: Sequence[int]) -> list[Column]:
    """Return what tokens are called, and, of a model's own, their forms and numbers in its vocabulary.

    A text that an unknown token stands for is beside it. No column without tokens.
    """
    if tokens is None:
        return []
    told = {"token": [visible(tokens[at]) for at in positions]}
    if line is not None and line.forms:
        told["form"] = [line.forms[at] for at in positions]
        told["token_number"] = ["" if line.ids[at] < 0 else str(line.ids[at]) for at in positions]
    if line is not None and any(line.stands):
        told["stands"] = [line.stands[at] for at in positions]
    return [Column(text(lang, f"table.{name}"), found, typed=True) for name, found in told.items()]


def made_of_row(result: AttentionResult, stage: str, view: View) -> Made:
    """Return the arithmetic of each key's cell of the row in detail."""
    row, head = view.inspected(result.weights.shape[1]), view.single(result.weights.shape[0]) - 1
    return lambda key: of_cell.of_stage(result, stage, head, row, key)
