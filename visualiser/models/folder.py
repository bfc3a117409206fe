"""Models of the owner's folder and models that were fetched: what is loaded of them stays within a bound of bytes."""

import logging
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from attention_core import InvalidInput, checkpoint
from attention_core.learned import CorpusMeasures, LearnedModel
from attention_core.models import MOST_SUBFOLDERS, FolderModel, HubFolder, ModelFolder, Sized
from visualiser.models.held import unmeasured
from visualiser.models.hub import HUB, HubModels, require_memory
from visualiser.models.measuring import measure
from visualiser.models.one_at_a_time import OneAtATime, UnderWay
from visualiser.server import settings

_LOG: Final = logging.getLogger(__name__)
_LISTED_FOR: Final = 1.0
"""Seconds for which a list of names is not asked anew: every link asks."""


@dataclass(eq=False)
class _Kept:
    """A loaded model. `measures` is None until its heads were measured; `problem` says why they cannot be."""

    model: FolderModel
    measures: CorpusMeasures | None = None
    problem: InvalidInput | None = None


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
    """The models on this machine. One is loaded or measured at a time; whoever wants the same waits for it.

    A model is found as soon as it is read. Its heads are measured over the corpus afterwards, in at most
    `most_run_bytes`. It is kept until a newer one needs its memory: the least recently used leaves first. It leaves
    when the newer one is there, so that a load that fails or is stopped changes nothing. For that moment both are in
    memory.
    """

    def __init__(self, folder: Path | None, most_bytes: int, most_run_bytes: int, hub: HubModels = HUB) -> None:
        self._own = ModelFolder(folder or Path(os.devnull))  # which holds nothing
        self._folder: Files = Here(self._own, hub)
        self._most, self._most_run = most_bytes, most_run_bytes
        self.work = OneAtATime()
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, _Kept] = OrderedDict()  # the least recently used first
        self._names: tuple[str, ...] = ()
        self._listed = float("-inf")
        self._sizes: dict[str, Sized] = {}

    def names(self) -> tuple[str, ...]:
        """Return the names of the models as of a second ago at most; none without a folder."""
        if time.monotonic() - self._listed > _LISTED_FOR:
            self._names, self._listed, self._sizes = self._folder.names, time.monotonic(), {}
        return self._names

    def log_left_out(self) -> None:
        """Log how many subfolders of the owner's folder are not looked into, if there are such."""
        if (left_out := self._own.left_out) > 0:
            _LOG.warning(
                "HEADLIGHT_MODELS: the first %d subfolders by name are looked into, and %d are left out; "
                "a folder of fewer would do",
                MOST_SUBFOLDERS,
                left_out,
            )

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
        """Return what the heads of a loaded model do over the corpus, all NaN before they are measured; None for any
        other name."""
        with self._lock:
            kept = self._kept.get(name)
        return None if kept is None else kept.measures or unmeasured(kept.model)

    def lacks_measures(self, name: str) -> bool:
        """Return True for a loaded model whose heads are not measured."""
        with self._lock:
            return name in self._kept and self._kept[name].measures is None

    def unmeasurable(self, name: str) -> InvalidInput | None:
        """Return why the heads of a loaded model cannot be measured; None if they may be."""
        with self._lock:
            return self._kept[name].problem if name in self._kept else None

    def bytes(self, name: str) -> int:
        """Return the bytes of a loaded model; 0 if it has just left."""
        with self._lock:
            return self._kept[name].model.bytes if name in self._kept else 0

    def load(self, name: str, progress: Callable[[float], None]) -> LearnedModel:
        """Return a model, loaded by this call or by the one that it waits for.

        Raises `InvalidInput`: `model_too_large`, and as `ModelFolder.load` does, also for a load that was waited for;
        `Cancelled` if this visitor stops, which ends no other's load: the next one who waits begins anew.
        """
        while (kept := self._find(name)) is None:
            self.work.take(UnderWay("load", name), lambda report: self._read(name, report), progress)
        return kept.model

    def measure(self, name: str, progress: Callable[[float], None]) -> None:
        """Measure the heads of a loaded model over the corpus, in this call or in the one that it waits for.

        Nothing happens for a model that has just left. Raises as `load` does, and as `measuring.measure`, whose refusal
        is kept with the model.
        """
        while (kept := self._find(name)) is not None and kept.measures is None:
            step = lambda report, kept=kept: self._measured(kept, report)  # noqa: E731
            self.work.take(UnderWay("measure", name), step, progress)

    def _find(self, name: str) -> _Kept | None:
        """Return a model that is loaded, used now."""
        checkpoint()
        with self._lock:
            if name in self._kept:
                self._kept.move_to_end(name)
            return self._kept.get(name)

    def _read(self, name: str, progress: Callable[[float], None]) -> None:
        require_memory(name, self._folder.sized(name).bytes, self._most)
        kept = _Kept(self._folder.load(name, progress))
        with self._lock:
            self._kept[name] = kept
            while len(self._kept) > 1 and sum(one.model.bytes for one in self._kept.values()) > self._most:
                self._kept.popitem(last=False)

    def _measured(self, kept: _Kept, progress: Callable[[float], None]) -> None:
        try:
            kept.measures = measure(kept.model, self._most_run, progress)
        except InvalidInput as problem:
            kept.problem = problem
            raise


FOLDER: Final = LoadedModels(settings.offered_models().folder, settings.model_memory(), settings.run_memory())
"""The process's own."""
