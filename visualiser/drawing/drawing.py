"""A figure before plotly builds it: plain traces and a plain layout, cheap to make at every move of a slider.

numpy values are data, Python values are structure. A slider that changes only numbers changes only numpy arrays and
numpy scalars. Titles, axes, labels and colours are Python values and stay equal until n, h, the tokens, the language,
the mechanism, the mask or the view change. The live page relies on it: it sends the structure once, then numbers
alone.
"""

from dataclasses import dataclass
from typing import Any, Final

import plotly.graph_objects as go

from attention_core import checkpoint
from visualiser.theme import template

Trace = dict[str, Any]
Layout = dict[str, Any]

_BEFORE: Final = '{"data":['


@dataclass(frozen=True, eq=False)
class Drawing:
    """Traces and layout of the figure `name`, without a template. The page's elem_id is "figure-" and the name."""

    name: str
    data: list[Trace]
    layout: Layout

    def figure(self, theme: str = "light") -> go.Figure:
        """Return the plotly figure in the colours of a theme."""
        return go.Figure(data=self.data, layout={**self.layout, "template": template(theme)})

    def json(self, theme: str = "light") -> str:
        """Return `figure(theme).to_json()`, written one trace at a time so that it can stop between two of them."""
        plain = {"template": {}}
        after = _written([], plain).removeprefix(_BEFORE)
        traces = []
        for trace in self.data:
            checkpoint()
            traces.append(_written([trace], plain).removeprefix(_BEFORE).removesuffix(after))
        checkpoint()
        layout = _written([], {**self.layout, "template": template(theme)}).removeprefix(_BEFORE)
        return f"{_BEFORE}{','.join(traces)}{layout}"


def _written(data: list[Trace], layout: Layout) -> str:
    return str(go.Figure(data=data, layout=layout).to_json())
