"""Which models there are: shipped, of the folder, and of the Hub. A visitor's text is looked up here, no more."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Final, NoReturn

from attention_core import InvalidInput
from attention_core.errors import shown
from attention_core.learned import SHIPPED, CorpusMeasures, LearnedModel, corpus_measures, shipped_model
from attention_core.models import told_kind, told_sizes
from visualiser.held import is_name
from visualiser.models.file_weights import is_file
from visualiser.models.folder import FOLDER
from visualiser.models.held import held
from visualiser.models.hub import HUB
from visualiser.models.one_at_a_time import UnderWay

DEFAULT: Final = "headlight"
"""The model of a link that names none."""


@dataclass(frozen=True)
class Described:
    """What a list says of a model.

    loaded      False until somebody loads it; one that ships always is
    megabytes   that it takes, or will take, in memory; 0 for one that only the Hub knows
    parameters  numbers of the model; 0 for one that is not here
    layers      of attention, and `h` heads of each: of one that is not loaded as its configuration or the Hub's list
                has them; None if they do not
    d_k         None before it is loaded
    here        False for a model of the Hub that has to be fetched first
    to_fetch    MiB of its file of numbers; 0 for one that is here, or that only the Hub knows
    takes       `picture` for one that reads pictures alone, `text`, or another kind of the Hub's list; empty for one
                that only the Hub knows. Before it is loaded its files tell
    """

    name: str
    loaded: bool
    megabytes: float
    parameters: int
    layers: int | None = None
    h: int | None = None
    d_k: int | None = None
    here: bool = True
    to_fetch: float = 0
    takes: str = "text"


def offered() -> tuple[str, ...]:
    """Return the names of the models, those that ship first, those of the Hub last."""
    return tuple(dict.fromkeys((*SHIPPED, *FOLDER.names(), *HUB.ids)))


def here() -> tuple[str, ...]:
    """Return the names of the models that nobody has to fetch."""
    return tuple(dict.fromkeys((*SHIPPED, *FOLDER.names())))


def is_here(name: str) -> bool:
    """Return True unless a model of the Hub has to be fetched first."""
    return HUB.about(name) is None or name in HUB.here()


def is_offered(name: str) -> bool:
    """Return True for a name that a link may have: one of the list, or that of a model which is, or was, held."""
    return is_name(name) or name in offered()


def known(name: str) -> LearnedModel | None:
    """Return a model whose sizes are known now; None for one that is not offered, not loaded or no longer held."""
    if is_name(name):
        found = held(name)
        return found and found.model
    return shipped_model(name) if name in SHIPPED else FOLDER.loaded(name)


def is_loaded(name: str) -> bool:
    """Return True for a model that `find` returns at once."""
    return known(name) is not None


def find(name: str) -> LearnedModel:
    """Return a model that is loaded.

    Raises
    ------
    InvalidInput
        `unknown_model` for a name that is not offered; `model_not_fetched` for one that `fetch` has to fetch first;
        `model_not_loaded`, with `megabytes`, for one that `load` has to load first; `transformers_missing` if it
        cannot; `held_gone` for one that was held and
        `weights_file_gone` for a file of weights; and what is wrong with the model's files.
    """
    found = known(name)
    if found is None:
        _refuse_unloaded(name)
    return found


def measured(name: str) -> CorpusMeasures:
    """Return what the heads of a loaded model do over the corpus. Raises as `find` does.

    Of one that has not read the corpus, or not yet (`is_measured`), they are NaN.
    """
    if is_name(name):
        there = held(name)
        found = there and there.measures
    else:
        found = corpus_measures(shipped_model(name)) if name in SHIPPED else FOLDER.measures(name)
    if found is None:
        _refuse_unloaded(name)
    return found


def is_measured(name: str) -> bool:
    """Return False for a loaded model whose heads have still to be measured over the corpus, or cannot be."""
    return not FOLDER.lacks_measures(name)


def unmeasurable(name: str) -> InvalidInput | None:
    """Return why the heads of a loaded model cannot be measured over the corpus; None if they are, or may be."""
    return FOLDER.unmeasurable(name)


def measure(name: str, progress: Callable[[float], None] = lambda done: None) -> None:
    """Measure the heads of a loaded model over the corpus, or wait until another visitor's run has.

    Nothing happens to a model that is measured, ships or has just left. `progress` gets the share done. Raises as
    `measuring.measure` does, and `Cancelled`.
    """
    FOLDER.measure(name, progress)


def under_way() -> UnderWay | None:
    """Return what one visitor's run does with a model while others wait."""
    return FOLDER.work.under_way()


