"""Exports: numbers as CSV and npz, a page that still hovers offline, a script in plain PyTorch."""

from visualiser.export.archive import npz, npz_pieces
from visualiser.export.cells import cells_csv
from visualiser.export.origin import Origin, origin_of, versions
from visualiser.export.page import html
from visualiser.export.rows import rows_csv
from visualiser.export.script import NPZ_NAME, snippet

__all__ = [
    "NPZ_NAME",
    "Origin",
    "cells_csv",
    "html",
    "npz",
    "npz_pieces",
    "origin_of",
    "rows_csv",
    "snippet",
    "versions",
]
