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
from visualiser.models.run_work import Sizes, work
from visualiser.models.runs import inputs, run, shown, sizes

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
