"""The folder of scripts, styles, sentences and shipped results."""

from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).resolve().parent
_INSTALLED: Final = _HERE / "assets"

ASSETS: Final = _INSTALLED if _INSTALLED.is_dir() else _HERE.parent / "assets"
"""In an installed wheel the folder lies inside the package, in a clone beside it."""

UNPACKING: Final = ASSETS / "offline" / "unpacking.js"
"""The script of an offline page: unpacks plotly.js and draws the figures."""

PLOTLY: Final = ASSETS / "plotly" / "plotly-cartesian.min.js"
"""plotly.js with the traces of Cartesian axes alone; docs/decisions/plotly-bundle.md says why it is not the wheel's."""
