"""The core's table of row statistics."""

from attention_core.blocks.row_statistics import documented
from docs.made.tables import code, table


def rows() -> str:
    """Return a row per statistic: name, symbol, unit, formula and bounds."""
    head = ("name", "symbol", "unit", "what it is", "bounds", "in the paper")
    return table(head, ((code(name), *rest) for name, *rest in documented()))
