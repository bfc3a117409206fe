"""Models of the owner's folder and models that were fetched: what is loaded of them stays within a bound of bytes."""

import logging
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from attention_core import Cancelled, InvalidInput, checkpoint
from attention_core.learned import CorpusMeasures, LearnedModel
from attention_core.models import FolderModel, HubFolder, ModelFolder, Sized
from visualiser.models.hub import HUB, HubModels, require_memory
from visualiser.models.measuring import measure
from visualiser.server import settings

_LOG: Final = logging.getLogger(__name__)
_LISTED_FOR: Final = 1.0
"""Seconds for which a list of names is not asked anew: every link asks."""
_WAIT: Final = 0.1
"""Seconds between two looks of a visitor who waits for a load."""
_READING: Final = 0.8
"""The share of a load that is reading the model; the rest is measuring its heads over the corpus."""


class _Kept(NamedTuple):
    model: FolderModel
    measures: CorpusMeasures


class _Load:
    """A load that is under way. `problem` is what it ended with, unless it was stopped."""

    def __init__(self, name: str) -> None:
        self.name, self.done, self.ended = name, 0.0, threading.Event()
        self.problem: InvalidInput | None = None

    def report(self, done: float) -> None:
        self.done = done


class Files(Protocol):
    """What models are read from: `ModelFolder` and `HubFolder`, by their names."""

    @property
    def names(self) -> tuple[str, ...]: ...

    def sized(self, name: str) -> Sized: ...

    def load(self, name: str, progress: Callable[[float], None]) -> FolderModel: ...


@dataclass(frozen=True)
class Here:
    """The models on this machine: those of the owner's folder, and of those that were fetched the offered ones."""

    folder: ModelFolder
    hub: HubModels

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.folder.names, *self.hub.here())

    def sized(self, name: str) -> Sized:
        return self._of(name).sized(name)

    def load(self, name: str, progress: Callable[[float], None]) -> FolderModel:
        return self._of(name).load(name, progress)

    def _of(self, name: str) -> ModelFolder | HubFolder:
        return self.hub.folder if name in self.hub.here() else self.folder


class LoadedModels:
    """The models on this machine. One is loaded at a time; whoever wants the same one waits for it.

    A load measures the model's heads over the corpus before anybody finds the model, in at most `most_run_bytes`.
    A model is kept until a newer one needs its memory: the least recently used leaves first. It leaves when the newer
    one is there, so that a load that fails or is stopped changes nothing. For that moment both are in memory.
    """

    def __init__(self, folder: Path | None, most_bytes: int, most_run_bytes: int, hub: HubModels = HUB) -> None:
        self._folder: Files = Here(ModelFolder(folder or Path(os.devnull)), hub)  # which holds nothing
        self._most, self._most_run = most_bytes, most_run_bytes
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, _Kept] = OrderedDict()  # the least recently used first
        self._under_way: _Load | None = None
        self._names: tuple[str, ...] = ()
        self._listed = float("-inf")
        self._sizes: dict[str, Sized] = {}

    def names(self) -> tuple[str, ...]:
        """Return the names of the models as of a second ago at most; none without a folder."""
        if time.monotonic() - self._listed > _LISTED_FOR:
            self._names, self._listed, self._sizes = self._folder.names, time.monotonic(), {}
        return self._names

    def sized(self, name: str) -> Sized:
        """Return what a model's files say of it. Raises `InvalidInput` as `ModelFolder.sized` does."""
        found = self._sizes.get(name)
        if found is None:
            found = self._sizes[name] = self._folder.sized(name)
        return found

    def loaded(self, name: str) -> LearnedModel | None:
        """Return a model that is loaded, used now; None for any other name."""
        with self._lock:
            if name not in self._kept:
                return None
            self._kept.move_to_end(name)
            return self._kept[name].model

    def measures(self, name: str) -> CorpusMeasures | None:
        """Return what the heads of a loaded model do over the corpus; None for any other name."""
        with self._lock:
            return self._kept[name].measures if name in self._kept else None

    def bytes(self, name: str) -> int:
        """Return the bytes of a loaded model; 0 if it has just left."""
        with self._lock:
            return self._kept[name].model.bytes if name in self._kept else 0

    def load(self, name: str, progress: Callable[[float], None]) -> LearnedModel:
        """Return a model, loaded by this call or by the one that it waits for.

        Raises `InvalidInput`: `model_too_large`, and as `ModelFolder.load` does, also for a load that was waited for;
        `Cancelled` if this visitor stops, which ends no other's load: the next one who waits begins anew.
        """
        own = _Load(name)
        while True:
            checkpoint()
            with self._lock:
                if name in self._kept:
                    self._kept.move_to_end(name)
                    return self._kept[name].model
                under_way = self._under_way
                if under_way is None:
                    self._under_way = own
            if under_way is None:
                return self._loaded_now(own, progress)
            while not under_way.ended.wait(_WAIT):
                checkpoint()
                if under_way.name == name:
                    progress(under_way.done)
            if under_way.name == name and under_way.problem is not None:
                raise under_way.problem

    def _loaded_now(self, own: _Load, progress: Callable[[float], None]) -> LearnedModel:
        def report(done: float) -> None:
            own.report(done)
            progress(done)

        try:
            found = self._read(own.name, report)
            with self._lock:
                self._kept[own.name] = found
                while len(self._kept) > 1 and sum(one.model.bytes for one in self._kept.values()) > self._most:
                    self._kept.popitem(last=False)
            return found.model
        except InvalidInput as problem:
            own.problem = problem
            raise
        finally:
            with self._lock:
                self._under_way = None
            own.ended.set()

    def _read(self, name: str, progress: Callable[[float], None]) -> _Kept:
        require_memory(name, self._folder.sized(name).bytes, self._most)
        try:
            model = self._folder.load(name, lambda done: progress(_READING * done))
            found = measure(model, self._most_run, lambda done: progress(_READING + (1 - _READING) * done))
            return _Kept(model, found)
        except (InvalidInput, Cancelled):
            raise
        except Exception as problem:  # files of strangers meet a package of others
            _LOG.exception("a model of the folder broke")
            raise InvalidInput("model_load", f"The model {name} could not be loaded.", value=name) from problem


FOLDER: Final = LoadedModels(settings.offered_models().folder, settings.model_memory(), settings.run_memory())
"""The process's own."""
