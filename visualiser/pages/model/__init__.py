"""The Model page: every head of a trained model over a text, one of them large, and why it reads a key."""

from typing import Final

from attention_core import Bound
from attention_core.learned import HEAD_MEASURES, NAMES, PATCH_MEASURES
from visualiser.figures.head_costs import COST
from visualiser.figures.patched_heads import PATCH
from visualiser.figures.plots.factor_curve import factor_curve
from visualiser.figures.plots.head_entropy import head_entropy
from visualiser.figures.plots.head_map import head_map
from visualiser.figures.plots.head_picture import head_picture
from visualiser.figures.plots.head_row import head_row
from visualiser.figures.plots.head_scatter import head_scatter
from visualiser.figures.plots.head_scores import head_scores
from visualiser.figures.plots.head_writes import head_writes
from visualiser.figures.plots.layer_entropies import layer_entropies
from visualiser.figures.plots.model_heads import model_heads
from visualiser.figures.plots.model_says import model_says
from visualiser.figures.plots.moved_heads import moved_heads
from visualiser.figures.plots.picture_reads import picture_reads
from visualiser.figures.plots.reads_by_layer import reads_by_layer
from visualiser.figures.plots.why_key import why_key
from visualiser.figures.shown_map import SHOWS, WEIGHTS
from visualiser.figures.sorted_heads import LAYER, LEAST, WEIGHT
from visualiser.state.rules import Parameter, Rules, all_but, prediction_parameters
from visualiser.state.view import MOST_PLACES
from visualiser.upload.weights import MOST_TOKENS

MAPS: Final = model_heads
POINTS: Final = head_scatter
ONE: Final = head_map

OVERVIEW: Final = (MAPS, POINTS)
"""All heads: as small maps, or as points of two measures."""

PICTURE: Final = head_picture
READS: Final = picture_reads
BY_LAYER: Final = reads_by_layer
SAYS: Final = model_says
"""What the model says of what it reads."""

CHANGED: Final = (factor_curve, layer_entropies, moved_heads)
"""What a change of the model makes of it."""

OF_FACTOR: Final = (factor_curve,)
"""That of a factor of all heads, which takes the place of another."""
OF_OTHERS: Final = (layer_entropies,)

MOVED: Final = moved_heads
"""Of those the one that is empty if no other head moved."""

UNCHANGED: Final = (head_scores, head_entropy)
"""Figures of the chosen head that leave their place to those."""

OF_KEY: Final = (why_key, head_writes)
"""Of the chosen key: why it is read, or what the head writes then; the two share a place."""

HEAD: Final = (ONE, PICTURE, READS, head_row, *OF_KEY, head_scores, head_entropy, *CHANGED, BY_LAYER)
"""The chosen head, and beside it what a change makes."""

OF_TEXTS: Final = (ONE, head_row)
OF_PICTURES: Final = (PICTURE,)
"""Figures of the chosen head that only a model of this kind has."""

OF_BOTH: Final = (READS, BY_LAYER)
"""Those of a text with pictures alone."""

OF_ONE: Final = (head_entropy,)
"""Those of a text or of a picture, which leave their place to the others."""

OF_SCORES: Final = (*OF_KEY, head_scores)
"""Those of scores, queries, keys and values, which nobody knows where weights alone were given."""

OF_WEIGHTS: Final = (head_entropy,)
"""Those of rows that add up to 1, as they need not by a change or where weights were given."""

MEASURES: Final = tuple({**HEAD_MEASURES, **PATCH_MEASURES})

AUTO: Final = "auto"

QUESTIONS: Final = ("model_previous", "model_key", "model_mute", "model_copies", "model_factor")
"""Which head reads the token before, which token the chosen query reads most, what a muted head takes away, which one
costs the text most, and what twice the factor does."""

RULES: Final = Rules(
    place=5,
    own={
        **prediction_parameters(*QUESTIONS),
        "overview": Parameter(
            "grid", choices=("grid", "scatter"), meaning="all heads as small maps, or as points of two measures"
        ),
        "over": Parameter("corpus", choices=("corpus", "text"), meaning="what the measures of heads are taken over"),
        "cost": Parameter(
            "none",
            choices=("none", "text", "noise", "denoise"),
            meaning="if what each head costs this text is shown, or with the head from a second text (noise), or what "
            "it brings into that (denoise)",
        ),
        "other": Parameter("", meaning="the second text, with as many tokens as the text"),
        "answer": Parameter("", meaning="the answer at the end of both texts: ln p is that of its first token"),
        "patch": Parameter(
            "output", choices=("output", "weights"), meaning="what of a head is taken from another text"
        ),
        "patch_at": Parameter(
            "", meaning="the positions at which it is taken, with commas between them; −1 is the last, empty all"
        ),
        "x": Parameter("previous_token", choices=(*MEASURES, COST, PATCH), meaning="the measure across of the points"),
        "y": Parameter("induction", choices=(*MEASURES, COST, PATCH), meaning="the measure upwards of the points"),
        "sort": Parameter(
            LAYER,
            choices=(LAYER, WEIGHT, *MEASURES, COST, PATCH),
            meaning="the order of the heads, the largest first; weight: that of the chosen key for the chosen query",
        ),
        "only": Parameter("all", choices=("all", "labelled", "least"), meaning="the heads that are shown"),
        "least": Parameter(
            LEAST,
            Bound(0.0, 1000.0, LEAST, step=0.01),
            meaning="how much of `sort` the heads of `only=least` have, of a measure with a chance above it",
        ),
        "changes": Parameter(
            "",
            meaning="changes of the running model, such as factor:2.5@1,mute@1.3; with commas between them",
        ),
        "against": Parameter(
            "",
            control=False,
            meaning="changes, written in the same way, of the state A that the others are compared with",
        ),
        "texts": Parameter(
            "",
            control=False,
            meaning="the texts over which the page of the head is read, such as english; empty for the page Model",
        ),
        "by": Parameter(
            AUTO,
            choices=(AUTO, *MEASURES),
            control=False,
            meaning="the measure by which the page of the head sorts passages; auto: what the head does there",
        ),
        "key_figure": Parameter(
            "why", choices=("why", "writes"), meaning="of the chosen key: why it is read, or what the head writes then"
        ),
        "shows": Parameter(
            WEIGHTS,
            choices=SHOWS,
            meaning="what the map of one head shows: weights, these times ‖W_O v‖ of the key, these without the first "
            "position, the mean of the layer's heads, or rollout up to the layer",
        ),
        "key": Parameter(
            -1, Bound(-1, MOST_PLACES - 1, -1), control=False, meaning="the locked key; −1 is the one that is read most"
        ),
    },
    beginning={"source": "model", "text": NAMES},
    bounds={"n": Bound(2, MOST_TOKENS, 32)},
    choices={"source": ("model",)},
    view={"head": 1},
    sized_elsewhere=("model", "upload"),
    figures=(*OVERVIEW, SAYS, *HEAD),
    parts=("predict", "model-text", "take-away"),
    lesson=("model", "overview", "changes"),
    unread=all_but(
        "source", "model", "layer", "text", "pictures", "target", "sound", "head", "row", "colour", "colour_range"
    ),
)
