"""The rules of one page: its own parameters, and where it begins, ranges or chooses otherwise than other pages."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from attention_core import Bound


@dataclass(frozen=True)
class Parameter:
    """One setting of one page: a number in a `bound`, one of `choices`, or (`many`) several of them; its default."""

    default: Any
    bound: Bound | None = None
    choices: tuple[str, ...] = ()
    many: bool = False


PREDICT = Parameter(True)
"""Whether the page asks what one expects before it shows it (`visualiser.predictions`)."""


@dataclass(frozen=True)
class Rules:
    """What a page's package declares as `RULES`.

    `place` is its place in the navigation. `own` are parameters that mean something on this page; a name may be used by
    several pages, but means the same on all. `beginning` are the settings of `AttentionConfig` with which the page
    begins, `view` those of `View`. `bounds` and `choices` replace those of `BOUNDS` and `CHOICES`. `sized_elsewhere`
    are the sources that bring their number of tokens with them, so that a link cannot be checked against it.
    """

    place: int
    own: Mapping[str, Parameter] = field(default_factory=dict)
    beginning: Mapping[str, Any] = field(default_factory=dict)
    bounds: Mapping[str, Bound] = field(default_factory=dict)
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    view: Mapping[str, Any] = field(default_factory=dict)
    sized_elsewhere: tuple[str, ...] = ("upload",)