def follow() -> Iterator[float]:
    """Yield how much is done of what is under way, again and again until it ends."""
    return FOLDER.work.follow()


def take(what: UnderWay, step: Callable[[Callable[[float], None]], object], progress: Callable[[float], None]) -> None:
    """Do a step with a loaded model while no other is under way, as `OneAtATime.take`."""
    FOLDER.work.take(what, step, progress)


def load(name: str, progress: Callable[[float], None] = lambda done: None) -> LearnedModel:
    """Load a model, or wait until another visitor's load has. `progress` gets the share done.

    Raises `InvalidInput` as `find` does but for `model_not_loaded`, `model_too_large` for one that does not fit into
    `HEADLIGHT_MODEL_MB`, and `Cancelled`.
    """
    found = known(name)
    if found is not None:
        return found
    _require_held(name)
    _require_offered(name)
    _require_transformers()
    if not is_here(name):
        _refuse_unfetched(name)
    return FOLDER.load(name, progress)


def fetch(name: str, progress: Callable[[float], None] = lambda done: None) -> None:
    """Fetch an offered model of the Hub, unless it is here. `progress` gets the share that has come.

    Raises `InvalidInput` as `find` does but for `model_not_fetched` and `model_not_loaded`, and as `HubModels.fetch`
    does; and `Cancelled`.
    """
    _require_offered(name)
    _require_transformers()
    if not is_here(name):
        HUB.fetch(name, progress)


def megabytes(name: str) -> int:
    """Return the MiB that a model takes, at least 1. Raises `InvalidInput` as `find` does for a model's files."""
    return max(1, round(described(name).megabytes))


def described(name: str) -> Described:
    """Return what a list says of a model, without loading it. Raises `InvalidInput` as `megabytes` does."""
    _require_held(name)
    _require_offered(name)
    found = known(name)
    if found is None and not is_here(name):
        listed = HUB.about(name)
        assert listed is not None
        size, to_fetch = listed.loaded_bytes / 2**20, listed.weight_bytes / 2**20
        told = listed.layers or None, listed.h or None
        return Described(name, False, size, 0, *told, here=False, to_fetch=to_fetch, takes=listed.takes)
    if found is None:
        sized = FOLDER.sized(name)
        layers, h = told_sizes(sized)
        takes = _takes(name) or told_kind(sized)
        return Described(name, False, sized.bytes / 2**20, sized.parameters, layers or None, h or None, takes=takes)
    size = FOLDER.bytes(name) if name in FOLDER.names() else 4 * found.parameters
    takes = _takes(name) or ("picture" if found.takes == {"pictures"} else "text")
    return Described(name, True, size / 2**20, found.parameters, found.layers, found.h, found.d_k, takes=takes)


def _takes(name: str) -> str:
    """Return what the Hub's list says that a model takes; empty for any other."""
    listed = HUB.about(name)
    return "" if listed is None else listed.takes


def _refuse_unloaded(name: str) -> NoReturn:
    """Raise what `find` does for a model that is not loaded."""
    _require_held(name)
    _require_offered(name)
    if not is_here(name):
        _require_transformers()
        _refuse_unfetched(name)
    needed = megabytes(name)
    _require_transformers()
    raise InvalidInput(
        "model_not_loaded",
        f"The model {name} is not loaded yet; it takes {needed} MB.",
        value=name,
        megabytes=needed,
    )


def _refuse_unfetched(name: str) -> NoReturn:
    raise InvalidInput("model_not_fetched", f"The model {name} is not on this machine yet.", value=name)


def _require_held(name: str) -> None:
    """Raise `InvalidInput` for the name of a model, or of a file of weights, that is not held now."""
    if is_file(name) and held(name) is None:
        raise InvalidInput(
            "weights_file_gone",
            "The file of weights is not here: a link carries none. Choose it on the page Model.",
        )
    if is_name(name) and held(name) is None:
        raise InvalidInput(
            "held_gone",
            "What was handed over is no longer held: run the cell that shows it again.",
        )


def _require_offered(name: str) -> None:
    if not is_offered(name):
        raise InvalidInput(
            "unknown_model", f"model must be one of {', '.join(offered())}; got {shown(name)}.", value=name
        )


def _require_transformers() -> None:
    if find_spec("transformers") is None:
        raise InvalidInput(
            "transformers_missing",
            'Reading a model needs the package transformers, which is not installed: pip install "headlight[models]".',
        )
