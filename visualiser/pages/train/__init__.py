"""The Train page: experiments whose curves grow while they run."""

from typing import Final

from attention_core import Bound
from attention_core.experiments import QUALITY_CHOICES
from visualiser.state.rules import PREDICT, Parameter, Rules

RULES: Final = Rules(
    place=4,
    own={
        "experiment": Parameter("quality", choices=("quality", "heads")),
        "task": Parameter("reverse", choices=QUALITY_CHOICES["task"]),
        "mechanisms": Parameter(QUALITY_CHOICES["mechanism"], choices=QUALITY_CHOICES["mechanism"], many=True),
        "widths": Parameter(("4", "16", "64", "256", "1024"), choices=("4", "16", "64", "256", "1024"), many=True),
        "initialisation": Parameter("standard", choices=QUALITY_CHOICES["initialisation"]),
        "heads": Parameter(("1", "2", "3", "4", "8"), choices=("1", "2", "3", "4", "8"), many=True),
        "shown": Parameter("4", choices=("1", "2", "3", "4", "8")),
        "m": Parameter(4, Bound(1, 8, 4)),
        "classes": Parameter("8", choices=("8", "16", "32", "64")),
        "mlp": Parameter(False),
        # the four rates of the published comparison
        "learning_rate": Parameter("0.003", choices=("0.001", "0.003", "0.01", "0.03")),
        "steps": Parameter(0, Bound(0, 1200, 0, step=50)),
        "seeds": Parameter(5, Bound(1, 10, 5)),
        "predict": PREDICT,
    },
)
