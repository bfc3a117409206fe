"""What a page adds to the controls that all pages share: its own parameters, and where it has other bounds.

`AttentionConfig` and `View` hold what every page understands. A page that draws something else has settings of its own
(a position on a map, a learning rate); they are named here once, and link, controls and API read them from here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from attention_core import BOUNDS, AttentionConfig, Bound
from attention_core.config import SHORT_TEXT
from attention_core.experiments import QUALITY_CHOICES
from attention_core.studies.cost import VARIED
from visualiser.gpu import device_name
from visualiser.pages.anatomy.steps import STEPS, WALKED
from visualiser.state.view import View

PAGES: Final = ("explore", "why", "anatomy", "cost", "train", "map")
"""The pages that exist, in the order of the navigation; a link to another opens the first, with a notice."""

EXPLORE: Final = PAGES[0]
"""The page of links that name none."""


@dataclass(frozen=True)
class Parameter:
    """One setting of one page: a number in a `bound`, one of `choices`, or (`many`) several of them; its default."""

    default: Any
    bound: Bound | None = None
    choices: tuple[str, ...] = ()
    many: bool = False


MOST_TOKENS: Final = 16_384 if device_name() == "cpu" else 65_536
"""The longest sequence of the Map page: on a GPU n² cells take no longer than on a CPU at a quarter of the length."""

_PLACE = Bound(0.0, float(MOST_TOKENS), 0.0, step=0.01)

PREDICT: Final = Parameter(True)
"""Whether the page asks what one expects before it shows it (`visualiser.predictions`)."""

OWN: Final[Mapping[str, Mapping[str, Parameter]]] = MappingProxyType(
    {
        "why": {
            "seeds": Parameter(5, Bound(1, 10, 5)),
            "predict": PREDICT,
        },
        "anatomy": {
            "step": Parameter(STEPS[0], choices=STEPS),
            "rows": Parameter("one", choices=("one", "all")),
            "layer": Parameter(1, Bound(1, 4, 1)),
            "predict": PREDICT,
        },
        "cost": {
            "varied": Parameter("n", choices=VARIED),
            "predict": PREDICT,
        },
        "train": {
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
        "map": {
            "pooling": Parameter("average", choices=("average", "maximum")),
            "left": Parameter(0.0, _PLACE),
            "top": Parameter(0.0, _PLACE),
            "across": Parameter(0.0, _PLACE),
        },
    }
)
"""Each page's own parameters, by page and name; a name may mean something on several pages, but the same everywhere."""

_DEFAULTS: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {
        # Unscaled, because that is where something goes wrong; one head, because seeds are what varies there.
        "why": {"h": 1, "d_k": 64, "tie": False, "scaling": "none"},
        # As small as Figure 2 can be and still have heads: every number of it fits on a screen.
        "anatomy": {"n": 4, "d_model": 8, "h": 2, "source": "text", "text": SHORT_TEXT, "window": 1},
        "cost": {"n": 256},
        "map": {"n": 4096, "source": "structured", "window": 256},
    }
)
"""Where a page begins elsewhere than `AttentionConfig` does."""

_BOUNDS: Final[Mapping[str, Mapping[str, Bound]]] = MappingProxyType(
    {
        # A sweep of 10 seeds at n = 128 takes about a second; the factor's logarithmic slider ends below 1/1024.
        "why": {"n": Bound(2, 128, 32), "scale": Bound(0.0002, 16.0, 1.0, step=0.0001)},
        "anatomy": {
            "n": Bound(2, 64, 4),
            "d_model": Bound(2, 512, 8),
            "h": Bound(1, 16, 2),
            "d_k": Bound(1, 512, 4),
            "window": Bound(1, 64, 1),
        },
        "cost": {"n": Bound(32, 1024, 256, step=32), "d_k": Bound(8, 256, 64, step=8)},
        "map": {"n": Bound(2, MOST_TOKENS, 4096), "window": Bound(1, MOST_TOKENS, 256)},
    }
)
"""Where a page takes other numbers than `BOUNDS` says."""

_VIEWS: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {"anatomy": {"head": 1}, "map": {"head": 1, "colour": "log"}}
)
"""Where a page begins with another view than `View` does."""

_CHOICES: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = MappingProxyType(
    # The walk's arithmetic is written out, so nothing may be rounded in between; and it begins at an X or at a draw.
    {"anatomy": {"source": ("text", "gaussian"), "dtype": ("float32",), "mechanism": WALKED}}
)
"""Where a page offers fewer choices than `CHOICES` says."""

_SIZED_ELSEWHERE: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({"map": ("upload", "text")})
"""The sources of a page whose number of tokens the link does not tell."""


def own(page: str) -> Mapping[str, Parameter]:
    """The parameters that only this page has."""
    return OWN.get(page, {})


@cache
def bounds(page: str) -> Mapping[str, Bound]:
    """The range of every number on this page."""
    numbers = {name: item.bound for name, item in own(page).items() if item.bound}
    return MappingProxyType({**BOUNDS, **_BOUNDS.get(page, {}), **numbers})


def choices(page: str, name: str) -> tuple[str, ...]:
    """The choices of a setting of all pages that this page offers; empty where it has no rule of its own."""
    return _CHOICES.get(page, {}).get(name, ())


@cache
def beginning(page: str) -> AttentionConfig:
    """The configuration with which this page begins."""
    return AttentionConfig(**_DEFAULTS.get(page, {}))


@cache
def first_view(page: str) -> View:
    """The view with which this page begins."""
    return View(**_VIEWS.get(page, {}))


def sized_elsewhere(page: str) -> tuple[str, ...]:
    """The sources that bring their number of tokens with them, so that a link cannot be checked against it."""
    return _SIZED_ELSEWHERE.get(page, ("upload",))


def begun(page: str) -> frozenset[str]:
    """The names whose default is this page's own."""
    return frozenset(_DEFAULTS.get(page, {}))


def first_values(page: str) -> dict[str, Any]:
    """The defaults of the page's own parameters."""
    return {name: item.default for name, item in own(page).items()}
