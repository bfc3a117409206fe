"""The range of the maps' colours in words, for tables and files.

A reader of numbers learns from it which cells share one colour in the picture.
"""

from torch import Tensor

from attention_core import AttentionResult
from visualiser.figures.plots import compare, heat_maps
from visualiser.figures.quantile_scale import Limits
from visualiser.locale import text
from visualiser.state.view import View


def colours(result: AttentionResult, view: View) -> list[str]:
    """Return the sentences on the colours of the heat maps, in the visitor's language."""
    if view.colour_range == "per_head" and len(view.heads(len(result.weights))) > 1:
        return [text(view.lang, "table.colours.per_head")]
    return _sentences(view.lang, "table.colours.range", heat_maps.limits(result, view))


def compared_colours(a: AttentionResult, b: AttentionResult, difference: Tensor | None, view: View) -> list[str]:
    """Return the sentences on the colours that A and B share, and on those of their `difference` if there is one."""
    shared = _sentences(view.lang, "table.colours.range", compare.limits(a, b, view))
    if difference is None:
        return shared
    return [*shared, *_sentences(view.lang, "table.colours.difference", compare.difference_limits(difference, view))]


def coded_range(result: AttentionResult, other: AttentionResult | None, view: View) -> str:
    """Return the stage, the ends of the maps' colours and the cells beyond them, for a file of any language.

    "weights: 0 … 0.3, 22/8192 > 0.3". `other` is the pinned A, which shares the colours.
    """
    if other is None and view.colour_range == "per_head" and len(view.heads(len(result.weights))) > 1:
        return f"{view.stage}: {view.colour_range}"
    limits = heat_maps.limits(result, view) if other is None else compare.limits(other, result, view)
    low, high = f"{limits.low:.6g}", f"{limits.high:.6g}"
    below = f", {limits.below}/{limits.cells} < {low}" if limits.below else ""
    above = f", {limits.above}/{limits.cells} > {high}" if limits.above else ""
    return f"{view.stage}: {low} … {high}{below}{above}"


def _sentences(lang: str, key: str, limits: Limits) -> list[str]:
    said = [text(lang, key, low=limits.low, high=limits.high)]
    if limits.above:
        said.append(text(lang, "table.colours.above", above=limits.above, cells=limits.cells))
    if limits.below:
        said.append(text(lang, "table.colours.below", below=limits.below, cells=limits.cells))
    return said
