"""The models that this server offers, by the names that links have, and what they make of a text."""

from visualiser.models.kept_measures import is_measured, measure, measured
from visualiser.models.listing import DEFAULT, Described, described, find, is_loaded, known, load, megabytes, offered
from visualiser.models.runs import Sizes, inputs, run, shown, sizes

__all__ = [
    "DEFAULT",
    "Described",
    "Sizes",
    "described",
    "find",
    "inputs",
    "is_loaded",
    "is_measured",
    "known",
    "load",
    "measure",
    "measured",
    "megabytes",
    "offered",
    "run",
    "shown",
    "sizes",
]
