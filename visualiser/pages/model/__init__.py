"""The Model page: every head of a trained model over a text, one of them large, and why it reads a key."""

from typing import Final

from attention_core import Bound
from attention_core.learned import HEAD_MEASURES, NAMES
from visualiser.figures.plots.head_entropy import head_entropy
from visualiser.figures.plots.head_map import head_map
from visualiser.figures.plots.head_row import head_row
from visualiser.figures.plots.head_scatter import head_scatter
from visualiser.figures.plots.head_scores import head_scores
from visualiser.figures.plots.model_heads import model_heads
from visualiser.figures.plots.why_key import why_key
from visualiser.state.rules import Parameter, Rules, all_but, prediction_parameters

MAPS: Final = model_heads
POINTS: Final = head_scatter
ONE: Final = head_map

OVERVIEW: Final = (MAPS, POINTS)
"""All heads: as small maps, or as points of two measures."""

HEAD: Final = (ONE, head_row, why_key, head_scores, head_entropy)
"""The chosen head."""

MEASURES: Final = tuple(HEAD_MEASURES)

MOST_TOKENS: Final = 128

QUESTIONS: Final = ("model_previous", "model_key")
"""Which head reads the token before, and which token the chosen query reads most."""

RULES: Final = Rules(
    place=5,
    own={
        **prediction_parameters(*QUESTIONS),
        "overview": Parameter(
            "grid", choices=("grid", "scatter"), meaning="all heads as small maps, or as points of two measures"
        ),
        "over": Parameter("corpus", choices=("corpus", "text"), meaning="what the measures of heads are taken over"),
        "x": Parameter("previous_token", choices=MEASURES, meaning="the measure across of the points"),
        "y": Parameter("induction", choices=MEASURES, meaning="the measure upwards of the points"),
        "sort": Parameter("layer", choices=("layer", *MEASURES), meaning="the order of the heads; the largest first"),
        "only": Parameter("all", choices=("all", "labelled"), meaning="the heads that are shown"),
        "key": Parameter(
            -1, Bound(-1, MOST_TOKENS - 1, -1), control=False, meaning="the locked key; −1 is the one that is read most"
        ),
    },
    beginning={"source": "model", "text": NAMES},
    bounds={"n": Bound(2, MOST_TOKENS, 32)},
    choices={"source": ("model",)},
    view={"head": 1},
    sized_elsewhere=("model", "upload"),
    figures=(*OVERVIEW, *HEAD),
    parts=("predict", "model-text", "take-away"),
    lesson=("model", "overview"),
    unread=all_but("source", "model", "layer", "text", "head", "row", "colour", "colour_range"),
)
