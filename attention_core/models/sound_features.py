"""What a speech model reads of a sound: its own feature extractor, its settings bounded before it is made."""

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.errors import InvalidInput
from attention_core.learned.given import Sound
from attention_core.models.folder_files import ModelFiles, Sized, refuse_code

_FILES: Final = (("preprocessor_config.json", None), ("processor_config.json", "feature_extractor"))
_BOUNDS: Final = {
    "feature_size": (1, 256), "sampling_rate": (8000, 48_000), "hop_length": (40, 4096), "chunk_length": (1, 30),
    "n_fft": (64, 4096),
}  # fmt: skip
_PRIMES: Final = (2, 3, 5, 7, 11, 13)
_KIND: Final = "WhisperFeatureExtractor"


@dataclass(frozen=True, eq=False)
class SoundFeatures:
    """An extractor of transformers, which threads may share.

    rate     samples a second that it takes
    seconds  that it always takes: a shorter sound is followed by silence, a longer one is cut off
    """

    extractor: Any
    rate: int
    seconds: float

    def of(self, sound: Sound) -> Float[Tensor, "1 features frames"]:
        """Return the features of a sound, the first ones of a longer one."""
        samples = resampled(sound, self.rate)[: round(self.rate * self.seconds)]
        made = self.extractor(samples.numpy(), sampling_rate=self.rate, return_tensors="pt")["input_features"]
        return made.float()


def sound_features(root: Path, found: Sized) -> SoundFeatures:
    """Return the extractor of a folder's model.

    Raises `InvalidInput`: `model_no_sound` for settings that are not there or of another kind, `model_code`, and as
    `ModelFiles` does.
    """
    files = ModelFiles(root, found.name)
    for name, part in _FILES:
        if not files.has(name):
            continue
        settings: Any = files.json(name)
        refuse_code(found.name, settings)
        settings = settings if part is None else settings.get(part)
        if isinstance(settings, dict):
            refuse_code(found.name, settings)
            return _made(found.name, settings)
    raise no_sound(found.name)


def resampled(sound: Sound, rate: int) -> Float[Tensor, " m"]:
    """Return the samples at another rate: the same frequencies, those that it cannot have left out.

    By the discrete Fourier transform: m = n · rate / (the sound's own), coefficients cut off or filled up with 0. A
    length with a large prime factor, whose transform takes four times the memory, gets a little silence behind it.
    """
    n = len(sound.samples)
    m = round(n * rate / sound.rate)
    if m == n or not n:
        return sound.samples.float()
    step = 1 << max(0, n.bit_length() - 5)
    there = n if _has_small_factors(n) else -(-n // step) * step
    made = max(1, round(there * rate / sound.rate))
    changed = torch.fft.irfft(torch.fft.rfft(sound.samples.double(), n=there), n=made)
    return changed[: max(1, m)].mul(made / there).float()


def _has_small_factors(n: int) -> bool:
    for prime in _PRIMES:
        while n % prime == 0:
            n //= prime
    return n == 1


def _made(name: str, settings: dict[str, Any]) -> SoundFeatures:
    kind = settings.get("feature_extractor_type", _KIND)
    given = {key: settings[key] for key in _BOUNDS if key in settings}
    if kind != _KIND or not all(_within(given[key], *_BOUNDS[key]) for key in given):
        raise no_sound(name)
    whisper: Any = importlib.import_module("transformers.models.whisper.feature_extraction_whisper")
    extractor = whisper.WhisperFeatureExtractor(**given, dither=0.0)
    return SoundFeatures(extractor, extractor.sampling_rate, extractor.n_samples / extractor.sampling_rate)


def _within(value: object, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def no_sound(name: str) -> InvalidInput:
    return InvalidInput("model_no_sound", f"The model {name} reads no sound in a way that is known here.", value=name)
