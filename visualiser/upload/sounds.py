"""Read a visitor's sound (`read_sound`), and write it anew in one form (`canonical_sound`).

A file is hostile until checked. The bounds, whatever it holds:

- WAV alone, of whole numbers without compression (PCM) of 8, 16, 24 or 32 bits; of its first chunks two are looked at,
  the format and the numbers: no other is read, and no decoder but this one is reached;
- 8 MiB, one or two channels, 8,000 to 96,000 samples a second, 30 seconds: what is longer is refused by the header,
  before any sample is read;
- a header that claims more samples than follow gives those that follow;
- what is kept has one channel, 16 bits, and at most 16,000 samples a second, which is what speech models hear.
"""

import io
import struct
import wave
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray

from attention_core.learned import Sound
from attention_core.models import resampled
from visualiser.upload.refusals import refusal

SOUND_LIMIT: Final = 8 * 2**20
"""The largest file that is read, in bytes."""
MOST_SECONDS: Final = 30
KEPT_RATE: Final = 16_000
"""The most samples a second of what is kept."""
LEAST_RATE: Final = 8_000
_RATES: Final = (LEAST_RATE, 96_000)
_CHUNKS: Final = 64  # that may stand before the numbers
_PCM, _EXTENSIBLE = 1, 0xFFFE
_PCM_KIND: Final = bytes.fromhex("0100000000001000800000aa00389b71")
_LARGEST: Final = 1 << 15


@dataclass(frozen=True)
class _Header:
    """The numbers of a file: `samples` of `width` bytes in each of the channels, from byte `first` on."""

    channels: int
    width: int
    rate: int
    first: int
    samples: int


def is_sound(body: bytes) -> bool:
    """Return True for a file that begins as a WAV file does."""
    return body[:4] == b"RIFF" and body[8:12] == b"WAVE"


def read_sound(name: str, body: bytes) -> Sound:
    """Return a WAV file as one channel, the mean of two.

    Raises `InvalidInput`: `sound_too_large`, `sound_format` for what is no WAV of plain numbers, `sound_too_long`,
    `sound_rate`, `sound_empty`.
    """
    found = _header(body)
    raw = body[found.first : found.first + found.samples * found.channels * found.width]
    samples = _numbers(raw, found.width).reshape(-1, found.channels).mean(1)
    return Sound(name, torch.from_numpy(samples.astype(np.float32)), found.rate)


def sound_sizes(body: bytes) -> tuple[int, int]:
    """Return how many numbers reading would make, and how many a second, from the header; 0 if it is refused unread."""
    try:
        found = _header(body)
    except Exception:
        return 0, 0
    return found.samples * found.channels, found.rate


def canonical_sound(sound: Sound) -> bytes:
    """Write a sound as a WAV file of one channel: the page keeps it, and a model hears the same samples.

    >>> canonical_sound(read_sound("", written)) == written  # of what was written so
    """
    rate = min(sound.rate, KEPT_RATE)
    samples = resampled(sound, rate).mul(_LARGEST).round().clamp(-_LARGEST, _LARGEST - 1).numpy().astype("<i2")
    file = io.BytesIO()
    with wave.open(file, "wb") as opened:
        opened.setnchannels(1)
        opened.setsampwidth(2)
        opened.setframerate(rate)
        opened.writeframes(samples.tobytes())
    return file.getvalue()


def _header(body: bytes) -> _Header:
    """Return what a file says of its numbers, within the bounds; no number is read."""
    if len(body) > SOUND_LIMIT:
        raise refusal("sound_too_large", came=len(body), limit=SOUND_LIMIT)
    if not is_sound(body):
        raise refusal("sound_format")
    channels = width = rate = 0
    at = 12
    for _ in range(_CHUNKS):
        if at + 8 > len(body):
            break
        kind, length = struct.unpack_from("<4sI", body, at)
        at += 8
        if kind == b"fmt ":
            channels, rate, width = _format(body[at : at + min(length, 40)])
        elif kind == b"data" and width:
            there = min(length, len(body) - at) // (channels * width)
            if there > MOST_SECONDS * rate:
                raise refusal("sound_too_long", limit=MOST_SECONDS)
            if not there:
                raise refusal("sound_empty")
            return _Header(channels, width, rate, at, there)
        at += length + length % 2
    raise refusal("sound_format")


def _format(chunk: bytes) -> tuple[int, int, int]:
    """Return the channels, the samples a second and the bytes of a number."""
    if len(chunk) < 16:
        raise refusal("sound_format")
    kind, channels, rate, _, block, bits = struct.unpack_from("<HHIIHH", chunk)
    plain = kind == _PCM or (kind == _EXTENSIBLE and chunk[24:40] == _PCM_KIND)
    if not plain or channels not in (1, 2) or bits not in (8, 16, 24, 32) or block != channels * bits // 8:
        raise refusal("sound_format")
    if not _RATES[0] <= rate <= _RATES[1]:
        raise refusal("sound_rate", value=rate, low=_RATES[0], high=_RATES[1])
    return channels, rate, bits // 8


def _numbers(raw: bytes, width: int) -> Float[NDArray[np.float64], " n"]:
    """Return whole numbers of `width` bytes as shares of the largest, −1 … 1; those of one byte have no sign."""
    if width == 1:
        return np.frombuffer(raw, np.uint8) / 128.0 - 1.0
    if width == 3:
        bytes_ = np.frombuffer(raw, np.uint8).reshape(-1, 3).astype(np.int32)
        found = (bytes_[:, 0] << 8 | bytes_[:, 1] << 16 | bytes_[:, 2] << 24) >> 8
        return found / float(1 << 23)
    return np.frombuffer(raw, f"<i{width}") / float(1 << (8 * width - 1))
