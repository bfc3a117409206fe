"""Results that come with Headlight, so that a page shows something true before anybody presses a button.

Each is a file under assets/shipped with the date, the machine and the command that made it, and is shown only where its
settings are those of the page; a live run replaces it.
"""

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from visualiser.asset_folder import ASSETS

FOLDER = ASSETS / "shipped"


@dataclass(frozen=True)
class Shipped:
    """`settings` of the experiment and its `results`, with where they come from."""

    date: str
    machine: str
    command: str
    settings: dict[str, Any]
    results: list[dict[str, Any]]


@cache
def shipped(name: str) -> Shipped:
    """The result of this name."""
    return Shipped(**json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")))
