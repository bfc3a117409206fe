"""Positions of a figure's panels: a grid in plotly's paper fractions, with gaps that keep their size in pixels."""

from dataclasses import dataclass
from typing import Any


def axis(letter: str, panel: int) -> str:
    """Return a trace's name for the axis of panel `panel` (from 0): x, x2, x3, …"""
    return letter if panel == 0 else f"{letter}{panel + 1}"


def axis_key(letter: str, panel: int) -> str:
    """Return the layout's name of that axis: xaxis, xaxis2, …"""
    return f"{letter}axis" if panel == 0 else f"{letter}axis{panel + 1}"


@dataclass(frozen=True, kw_only=True)
class Grid:
    """`count` panels, `columns` a line, each `height` pixels high; `gap_x` is a fraction, `gap_y` pixels.

    `apart` is the share of a panel's width for a column at its right, a third of it the gap between them.
    """

    count: int
    columns: int
    height: int
    gap_x: float = 0.025
    gap_y: int = 28
    apart: float = 0.0

    @property
    def lines(self) -> int:
        return -(-self.count // self.columns)

    @property
    def inner(self) -> int:
        """The height of the plotting area in pixels, without margins."""
        return self.lines * self.height + (self.lines - 1) * self.gap_y

    @property
    def _width(self) -> float:
        return (1 - self.gap_x * (self.columns - 1)) / self.columns

    def _left(self, panel: int) -> float:
        return panel % self.columns * (self._width + self.gap_x)

    def x(self, panel: int) -> list[float]:
        left = self._left(panel)
        return [round(left, 5), round(min(1.0, left + (1 - self.apart) * self._width), 5)]

    def column(self, panel: int) -> list[float]:
        """Return the place of the column apart; it has no width if there is none."""
        right = self._left(panel) + self._width
        return [round(min(1.0, right - 2 / 3 * self.apart * self._width), 5), round(min(1.0, right), 5)]

    def y(self, panel: int) -> list[float]:
        top = 1 - panel // self.columns * (self.height + self.gap_y) / self.inner
        return [round(max(0.0, top - self.height / self.inner), 5), round(top, 5)]

    def leftmost(self, panel: int) -> bool:
        return panel % self.columns == 0

    def lowest(self, panel: int) -> bool:
        """Return True if no panel lies below this one."""
        return panel + self.columns >= self.count


def heading(panel: int, text: str, name: str) -> dict[str, Any]:
    """Draw the title above a panel: an annotation that receives clicks."""
    return {
        "text": text,
        "name": name,
        "xref": f"{axis('x', panel)} domain",
        "yref": f"{axis('y', panel)} domain",
        "x": 0,
        "y": 1,
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
        "captureevents": True,
    }
