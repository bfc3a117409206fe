"""The Cost page: time and memory of both mechanisms, counted and measured."""

from typing import Final

from attention_core import Bound
from attention_core.studies.cost import VARIED
from visualiser.figures.plots.cost_memory import cost_memory
from visualiser.figures.plots.cost_time import cost_time
from visualiser.state.rules import PREDICT, Parameter, Rules, all_but

FIGURES: Final = (cost_time, cost_memory)

QUESTIONS: Final = ("cost_ratio",)
"""The ratio of additive to dot-product time."""

RULES: Final = Rules(
    place=3,
    own={"varied": Parameter("n", choices=VARIED, meaning="what is measured against"), "predict": PREDICT},
    beginning={"n": 256},
    bounds={"n": Bound(32, 1024, 256, step=32), "d_k": Bound(8, 256, 64, step=8)},
    figures=FIGURES,
    parts=("predict", "run", "take-away"),
    lesson=("varied", "n", "d_k"),
    questions=QUESTIONS,
    # d_k may follow from the widths and the heads.
    unread=all_but("n", "d_k", "seed", "d_model", "h", "tie"),
)
