"""All figures, each one value of a module in `plots`: a notebook calls it, and a page lists it.

>>> from attention_core import AttentionConfig, compute
>>> from visualiser.figures import heat_maps
>>> len(heat_maps(compute(AttentionConfig(n=8, h=2))).data)
2
"""

import importlib
import pkgutil
from typing import Any, Final

from visualiser.drawing.drawing import Drawing
from visualiser.figures import plots
from visualiser.figures.figure import Figure


def _found() -> dict[str, Figure[Any, ...]]:
    names = [module.name for module in pkgutil.iter_modules(plots.__path__)]
    modules = [importlib.import_module(f"{plots.__name__}.{name}") for name in names]
    return {name: value for module in modules for name, value in vars(module).items() if isinstance(value, Figure)}


FIGURES: Final = _found()
"""Every figure by the name that its module gives it and a notebook calls it by."""

__all__ = ["Drawing", "Figure", *sorted(FIGURES)]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Figure[Any, ...]:
    try:
        return FIGURES[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no figure {name!r}") from None
