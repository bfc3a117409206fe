"""A figure as one value: its drawing, its sentence, its table, and where its numbers come from."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Generic, Literal, ParamSpec, TypeVar, cast

import plotly.graph_objects as go

from attention_core import AttentionResult
from visualiser.drawing.drawing import Drawing
from visualiser.drawing.weighed import weighed
from visualiser.locale.message import Message, write_all
from visualiser.reasons.table import Why
from visualiser.state.view import View
from visualiser.tables import Table

Subject = TypeVar("Subject")
Given = ParamSpec("Given")
Words = TypeVar("Words")


def _undrawn(*given: Any, **named: Any) -> Drawing:
    raise LookupError("the page's script draws this figure")


def _no_table(subject: Any, view: View) -> Table:
    raise LookupError("another figure of the page has the table")


def _nothing(subject: Any, view: View) -> list[Message]:
    return []


def _of_known_weights(words: Callable[[Any, View], Words]) -> Callable[[Any, View], Words]:
    """Raise InvalidInput for a normalisation of which these words may not be true."""

    @wraps(words)
    def guarded(subject: Any, view: View) -> Words:
        for one in subject if isinstance(subject, tuple) else (subject,):
            if isinstance(one, AttentionResult):
                weighed(one.config)
        return words(subject, view)

    return guarded


@dataclass(frozen=True, eq=False, kw_only=True)
class Figure(Generic[Subject, Given]):
    """A figure of a subject, such as a result, a measurement or a map. Called as `draw`, it is a plotly figure.

    name      its name in a link. On the page its element is `figure-NAME`; its title and hint are the texts
              `figure.NAME.title` and `figure.NAME.hint`, with `_` for `-`
    draw      draws what a notebook gives it. Without it, only the page's script draws it
    live      draws the page's subject. Without it, `draw` takes the subject and the view
    sentence  what a screen reader reads instead of the picture
    table     the numbers behind it. Without it, another figure of the page has the table of both
    brief     a few numbers beside the title
    instead   what stands on the page in the place of a drawing that would be empty, or untrue; nothing for a drawing
    reasons   where these come from, by sentence and fact
    painter   what paints it on the page: a heat map's cells, a chart, or the page's own script
    outlined  True if the page draws the state before the last change behind it

    `sentence`, `table` and `brief` raise InvalidInput for weights of a normalisation that `drawing/weighed.py` lacks.
    """

    name: str
    draw: Callable[Given, Drawing] = _undrawn  # pyright: ignore[reportAssignmentType]
    live: Callable[[Subject, View], Drawing] | None = None
    sentence: Callable[[Subject, View], list[Message]]
    table: Callable[[Subject, View], Table] = _no_table
    brief: Callable[[Subject, View], list[Message]] = _nothing
    instead: Callable[[Subject, View], list[Message]] = _nothing
    reasons: Mapping[str, Mapping[str, Why[Any]]] = field(default_factory=dict)
    painter: Literal["cells", "chart", "script"] = "chart"
    outlined: bool = False

    def __post_init__(self) -> None:
        words = {name: getattr(self, name) for name in ("sentence", "table", "brief")}
        vars(self).update({name: _of_known_weights(each) for name, each in words.items() if each is not _no_table})
        # what a notebook shows of a function
        draw = self.draw
        vars(self).update(__doc__=draw.__doc__, __module__=draw.__module__, __signature__=inspect.signature(draw))

    def __call__(self, *given: Given.args, **named: Given.kwargs) -> go.Figure:
        """Draw as a plotly figure, in the theme of the `view`."""
        view = inspect.signature(self.draw).bind(*given, **named).arguments.get("view") or View()
        return self.draw(*given, **named).figure(view.theme)

    @property
    def is_tabled(self) -> bool:
        """True if it has a table of its own."""
        return self.table is not _no_table

    def drawing(self, subject: Subject, view: View) -> Drawing:
        """Draw the page's subject. Raise LookupError if only the page's script draws it."""
        drawn = self.live or cast(Callable[[Subject, View], Drawing], self.draw)
        return drawn(subject, view)

    def summary(self, subject: Subject, view: View) -> str:
        """Return `sentence` in the language of the view."""
        return " ".join(write_all(self.sentence(subject, view), view.lang))
