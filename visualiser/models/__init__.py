"""The models that this server offers, by the names that links have, and what they make of a text."""

from visualiser.models.offered import DEFAULT, find, known, offered
from visualiser.models.runs import inputs, run

__all__ = ["DEFAULT", "find", "inputs", "known", "offered", "run"]
