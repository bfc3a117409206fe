"""Texts in which the heads of the small model have something to do."""

from typing import Final

__all__ = ["NAMES", "SUBJECTS"]

NAMES: Final = "Anna Miller sees Ben Taylor . the keys to the cabinet are old . Anna Miller waits . Ben"
"""Names that come back, the last of them without its surname, and a subject far from its verb."""

SUBJECTS: Final = "the keys to the cabinet are old . the key to the cabinets is"
"""Two subjects, each with a noun of the other number between it and its verb."""
