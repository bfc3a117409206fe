"""The models that this server offers, by the names that links have, and what they make of a text."""

from visualiser.models.listing import (
    DEFAULT,
    Described,
    described,
    find,
    is_loaded,
    known,
    load,
    measured,
    megabytes,
    offered,
)
from visualiser.models.runs import inputs, run, shown, sizes
from visualiser.models.work import Sizes, work

__all__ = [
    "DEFAULT",
    "Described",
    "Sizes",
    "described",
    "find",
    "inputs",
    "is_loaded",
    "known",
    "load",
    "measured",
    "megabytes",
    "offered",
    "run",
    "shown",
    "sizes",
    "work",
]
