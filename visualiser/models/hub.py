"""The models of the Hugging Face Hub that this server offers: which they are, which are here, and fetching one.

Only an id that the owner offers is ever asked for. One model is fetched at a time.
"""

import threading
import time
from collections.abc import Callable, Iterable
from typing import Final, Literal

from attention_core import InvalidInput, checkpoint
from attention_core.models import HUB_LIST, SMALL_BYTES, HubFolder, Listed
from visualiser.server import settings

Network = Literal["there", "away", "asked"]

_FRESH: Final = 30.0
"""Seconds for which the Hub is taken to be there, or away."""
_LISTED_FOR: Final = 1.0
_WAIT: Final = 0.1
_STEP: Final = 0.002
"""The share of a fetch after which it is reported again."""


def expanded(written: Iterable[str]) -> tuple[Listed, ...]:
    """Return the models that ids and words name, the smallest first; of an unlisted one only its id is known."""
    found: dict[str, Listed] = {}
    for one in written:
        if one == settings.LISTED:
            found |= HUB_LIST
        elif one == settings.SMALL:
            found |= {id: listed for id, listed in HUB_LIST.items() if listed.loaded_bytes <= SMALL_BYTES}
        else:
            found[one] = HUB_LIST.get(one) or Listed(one, "main", "", "", 0)
    return tuple(sorted(found.values(), key=lambda one: (one.loaded_bytes or 2**62, one.id)))


class HubModels:
    """The offered models of the Hub. Each model of `offered` has a size of 0 if only the Hub knows it."""

    def __init__(self, folder: HubFolder, offered: Iterable[Listed], most_loaded_bytes: int) -> None:
        self.folder, self._most = folder, most_loaded_bytes
        self._offered = {one.id: one for one in offered}
        self._turn = threading.Lock()
        self._here: tuple[str, ...] = ()
        self._looked = float("-inf")
        self._network: Network = "asked"
        self._network_at = float("-inf")

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids, the smallest model first."""
        return tuple(self._offered)

    def about(self, id: str) -> Listed | None:
        """Return what is known of an offered model before it is fetched; None for any other name."""
        return self._offered.get(id)

    def here(self) -> tuple[str, ...]:
        """Return the ids of offered models that are on this machine, as of a second ago at most."""
        if self._offered and time.monotonic() - self._looked > _LISTED_FOR:
            there = frozenset(self.folder.names)
            self._here, self._looked = tuple(id for id in self._offered if id in there), time.monotonic()
        return self._here

    def fetch(self, id: str, progress: Callable[[float], None]) -> None:
        """Fetch an offered model, or wait until another visitor's fetch has; `progress` gets the share that is here.

        Raises `InvalidInput`: `model_too_large` for one that this server has no memory for, before its first byte; as
        `HubFolder.fetch` does; and `Cancelled`.
        """
        listed = self._offered[id]
        require_memory(id, listed.loaded_bytes, self._most)
        while not self._turn.acquire(timeout=_WAIT):
            checkpoint()
        try:
            if not self.folder.has(id):
                plan = self.folder.plan(id, listed.revision, listed.sha256)
                require_memory(id, plan.loaded_bytes, self._most)
                self._network, self._network_at = "there", time.monotonic()
                self.folder.fetch(plan, _in_steps(progress))
        finally:
            self._looked = float("-inf")
            self._turn.release()

    def network(self) -> Network:
        """Return if the Hub is there, as far as is known; another thread asks it anew when that is old."""
        if not self._offered:
            return "away"
        if time.monotonic() - self._network_at > _FRESH:
            self._network_at = time.monotonic()
            threading.Thread(target=self._ask, daemon=True).start()
        return self._network

    def _ask(self) -> None:
        self._network = "there" if self.folder.is_reachable() else "away"
        self._network_at = time.monotonic()


def require_memory(name: str, needed: int, most: int) -> None:
    """Raise `InvalidInput` (`model_too_large`) for a model that would take more bytes than there are for models."""
    megabytes, limit = round(needed / settings.MEBIBYTE), most // settings.MEBIBYTE
    if needed > most:
        raise InvalidInput(
            "model_too_large",
            f"The model {name} would take {megabytes} MB, and {limit} MB are for models here: "
            f"HEADLIGHT_MODEL_MB={settings.rounded(needed)} would do.",
            value=name,
            megabytes=megabytes,
            limit=limit,
            enough=str(settings.rounded(needed)),
        )


def _in_steps(progress: Callable[[float], None]) -> Callable[[float], None]:
    """Return what passes a share on if it has grown enough to be seen."""
    told = 0.0

    def report(done: float) -> None:
        nonlocal told
        if done - told >= _STEP or done >= 1.0:
            told = done
            progress(done)

    return report


HUB: Final = HubModels(
    HubFolder(settings.downloads(), settings.download_bytes()),
    expanded(settings.offered_models().hub),
    settings.model_memory(),
)
"""The process's own."""
