"""The reader of a sound and of the words that are written of it: Whisper's encoder and its decoder.

The encoder takes a stretch of fixed length, whatever the sound is: what is missing is silence, and it is read as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.changes import Change
from attention_core.errors import InvalidInput
from attention_core.learned.given import Given, Sound
from attention_core.learned.positions import Line
from attention_core.learned.run import ModelRun
from attention_core.models.counting import MultiplyAdds
from attention_core.models.cutters import made_cutters
from attention_core.models.cutting import Cutter
from attention_core.models.folder_files import Sized
from attention_core.models.readers.both_sides import BothSides
from attention_core.models.readers.reader import Asking, Loaded, refused, require_finite, widths
from attention_core.models.readers.texts import AROUND
from attention_core.models.rotary import Pairs
from attention_core.models.saying import Asked, word_count
from attention_core.models.sound_features import SoundFeatures, no_sound, sound_features
from attention_core.models.writing_rules import WritingRules, writing_rules

MOST_KEPT: Final = 512
"""Positions of a sound up to which the encoder's own layers are kept: each head has the square of them."""
MOST_TARGET: Final = 128
"""Tokens of a target that are read."""


@dataclass(frozen=True, eq=False)
class SoundReader(Asking):
    """Beside what `Reader` says:

    sides      the run of both
    source     positions of a sound
    second     seconds that one of them stands for
    encoder    multiply-adds of the encoder and of what it is given
    of_target  those of a target of `most_tokens`, the encoder left out
    """

    sides: BothSides
    features: SoundFeatures
    source: int
    second: float
    encoder: int
    of_target: int
    layers: int
    h: int
    d_k: int
    most_tokens: int
    delimiters: frozenset[int]
    pairs: Pairs = ()
    positional: frozenset[int] = frozenset()
    takes: frozenset[str] = frozenset({"sound", "target"})

    @property
    def keeps_encoder(self) -> bool:
        """True if the encoder's own layers are among those of a run."""
        return self.source <= MOST_KEPT

    @property
    def target(self) -> int:
        """The most positions of a target."""
        return min(self.most_tokens, MOST_TARGET)

    def positions(self, given: Given) -> int:
        """Return the positions of the sound, or more for a longer target."""
        return max(self.source, min(self.target, AROUND + self.sides.count(given.target)))

    def multiply_adds(self, n: int) -> int:
        return 2 * (self.encoder + self.of_target)  # once to write, once to keep

    def run(self, given: Given, most: int | None = None, changes: Sequence[Change] = ()) -> ModelRun:
        """Raise `InvalidInput`: `sound_missing` without a sound, and as `BothSides.run` does."""
        sound, inputs, target = self._asked(given, most)
        line = self._line(sound)
        return self.sides.run(line, inputs, given.target, target, encoder=self.keeps_encoder, changes=changes)

    @property
    def outcomes(self) -> int:
        return word_count(self.sides.loaded.model)

    def asked(self, given: Given, most: int | None = None, at: int | None = None) -> Asked | None:
        _, inputs, target = self._asked(given, most)
        return self.sides.asked(inputs, given.target, target, encoder=self.keeps_encoder)

    def _asked(self, given: Given, most: int | None) -> tuple[Sound, dict[str, Tensor], int]:
        """Return the sound, what the encoder gets of it, and the most tokens of a target."""
        if given.sound is None or not len(given.sound.samples):
            raise InvalidInput("sound_missing", "A speech model needs a sound.")
        inputs = {"input_features": self.features.of(given.sound)}
        checkpoint()
        return given.sound, inputs, self.target if most is None else min(most, self.target)

    def _line(self, sound: Sound) -> Line:
        names = tuple(f"{place * self.second:.2f}\u00a0s" for place in range(self.source))
        long = len(sound.samples) / sound.rate > self.features.seconds
        return Line("sound", names, (-1,) * self.source, seconds=self.second, cut=long)


@dataclass(frozen=True, eq=False)
class _Opened:
    cutter: Cutter
    features: SoundFeatures
    rules: WritingRules

    def __call__(self, loaded: Loaded) -> SoundReader:
        model: Any = loaded.model
        with refused(no_sound(loaded.name)):
            silence = Sound("silence", torch.zeros(self.features.rate), self.features.rate)
            with MultiplyAdds() as made:
                inputs = {"input_features": self.features.of(silence)}
            with torch.no_grad(), MultiplyAdds() as encoder:
                source = model.get_encoder()(**inputs)[0].shape[1]
            checkpoint()
            keeps = source <= MOST_KEPT
            token = self.rules.start[0]

            def both(tokens: int) -> Any:
                sides = BothSides(loaded, self.cutter, self.rules, tokens)
                return sides.layers(inputs, [token] * tokens, encoder=keeps)[0]

            declared = getattr(model.config, "max_target_positions", None)
            most = min(MOST_TARGET, declared) if isinstance(declared, int) and declared > 0 else MOST_TARGET
            with MultiplyAdds() as counted:
                layers = both(most)
            require_finite(loaded, layers)
        h, d_k = widths(layers)
        return SoundReader(
            sides=BothSides(loaded, self.cutter, self.rules, most),
            features=self.features,
            source=source,
            second=self.features.seconds / source,
            encoder=made.total + encoder.total,
            of_target=max(0, counted.total - encoder.total),
            layers=len(layers),
            h=h,
            d_k=d_k,
            most_tokens=most,
            delimiters=self.cutter.delimiters(),
        )


def opened(root: Path, found: Sized) -> _Opened:
    """Read the tokenizer, the settings of the sound's features and the rules of writing.

    Raises `InvalidInput`: as `made_cutters` and `sound_features` do, and `model_no_sound` for a decoder of which
    nothing says how it begins.
    """
    rules = writing_rules(root, found)
    if rules is None:
        raise no_sound(found.name)
    return _Opened(made_cutters(root, found)[1], sound_features(root, found), rules)
