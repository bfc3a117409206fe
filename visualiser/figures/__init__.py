"""All figures, each defined once: a function draws an `AttentionResult` with plotly, for the page and for notebooks.

>>> from attention_core import AttentionConfig, compute
>>> from visualiser.figures import heat_maps
>>> len(heat_maps(compute(AttentionConfig(n=8, h=2))).data)
2
"""

from visualiser.figures.drawing import Drawing
from visualiser.figures.plots.compare import compare
from visualiser.figures.plots.cost_memory import cost_memory
from visualiser.figures.plots.cost_time import cost_time
from visualiser.figures.plots.entropy import entropy
from visualiser.figures.plots.gradient import gradient
from visualiser.figures.plots.heads_accuracy import heads_accuracy
from visualiser.figures.plots.heads_maps import heads_maps
from visualiser.figures.plots.heads_mass import heads_mass
from visualiser.figures.plots.heat_maps import heat_maps
from visualiser.figures.plots.jacobian import jacobian
from visualiser.figures.plots.map import window_map
from visualiser.figures.plots.numerics import numerics
from visualiser.figures.plots.row import row
from visualiser.figures.plots.row_weights import row_weights
from visualiser.figures.plots.score_distribution import score_distribution
from visualiser.figures.plots.strips import strips
from visualiser.figures.plots.sweep import sweep
from visualiser.figures.plots.temperature import temperature
from visualiser.figures.plots.train_accuracy import train_accuracy
from visualiser.figures.plots.train_gradient import train_gradient
from visualiser.figures.plots.train_steps import train_steps

__all__ = [
    "Drawing",
    "compare",
    "cost_memory",
    "cost_time",
    "entropy",
    "gradient",
    "heads_accuracy",
    "heads_maps",
    "heads_mass",
    "heat_maps",
    "jacobian",
    "numerics",
    "row",
    "row_weights",
    "score_distribution",
    "strips",
    "sweep",
    "temperature",
    "train_accuracy",
    "train_gradient",
    "train_steps",
    "window_map",
]
