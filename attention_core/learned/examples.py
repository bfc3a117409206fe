"""Texts in which the heads of the small model have something to do, and two with which heads are patched."""

from typing import Final

__all__ = ["GIVERS", "NAMES", "SUBJECTS", "SURNAMES"]

NAMES: Final = "Anna Miller sees Ben Taylor . the keys to the cabinet are old . Anna Miller waits . Ben"
"""Names that come back, the last of them without its surname, and a subject far from its verb."""

SUBJECTS: Final = "the keys to the cabinet are old . the key to the cabinets is"
"""Two subjects, each with a noun of the other number between it and its verb."""

SURNAMES: Final = (
    "Anna Miller sees Ben Taylor . Ben Taylor sees Anna",
    "Anna Taylor sees Ben Miller . Ben Miller sees Anna",
    "Miller",
)
"""Two texts for the small model, and the answer after the first."""

GIVERS: Final = (
    "When Mary and John went to the store, John gave a drink to",
    "When Mary and John went to the store, Mary gave a drink to",
    "Mary",
)
"""The same for a model of English: indirect objects (Wang et al. 2022)."""
