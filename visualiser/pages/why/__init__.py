"""The Why √d_k page: scaled, unscaled and additive attention against d_k."""

from typing import Final

from attention_core import Bound
from visualiser.figures.plots.mechanisms import mechanism_maps, mechanism_scores
from visualiser.figures.plots.numerics import numerics
from visualiser.figures.plots.sweep import sweep
from visualiser.figures.plots.temperature import temperature
from visualiser.state.rules import PREDICT, SEEDS, Parameter, Rules, all_but

SWEEP: Final = sweep

DRAGGED: Final = (mechanism_maps, mechanism_scores)
"""The figures that follow a drag, each sent as soon as it is drawn; the first has the eye."""

RESTING: Final = (temperature, numerics)
"""The figures that come when the controls rest."""

COMPARED: Final = ("mechanisms", "qk_norm", "keys")
"""What the curves compare: the choices of `curves`, each a value in `comparisons`."""

QUESTIONS: Final = ("why_falls", "why_normed", "why_fades")
"""Which entropy falls as d_k grows, which does with QK-norm, and which largest weight as the keys grow in number."""

CURVES: Final = Parameter(
    COMPARED[0],
    choices=COMPARED,
    meaning="what the curves compare: the three mechanisms over d_k; QK-norm over d_k; 2 to 4,096 keys",
)

RULES: Final = Rules(
    place=1,
    own={"seeds": SEEDS, "predict": PREDICT, "curves": CURVES},
    # Unscaled, because that shows the problem; one head, because here the seeds vary.
    beginning={"h": 1, "d_k": 64, "tie": False, "scaling": "none"},
    # A sweep of 10 seeds at n = 128 takes about a second; the factor's logarithmic slider ends below 1/1024.
    bounds={"n": Bound(2, 128, 32), "scale": Bound(0.0002, 16.0, 1.0, step=0.0001)},
    figures=(SWEEP, *DRAGGED, *RESTING),
    parts=("predict", "take-away"),
    lesson=("curves", "d_k", "scaling", "scale"),
    questions=QUESTIONS,
    # All mechanisms in one head of footnote 4's draws.
    unread=all_but("n", "d_k", "scaling", "scale", "seed", "tie", "colour"),
)
