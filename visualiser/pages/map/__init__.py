"""The Map page: a long sequence as a map to zoom into."""

from typing import Final

from attention_core import Bound
from attention_core.mechanisms import MECHANISMS
from attention_core.normalisations import NORMALISATIONS
from visualiser.figures.plots.map import window_map
from visualiser.figures.plots.row import row
from visualiser.figures.plots.strips import strips
from visualiser.gpu import device_name
from visualiser.state.rules import BROUGHT, OFFERED, Parameter, Rules, prediction_parameters

MOST_TOKENS: Final = 16_384 if device_name() == "cpu" else 65_536
"""The longest sequence of the page: n² cells on a GPU take no longer than a quarter of this length on a CPU."""

MAP: Final = window_map
OF_MAP: Final = (MAP, strips)
OF_ROW: Final = (row,)
"""The figure of one query, which is drawn when it is opened."""

_PLACE = Bound(0.0, float(MOST_TOKENS), 0.0, step=0.01)

RULES: Final = Rules(
    place=5,
    own={
        "pooling": Parameter("average", choices=("average", "maximum"), meaning="what a square of several cells shows"),
        "left": Parameter(0.0, _PLACE, control=False, meaning="the first key in sight"),
        "top": Parameter(0.0, _PLACE, control=False, meaning="the first query in sight"),
        "across": Parameter(0.0, _PLACE, control=False, meaning="tokens along each side; 0: everything"),
        **prediction_parameters("narrow_head", "far_head", "sink_weight", "keys_used"),
    },
    beginning={"n": 4096, "source": "structured", "window": 256},
    bounds={"n": Bound(2, MOST_TOKENS, 4096), "window": Bound(1, MOST_TOKENS, 256)},
    # A pass over the sequence subtracts the maximum as it goes, and rounds Q and K alone.
    choices={
        "source": (*OFFERED["source"], "model"),
        "mechanism": tuple(name for name, one in MECHANISMS.items() if one.products),
        "subtract_max": ("true",),
        "normalisation": tuple(name for name, one in NORMALISATIONS.items() if one.passes),
    },
    view={"head": 1, "colour": "log"},
    sized_elsewhere=(*BROUGHT, "text"),
    figures=(*OF_MAP, *OF_ROW),
    parts=("predict", "run", "passage", "upload", "take-away"),
    lesson=("d_k", "scaling", "scale", "mask", "window", "pooling"),
    unread=("stage", "colour_range"),
)
