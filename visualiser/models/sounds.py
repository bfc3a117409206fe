"""The sounds that a speech model reads: the one that ships, and the visitor's own, by the names that a link has."""

import hashlib
import math
from functools import cache
from typing import Final

import torch

from attention_core import InvalidInput
from attention_core.learned import Sound
from visualiser.upload.refusals import refusal
from visualiser.upload.sounds import KEPT_RATE, LEAST_RATE, read_sound, sound_sizes

TONES: Final = "tones"
OWN: Final = "own"
SHIPPED_SOUNDS: Final = (TONES,)

_RATE: Final = 16_000
_TONES: Final = ((0.2, 0.7, 220.0), (0.8, 1.3, 440.0), (1.9, 2.6, 330.0))
"""Beginning and end in seconds, and hertz: two tones, a pause, a third one."""
_SECONDS: Final = 3.0
_RISE: Final = 0.02  # seconds in which a tone comes and goes, so that it does not click
_OVERTONES: Final = 4


def settled(name: str, own: bool) -> str:
    """Return the name of a sound that is there: one that ships, or `own` if there is one."""
    return name if name in SHIPPED_SOUNDS or (own and name == OWN) else TONES


def sound(name: str, own: bytes = b"") -> Sound:
    """Return the sound of a link; `own` are the bytes of the visitor's.

    Raises `InvalidInput`: `sound_own` if it names the visitor's and there is none, `unknown_sound`, `sound_rate` for
    one that was not written as `canonical_sound` writes it, and as `read_sound` does.
    """
    if name == TONES:
        return tones()
    if name != OWN:
        known = ", ".join((*SHIPPED_SOUNDS, OWN))
        raise InvalidInput("unknown_sound", f"sound must be one of {known}.", choices=known)
    if not own:
        raise InvalidInput("sound_own", "The sound own is the visitor's, and none came with the request.")
    rate = sound_sizes(own)[1]
    if rate > KEPT_RATE:
        raise refusal("sound_rate", value=rate, low=LEAST_RATE, high=KEPT_RATE)
    return read_sound(OWN, own)


def seconds(name: str, own: bytes = b"") -> float:
    """Return how long the sound of a link lasts, as the file has it. Raises `InvalidInput` as `sound` does."""
    found = sound(name, own)
    return len(found.samples) / found.rate


def key(name: str, own: bytes = b"") -> str:
    """Return what tells this sound from others."""
    return f"{name},{hashlib.blake2b(own).hexdigest() if name == OWN else ''}"


@cache
def tones() -> Sound:
    """Return three tones of a few overtones with a pause before the last, made here: 3 s at 16 kHz."""
    at = torch.arange(round(_SECONDS * _RATE)) / _RATE
    samples = torch.zeros(len(at))
    for start, stop, hertz in _TONES:
        loud = ((at - start) / _RISE).clamp(0, 1) * ((stop - at) / _RISE).clamp(0, 1)
        for number in range(1, _OVERTONES + 1):
            samples += 0.4 / number**2 * loud * torch.sin(2 * math.pi * hertz * number * at)
    return Sound(TONES, samples, _RATE)
