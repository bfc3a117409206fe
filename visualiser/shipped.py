"""Results shipped with Headlight, so that a page shows something true before anybody presses a button.

Each is a file under assets/shipped with its date, machine and command. A page shows it only if its settings are the
page's (Train: or if it has all curves that the page asks for); a live run replaces it.
"""

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from visualiser.asset_folder import ASSETS
from visualiser.locale import text

FOLDER = ASSETS / "shipped"


@dataclass(frozen=True)
class Shipped:
    """The settings and results of one experiment, and their origin."""

    date: str
    machine: str
    command: str
    settings: dict[str, Any]
    results: list[dict[str, Any]]

    def origin(self, lang: str) -> list[str]:
        """Say that the result is no run of this visit, when and where it was made, and how."""
        return [
            text(lang, "shipped.origin", date=self.date, machine=self.machine),
            text(lang, "shipped.made", command=self.command),
        ]


@cache
def shipped(name: str) -> Shipped:
    """Return the result of this name."""
    return Shipped(**json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")))
