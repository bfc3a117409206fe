"""The rules of one page: its own parameters, and its own defaults, ranges and choices of common ones."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Final, Protocol

from attention_core import Bound
from attention_core.config import settings
from visualiser.state.view import OF_EVERY_PAGE, View


@dataclass(frozen=True)
class Parameter:
    """One setting of one page: its default and a `bound`, or its `choices`; `many` allows several of them.

    `meaning` describes it in the documents and at endpoints. `control` is False if the figures themselves set it.
    """

    default: Any
    bound: Bound | None = None
    choices: tuple[str, ...] = ()
    many: bool = False
    control: bool = True
    meaning: str = field(kw_only=True)


PREDICT = Parameter(False, control=False, meaning="ask what one expects before it is shown")
"""True if the visitor, or a link, wants to be asked for a prediction before the result (`visualiser.predictions`)."""

BROUGHT: Final = ("upload", "model")
"""The sources that bring sizes of their own: a file, and a layer of a trained model."""

OFFERED: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        # a page that can show a trained layer adds model
        "source": ("gaussian", "structured", "text", "upload"),
        # those of which Explore's sentences speak; other pages narrow them further
        "normalisation": ("softmax", "sink", "sigmoid", "entmax"),
    }
)
"""The choices of a page without its own; a link with another of the core's choices opens the first, with a notice."""

ANY: Final = "any"
"""No certain question is requested: the first that fits the state is asked."""


def prediction_parameters(*questions: str) -> dict[str, Parameter]:
    """Return the parameters of a page that asks if the visitor, or a teacher's link, wants it."""
    return {
        "predict": PREDICT,
        "question": Parameter(
            ANY,
            choices=(ANY, *questions),
            control=False,
            meaning="what `predict` asks; any: the first that fits",
        ),
    }


SEEDS = Parameter(5, Bound(1, 10, 5), meaning="number of seeds, from `seed` on")
"""The seeds of a band or of a curve."""


def all_but(*read: str) -> tuple[str, ...]:
    """Return the common settings that a page leaves alone if it reads only these."""
    common = (*settings(), *(item.name for item in fields(View)))
    return tuple(name for name in common if name not in (*OF_EVERY_PAGE, *read))


class Named(Protocol):
    """A figure of a page: its name in a link, and what paints it (`visualiser.figures.figure`)."""

    @property
    def name(self) -> str: ...

    @property
    def painter(self) -> str: ...


@dataclass(frozen=True)
class Rules:
    """The declaration `RULES` of a page's package.

    `place` orders the navigation. `own` are the page's own parameters; pages may share a name if it means the same on
    each. `beginning` holds the page's first settings of `AttentionConfig`, `view` those of `View`. `bounds` and
    `choices` replace those of `BOUNDS` and `CHOICES`. The sources in `sized_elsewhere` bring their own number of
    tokens, so that a link cannot be checked against it. `figures` and `parts` are the elements that a link may name in
    `hide`, the figures also in `focus`: a figure's element is `figure-NAME`, a part's its name. `lesson` are the
    controls that stay while the page is presented. `questions` are the predictions of a page that has no `question` to
    choose among them. `unread` are the common settings that change nothing on the page.
    """

    place: int
    own: Mapping[str, Parameter] = field(default_factory=dict)
    beginning: Mapping[str, Any] = field(default_factory=dict)
    bounds: Mapping[str, Bound] = field(default_factory=dict)
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    view: Mapping[str, Any] = field(default_factory=dict)
    sized_elsewhere: tuple[str, ...] = BROUGHT
    figures: tuple[Named, ...] = ()
    parts: tuple[str, ...] = ()
    lesson: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
