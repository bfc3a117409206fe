"""An encoder and its decoder, whatever the encoder reads: the run of both, with its three kinds of layers."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Final

import torch
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.changes import Change, renumbered
from attention_core.errors import InvalidInput
from attention_core.learned.positions import Line
from attention_core.learned.run import ModelRun
from attention_core.models.captured import CapturedLayer
from attention_core.models.capturing import capture
from attention_core.models.cutting import Cutter
from attention_core.models.on_device import on_device
from attention_core.models.readers.reader import Loaded, require_finite
from attention_core.models.saying import Asked, said_next
from attention_core.models.writing import MOST_WRITTEN, known_start, write
from attention_core.models.writing_rules import WritingRules
from attention_core.text import readable

_KEPT: Final = 16
ENCODER: Final = (0, 0)
DECODER: Final = (1, 1)
CROSS: Final = (1, 0)
"""The lines of queries and keys: 0 is what the encoder reads, 1 the target."""


@dataclass(frozen=True, eq=False)
class BothSides:
    """An encoder with its decoder.

    cutter  of the target
    rules   with what a target begins, and how one is written
    most    tokens of a target
    """

    loaded: Loaded
    cutter: Cutter
    rules: WritingRules
    most: int
    _calls: dict[bool, list[int]] = field(default_factory=dict, repr=False)
    """The numbers of the calls of attention in the order of a run's layers, with and without the encoder's."""

    _written: dict[str, tuple[tuple[int, ...], int | None]] = field(default_factory=dict, repr=False)
    """The last targets that the model wrote, by what it read."""

    @property
    def writes(self) -> bool:
        """True if the model has the layer that makes logits."""
        return self.loaded.model.get_output_embeddings() is not None

    def run(
        self,
        source: Line,
        inputs: dict[str, Tensor],
        target: str,
        most: int | None = None,
        encoder: bool = True,
        changes: Sequence[Change] = (),
    ) -> ModelRun:
        """Read what the encoder is given beside a target; an empty target is what the model writes.

        Parameters
        ----------
        source
            The line that the encoder's positions are.
        inputs
            What the encoder reads, by its names.
        target
            What the decoder has written. Each of its rows is computed with the tokens up to its own, and the model
            makes the token after it.
        most
            Tokens of the target at most.
        encoder
            False leaves the encoder's own layers out.
        changes
            Of the layers of the run. What the model writes is what it writes without them, so that both read the same.

        Raises
        ------
        InvalidInput
            `not_a_text`, `text_too_long`; `target_empty` for a model that cannot write; `model_not_finite`, and as
            `capture` does.
        """
        written = self.target(inputs, readable(target), self._kept(most))
        checkpoint()
        layers, between = self.layers(inputs, written.ids, encoder, changes)
        require_finite(self.loaded, layers)
        return ModelRun((source, written), layers, between)

    def asked(
        self, inputs: dict[str, Tensor], target: str, most: int | None = None, encoder: bool = True
    ) -> Asked | None:
        """Ask for the words after each of a target; None for a model that writes none."""
        if not self.writes:
            return None
        ids = self.target(inputs, readable(target), self._kept(most)).ids
        return Asked(
            self.loaded.model,
            self._given(inputs, ids),
            lambda logits: said_next(logits, self.cutter, ids, line=1),
            lambda changes: self._called(changes, inputs, ids, encoder),
        )

    def _called(
        self, changes: Sequence[Change], inputs: dict[str, Tensor], ids: Sequence[int], encoder: bool
    ) -> tuple[Change, ...]:
        """Return changes of a run's layers as those of the calls of attention."""
        if not changes:
            return ()
        if encoder not in self._calls:
            self._calls[encoder] = [one.index for one in self.layers(inputs, ids, encoder)[0]]
        return renumbered(changes, self._calls[encoder])

    def _kept(self, most: int | None) -> int:
        return self.most if most is None else max(1, min(most, self.most))

    def count(self, target: str) -> int:
        """Return the tokens of a target, without its start."""
        return self.cutter.count(readable(target), self.most, alone=True)

    def target(self, inputs: dict[str, Tensor], target: str, most: int) -> Line:
        """Return the line of a target."""
        if not target.strip():
            if not self.writes:
                raise InvalidInput(
                    "target_empty",
                    f"The model {self.loaded.name} lacks the layer that writes; give it a target.",
                    value=self.loaded.name,
                )
            ids, end = self._write(inputs, min(most, MOST_WRITTEN))
            line = self.cutter.of_ids(ids).line("target", cut=end is None)
            return line if end is None else replace(line, end=self.cutter.of_ids([end]).tokens[0])
        start = known_start(self.loaded.model, inputs, self.rules)[:most]
        read = self.cutter.cut(target, most - len(start), alone=True)
        return (self.cutter.of_ids(start) + read).line("target")

    def _write(self, inputs: dict[str, Tensor], most: int) -> tuple[tuple[int, ...], int | None]:
        """Write a target, once for the same inputs."""
        told = sha256(repr((most, sorted(inputs))).encode())
        for name in sorted(inputs):
            told.update(inputs[name].cpu().numpy().tobytes())
        key = told.hexdigest()
        found = self._written.get(key)
        if found is None:
            found = self._written[key] = write(self.loaded.model, inputs, self.rules, most)
            while len(self._written) > _KEPT:
                self._written.pop(next(iter(self._written)), None)
        return found

    def layers(
        self, inputs: dict[str, Tensor], ids: Sequence[int], encoder: bool = True, changes: Sequence[Change] = ()
    ) -> tuple[tuple[CapturedLayer, ...], tuple[tuple[int, int], ...]]:
        """Return the layers of a run and their lines: the encoder's, the decoder's own, then those between."""
        model = self.loaded.model
        given = self._given(inputs, ids)
        chosen = None if encoder else self._without_encoder(given)
        called = self._called(changes, inputs, ids, encoder)
        found = capture(model, layers=chosen, changes=called, **given).layers
        placed = [(self._between(layer), layer) for layer in found]
        ordered = [(ends, one) for kind in (ENCODER, DECODER, CROSS) for ends, one in placed if ends == kind]
        return tuple(one for _, one in ordered), tuple(ends for ends, _ in ordered)

    def _given(self, inputs: dict[str, Tensor], ids: Sequence[int]) -> dict[str, Any]:
        """Return the arguments of a run over a source and a target."""
        given = {**inputs, "decoder_input_ids": torch.tensor([list(ids)]), "use_cache": False}
        return on_device(self.loaded.model, given)

    def _without_encoder(self, given: dict[str, Any]) -> Collection[int]:
        """Return the numbers of the calls of attention outside the encoder; a run that keeps none of them tells."""
        names = capture(self.loaded.model, layers=(0,), **given).names
        return frozenset(number for number, name in enumerate(names) if not self._in_encoder(name))

    def _between(self, layer: CapturedLayer) -> tuple[int, int]:
        if layer.kind == "cross":
            return CROSS
        return ENCODER if self._in_encoder(layer.name) else DECODER

    def _in_encoder(self, name: str) -> bool:
        model = self.loaded.model
        encoder = model.get_encoder()
        path = next(path for path, module in model.named_modules() if module is encoder)
        return name.startswith(f"{path}.")
