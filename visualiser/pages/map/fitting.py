"""The part of a sequence that this machine maps: as many tokens as memory and time allow, and the sentences on it."""

from dataclasses import dataclass
from typing import Final

from attention_core.config import of_every_choice
from visualiser import models
from visualiser.gpu import device_for, device_name
from visualiser.locale.message import Message, message
from visualiser.pages.map import calibration, long_layer
from visualiser.pages.map.long_layer import Unread
from visualiser.pages.map.sequence import Subject, shortened

_CUT: Final = {
    (True, False): "map.cut_memory",
    (True, True): "map.cut_time",
    (False, False): "map.cut_first_memory",
    (False, True): "map.cut_first_time",
}
"""The sentence by a drawn source and by a limit of time."""


_MORE: Final = of_every_choice(
    "source",
    {**dict.fromkeys(("gaussian", "structured", "text"), "map.cut_more"), "upload": "map.cut_more_file", "model": None},
)
"""The sentence on what would show more; a trained layer has the heads that it has."""


@dataclass(frozen=True, eq=False)
class Fitting:
    """The sequence to map: `shown`, the whole of `requested` or as much as fits.

    limit       the longest sequence with these settings
    by_time     True if one token more would take too long; otherwise memory or the page ends it
    seconds     the expected time of the pass over `shown`
    device      where the pass computes
    reading     that of reading `shown` first, by a model
    """

    requested: Subject
    shown: Subject
    limit: int
    by_time: bool
    seconds: float
    device: str
    reading: float = 0.0

    @property
    def unread(self) -> bool:
        """True if a model has to read the text first."""
        return isinstance(self.shown.trained, Unread)

    @property
    def cut(self) -> bool:
        """True if not all tokens fit."""
        return self.shown is not self.requested

    def sentences(self) -> list[Message]:
        """Return sentences on the part that the map shows, why, and what would show more; none if it shows all."""
        if not self.cut:
            return []
        drawn = self.shown.given is None and self.shown.tokens is None
        facts = {"n": self.shown.longest, "asked": self.requested.longest}
        if self.by_time:
            facts["longest"] = round(calibration.SECONDS)
        more = _MORE[self.shown.config.source]
        return [message(_CUT[drawn, self.by_time], **facts), *([message(more)] if more else [])]


def fitting(requested: Subject) -> Fitting:
    """Return what of a sequence this machine maps, and where."""
    config, h, d_k, device = requested.config, requested.h, requested.d_k, device_name()
    speed, limit = calibration.speed(device), calibration.limit(requested.config, h, d_k, device)
    shown = shortened(requested, limit)
    by_time = speed.seconds(config, h, limit + 1, limit + 1, d_k) > calibration.SECONDS
    place, reading = device_for(h * shown.n_q * shown.n_k), 0.0
    seconds = calibration.speed(place).seconds(shown.config, h, shown.n_q, shown.n_k, d_k)
    if isinstance(shown.trained, Unread) and (model := models.long_model(config.model)):
        reading = long_layer.work(model, config.layer, shown.longest).seconds
    return Fitting(requested, shown, limit, by_time, seconds, place, reading)
