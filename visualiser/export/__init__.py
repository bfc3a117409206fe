"""Exports: numbers as CSV and npz, a page that still hovers offline, a script in plain PyTorch."""

from visualiser.export.archive import npz, npz_pieces
from visualiser.export.cells import cells_csv
from visualiser.export.page import html
from visualiser.export.rows import rows_csv
from visualiser.export.script import NPZ_NAME, snippet

__all__ = ["NPZ_NAME", "cells_csv", "html", "npz", "npz_pieces", "rows_csv", "snippet"]
