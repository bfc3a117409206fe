"""The Anatomy page: Figure 2 walked through number by number."""

from typing import Final

from attention_core import Bound
from attention_core.config import SHORT_TEXT
from visualiser.pages.anatomy.figures import DIAGRAM, WALK
from visualiser.pages.anatomy.steps import STEPS, WALKED, WEIGHED
from visualiser.pages.anatomy.subject import MOST_TOKENS, WIDEST
from visualiser.state.rules import PREDICT, Parameter, Rules

FIGURES: Final = (DIAGRAM, WALK)

QUESTIONS: Final = ("anatomy_largest",)
"""The key with the walked query's largest weight."""

RULES: Final = Rules(
    place=2,
    own={
        "step": Parameter(STEPS[0], choices=STEPS, control=False, meaning="the step at which the walk stands"),
        "rows": Parameter("one", choices=("one", "all"), control=False, meaning="the query `row` alone, or all"),
        "predict": PREDICT,
    },
    # As small as Figure 2 can be and still have heads: all its numbers fit on a screen.
    beginning={"n": 4, "d_model": 8, "h": 2, "source": "text", "text": SHORT_TEXT, "window": 1},
    bounds={
        "n": Bound(2, MOST_TOKENS, 4),
        "d_model": Bound(2, 512, 8),
        "h": Bound(1, 16, 2),
        "d_k": Bound(1, WIDEST, 4),
        "window": Bound(1, 64, 1),
        "layer": Bound(1, 4, 1),
    },
    # The walk writes the arithmetic out, so nothing may be rounded on the way. It begins at an X, or at Q, K and V that
    # are drawn or a model's.
    choices={
        "source": ("text", "gaussian", "model"),
        "dtype": ("float32",),
        "subtract_max": ("true",),
        "mechanism": WALKED,
        "normalisation": WEIGHED,
    },
    view={"head": 1},
    figures=FIGURES,
    parts=("predict", "take-away"),
    lesson=("d_k", "h", "mechanism", "scaling", "scale", "normalisation", "sink", "mask", "window"),
    questions=QUESTIONS,
    unread=("stage", "colour", "colour_range"),
)
