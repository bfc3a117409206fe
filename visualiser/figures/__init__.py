"""All figures, each defined once: a function draws an `AttentionResult` with plotly, for the page and for notebooks.

>>> from attention_core import AttentionConfig, compute
>>> from visualiser.figures import heat_maps
>>> len(heat_maps(compute(AttentionConfig(n=8, h=2))).data)
2
"""

from visualiser.figures.compare import compare
from visualiser.figures.cost_memory import cost_memory
from visualiser.figures.cost_time import cost_time
from visualiser.figures.drawing import Drawing
from visualiser.figures.entropy import entropy
from visualiser.figures.gradient import gradient
from visualiser.figures.heads_accuracy import heads_accuracy
from visualiser.figures.heads_maps import heads_maps
from visualiser.figures.heads_mass import heads_mass
from visualiser.figures.heat_maps import heat_maps
from visualiser.figures.jacobian import jacobian
from visualiser.figures.map import window_map
from visualiser.figures.numerics import numerics
from visualiser.figures.row import row
from visualiser.figures.score_distribution import score_distribution
from visualiser.figures.strips import strips
from visualiser.figures.sweep import sweep
from visualiser.figures.temperature import temperature
from visualiser.figures.train_accuracy import train_accuracy
from visualiser.figures.train_gradient import train_gradient
from visualiser.figures.train_steps import train_steps

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
    "score_distribution",
    "strips",
    "sweep",
    "temperature",
    "train_accuracy",
    "train_gradient",
    "train_steps",
    "window_map",
]
