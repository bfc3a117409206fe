"""Every figure, defined once: each function draws an `AttentionResult` with plotly, for the page and for notebooks.

>>> from attention_core import AttentionConfig, compute
>>> from visualiser.figures import heat_maps
>>> len(heat_maps(compute(AttentionConfig(n=8, h=2))).data)
2
"""

from visualiser.figures.compare import compare
from visualiser.figures.drawing import Drawing
from visualiser.figures.entropy import entropy
from visualiser.figures.gradient import gradient
from visualiser.figures.heat_maps import heat_maps
from visualiser.figures.jacobian import jacobian
from visualiser.figures.score_distribution import score_distribution

__all__ = ["Drawing", "compare", "entropy", "gradient", "heat_maps", "jacobian", "score_distribution"]
