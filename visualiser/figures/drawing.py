"""A figure before plotly builds it: plain traces and a plain layout, cheap to make at every move of a slider.

numpy values are data, Python values are structure. A slider that moves only numbers changes only numpy arrays and numpy
scalars; titles, axes, labels and colours are Python values and stay equal until n, h, the tokens, the language, the
mechanism, the mask or the view change. The live page relies on it: it sends the structure once, then numbers alone.
"""

from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from visualiser.theme import template

Trace = dict[str, Any]
Layout = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Drawing:
    """Traces and layout of the figure `name`, which is the page's elem_id without "figure-". It carries no template."""

    name: str
    data: list[Trace]
    layout: Layout

    def figure(self, theme: str = "light") -> go.Figure:
        """The plotly figure, in the colours of a theme."""
        return go.Figure(data=self.data, layout={**self.layout, "template": template(theme)})
