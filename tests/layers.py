"""The tables of rooms in docs/architecture.md: what each room may import."""

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ALL_ABOVE = "all above"


@cache
def table(heading: str) -> dict[str, frozenset[str]]:
    """Return the rooms that each room may import, from the top of its table to the end.

    `heading` is that of the first column.
    """
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = page.split(f"| {heading} |")[1].split("\n\n")[0].splitlines()[2:]
    found: dict[str, frozenset[str]] = {}
    for row in rows:
        rooms, _, allowed = row.strip("| ").split(" | ")
        above = frozenset(found) if allowed == ALL_ABOVE else frozenset(re.findall(r"`(.*?)`", allowed))
        assert above <= set(found), f"{rooms} may import a room that does not stand above it"
        found |= dict.fromkeys(re.findall(r"`(.*?)`", rooms), above)
    return found
