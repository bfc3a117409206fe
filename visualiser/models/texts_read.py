"""What the heads of a model do over real texts: each collection is read once with a model, and kept within a bound."""

import threading
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final

from attention_core import InvalidInput
from attention_core.learned import LearnedModel, corpus_texts
from attention_core.learned.head_texts import MOST_POSITIONS, TextReading, file_passages, passages, read_texts
from attention_core.learned.run import DocumentModel
from attention_core.prose import LANGUAGES, manual, prose
from visualiser.models.kept import Kept
from visualiser.models.listing import find, known, take
from visualiser.models.measuring import require_memory
from visualiser.models.one_at_a_time import UnderWay
from visualiser.models.run_work import sizes_of, work
from visualiser.models.runs import is_fixed
from visualiser.server import settings

SYNTHETIC: Final = "synthetic"
"""The corpus over which labels are measured: of it a model that ships knows the words."""
MANUAL: Final = "manual"
"""Python's own, in technical English."""

_EACH: Final = 40
"""Texts of each kind of the synthetic corpus."""
_MOST_FILES: Final = 100
"""Of the owner's folder, the first ones by name."""
_ENDINGS: Final = (".txt", ".jsonl")
_SERVED_SECONDS: Final = 180.0
"""For which a stranger's reading may keep others from loading models; an owner's lasts as long as it does."""


@dataclass(frozen=True, eq=False)
class _Read:
    """A reading, and the model that made it: another one of its name has not read these texts."""

    model: "weakref.ref[LearnedModel]"
    reading: TextReading


_LOCK: Final = threading.Lock()
_KEPT: Final = Kept[_Read](settings.memory() // 12, lambda one: one.reading.bytes)
_MADE: Final = Counter[str]()


def offered(name: str) -> tuple[str, ...]:
    """Return the names of the texts that a loaded model can read: none for one that reads more than a text, or a run.

    Those of the owner's folder (`HEADLIGHT_TEXTS`) have the names of their files.
    """
    model = known(name)
    if model is None or model.takes != {"text"} or is_fixed(name):
        return ()
    if isinstance(model, DocumentModel):
        return (SYNTHETIC,)
    return (*LANGUAGES, MANUAL, SYNTHETIC, *(path.name for path in _files()))


def text_reading(name: str, texts: str) -> TextReading | None:
    """Return what a model's heads do over texts if it has read them, and that is kept."""
    found = _KEPT.find((name, texts))
    return found.reading if found is not None and found.model() is known(name) else None


def text_readings(name: str) -> int:
    """Return how often texts were read with a model: an answer before the last one may lack what it has now."""
    return _MADE[name]


def read_over(name: str, texts: str, progress: Callable[[float], None] = lambda done: None) -> None:
    """Read texts with a loaded model, or wait until another visitor's run has. `progress` gets the share done.

    Raises
    ------
    InvalidInput
        As `find`; `unknown_texts` for texts that are not offered; before the first passage `model_corpus` if one may
        take more than a long run has, and `texts_long` for what may take minutes where strangers are served; and as
        `file_passages`.
    Cancelled
        If this visitor stops, which ends no other's reading.
    """
    model = find(name)
    _require_offered(name, texts)
    _require_short(name, texts)
    made = list[bool]()
    while not made and text_reading(name, texts) is None:
        take(
            UnderWay("read", name, texts),
            lambda report: made.append(_read(model, name, texts, report)),
            progress,
        )


def _read(model: LearnedModel, name: str, texts: str, progress: Callable[[float], None]) -> bool:
    require_memory(model, min(MOST_POSITIONS, model.most_tokens), settings.run_memory())
    whole = max(1, _length(model, texts))
    came = 0

    def counted() -> Iterator[str]:
        nonlocal came
        for passage in _passages(model, texts):
            came += len(passage.encode())
            yield passage

    reading = read_texts(model, counted(), lambda done: progress(min(1.0, came / whole)))
    with _LOCK:
        _MADE[name] += 1
    _KEPT.keep((name, texts), _Read(weakref.ref(model), reading))
    return True


def seconds(name: str, texts: str) -> float:
    """Return about how many seconds of one core reading texts takes; 0 for what is not offered."""
    model = known(name)
    if model is None or texts not in offered(name):
        return 0.0
    n = min(MOST_POSITIONS, model.most_tokens)
    return work(sizes_of(model, n)).seconds * _length(model, texts) / (2 * n)  # about two bytes a position


def _passages(model: LearnedModel, texts: str) -> Iterator[str]:
    if texts in LANGUAGES:
        return passages(prose(texts))
    if texts == MANUAL:
        return passages(manual())
    if texts == SYNTHETIC:
        found = corpus_texts(_EACH)
        # without its last word a document leaves the model a position, and is read in one piece
        return iter([text.rpartition(" ")[0] for text in found] if isinstance(model, DocumentModel) else found)
    return file_passages(_file(texts))


def _length(model: LearnedModel, texts: str) -> int:
    """Return the bytes of texts."""
    if texts not in (*LANGUAGES, MANUAL, SYNTHETIC):
        return _file(texts).stat().st_size
    return sum(len(passage.encode()) for passage in _passages(model, texts))


def _files() -> list[Path]:
    folder = settings.texts()
    found = chain.from_iterable([] if folder is None else (folder.glob(f"*{ending}") for ending in _ENDINGS))
    return sorted(path for path in found if path.is_file())[:_MOST_FILES]


def _file(name: str) -> Path:
    return next(path for path in _files() if path.name == name)


def _require_offered(name: str, texts: str) -> None:
    choices = offered(name)
    if texts not in choices:
        listed = ", ".join(choices)
        raise InvalidInput(
            "unknown_texts",
            f"With the model {name} heads are read over: {listed or 'none'}.",
            value=name,
            choices=listed,
        )


def _require_short(name: str, texts: str) -> None:
    expected = seconds(name, texts)
    if not settings.is_own() and expected > _SERVED_SECONDS:
        minutes, limit = -(-int(expected) // 60), int(_SERVED_SECONDS // 60)
        raise InvalidInput(
            "texts_long",
            f"With the model {name} these texts would take up to {minutes} minutes, and a visitor has {limit} here. "
            "Other texts or a smaller model would do.",
            value=name,
            minutes=minutes,
            limit=limit,
        )
