"""The fixture `module`: runs an expression over one of our scripts alone."""

from collections.abc import Callable
from typing import Any

Module = Callable[[str, str, Any], Any]
"""A call `module("figures/axes", "(m, given) => …", given)`, which returns the expression's value."""
