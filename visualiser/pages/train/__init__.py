"""The Train page: experiments whose curves grow while they run."""

from typing import Final

from attention_core import Bound
from attention_core.experiments import QUALITY_CHOICES
from visualiser.figures.plots.heads_accuracy import heads_accuracy
from visualiser.figures.plots.heads_maps import heads_maps
from visualiser.figures.plots.heads_mass import heads_mass
from visualiser.figures.plots.train_accuracy import train_accuracy
from visualiser.figures.plots.train_gradient import train_gradient
from visualiser.figures.plots.train_steps import train_steps
from visualiser.state.rules import PREDICT, SEEDS, Parameter, Rules, all_but

QUALITY: Final = (train_accuracy, train_steps, train_gradient)
HEADS: Final = (heads_accuracy,)
"""The figures of each experiment, the large one first; the page shows those of the chosen one."""

OF_MODELS: Final = (heads_mass, heads_maps)
"""The figures of each model of the heads experiment."""

QUESTIONS: Final = ("train_heads", "train_falls", "train_best", "train_learns")
"""The questions about an experiment; `questions.question` says which fits."""

RULES: Final = Rules(
    place=4,
    own={
        "experiment": Parameter(
            "quality", choices=("quality", "heads"), meaning="against d_k, or against the number of heads"
        ),
        "task": Parameter("reverse", choices=QUALITY_CHOICES["task"], meaning="what is learned"),
        "mechanisms": Parameter(
            QUALITY_CHOICES["mechanism"], choices=QUALITY_CHOICES["mechanism"], many=True, meaning="whose curves"
        ),
        "widths": Parameter(
            ("4", "16", "64", "256", "1024"),
            choices=("4", "16", "64", "256", "1024"),
            many=True,
            meaning="the values of d_k",
        ),
        "initialisation": Parameter(
            "standard", choices=QUALITY_CHOICES["initialisation"], meaning="W_Q, W_K × d_k^(∓1/4); additive w ~ N(0, 1)"
        ),
        "heads": Parameter(
            ("1", "2", "3", "4", "8"), choices=("1", "2", "3", "4", "8"), many=True, meaning="the numbers of heads"
        ),
        "shown": Parameter("4", choices=("1", "2", "3", "4", "8"), meaning="the h whose heads are drawn"),
        "m": Parameter(4, Bound(1, 8, 4), meaning="positions that the query names"),
        "classes": Parameter("8", choices=("8", "16", "32", "64"), meaning="values that a position may have"),
        "mlp": Parameter(False, meaning="64 ReLU units behind the attention"),
        # the four rates of the published comparison
        "learning_rate": Parameter("0.003", choices=("0.001", "0.003", "0.01", "0.03"), meaning="of Adam"),
        "steps": Parameter(0, Bound(0, 1200, 0, step=50), meaning="0: the task's own number (150, 300, 600)"),
        "seeds": SEEDS,
        "predict": PREDICT,
    },
    figures=(*QUALITY, *HEADS, *OF_MODELS),
    parts=("predict", "run", "take-away"),
    lesson=("experiment", "task", "mechanisms", "widths", "heads", "shown"),
    questions=QUESTIONS,
    unread=all_but("seed"),
)
