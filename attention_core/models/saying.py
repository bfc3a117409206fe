"""What a model of transformers says of what it reads: the whole model runs, its layer of words or classes included."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from attention_core.changes import Change, Hide, Mute, MuteEach, PatchEach
from attention_core.learned.says import Likeness, Said, sentences_of
from attention_core.models.capturing import capture
from attention_core.models.cutting import Cut, Cutter
from attention_core.models.long_reach import run_inputs
from attention_core.treatments.softcap import Softcap

__all__ = [
    "Asked",
    "asked_classes",
    "asked_of_text",
    "class_count",
    "head_size",
    "likeness",
    "said_next",
    "softly_capped",
    "word_count",
]

States = Callable[[tuple[int, ...], tuple[Change, ...]], Tensor]
"""From tokens and changes to the last states of a run, 1 × n × d_model."""


def word_count(model: nn.Module) -> int:
    """Return over how many words a model makes a distribution at each position; 0 without the layer for it."""
    weight = _words(model)
    return 0 if weight is None else weight.shape[0]


def head_size(model: nn.Module) -> int:
    """Return the numbers of the layer of words; 0 without one."""
    weight = _words(model)
    return 0 if weight is None else weight.numel()


def _words(model: nn.Module) -> Tensor | None:
    made = getattr(model, "get_output_embeddings", lambda: None)()
    weight = getattr(made, "weight", None)
    return weight if isinstance(weight, Tensor) else None


def class_count(model: Any) -> int:
    """Return over how many classes a model decides; 0 for one that does not."""
    return int(model.config.num_labels) if type(model).__name__.endswith("Classification") else 0


@dataclass(frozen=True, eq=False)
class Asked:
    """A whole model with the inputs of one run: tensors with the sequence as their first axis, and settings.

    read     what the logits of the sequence say
    called   changes of the run's layers as those of the model's calls of attention
    repeats  False for a model that reads several sequences only with padding
    """

    model: Any
    inputs: Mapping[str, Any]
    read: Callable[[Tensor], Said | None]
    called: Callable[[Sequence[Change]], Sequence[Change]] = tuple
    repeats: bool = True

    def says(self, changes: Sequence[Change]) -> Said | None:
        """Return what the model says."""
        return self.read(self._logits(self.inputs, changes)[0])

    def without_each(self, heads: Sequence[tuple[int, int]], changes: Sequence[Change]) -> tuple[Said | None, ...]:
        """Return what it says without each of these layers and heads of the run, from 0, in one batch if it can."""
        if not self.repeats:
            return tuple(self.says((*changes, Mute(*head))) for head in heads)
        many = {
            name: one.expand(len(heads), *one.shape[1:]) if isinstance(one, Tensor) else one
            for name, one in self.inputs.items()
        }
        return tuple(map(self.read, self._logits(many, (*changes, MuteEach(tuple(heads))))))

    def patched(self, each: PatchEach, other: "Asked", changes: Sequence[Change]) -> tuple[Said | None, ...]:
        """Return what it says with each patch from a run over another text of as many tokens, in one batch with it."""
        count = len(each.patched)
        many = {
            name: torch.cat([one.expand(count, *one.shape[1:]), other.inputs[name]]) if isinstance(one, Tensor) else one
            for name, one in self.inputs.items()
        }
        return tuple(map(self.read, self._logits(many, (*changes, each))[:count]))

    def _logits(self, inputs: Mapping[str, Any], changes: Sequence[Change]) -> Tensor:
        return capture(self.model, layers=(), changes=self.called(changes), **inputs).output.logits


def asked_of_text(model: Any, cutter: Cutter, cut: Cut, at: int | None, causal: bool) -> Asked | None:
    """Ask a model for the next tokens of a text, the word at `at`, or classes; None if it says none of them."""
    if word_count(model):
        ids = list(cut.ids)
        if causal:
            return Asked(model, run_inputs(model, ids), lambda logits: said_next(logits, cutter, ids))
        if cutter.mask is None:
            return None
        place = len(ids) // 2 if at is None else min(at, len(ids) - 1)
        true, ids[place] = ids[place], cutter.mask
        return Asked(
            model,
            run_inputs(model, ids),
            lambda logits: Said.of_logits("masked", logits[place : place + 1], cutter.named, [place], [true]),
        )
    return asked_classes(model, run_inputs(model, cut.ids), not causal) if class_count(model) else None


def said_next(logits: Tensor, cutter: Cutter, ids: Sequence[int], line: int = 0) -> Said:
    """Return the distribution of the token after each of a line."""
    return Said.of_logits("next", logits, cutter.named, range(len(ids)), (*ids[1:], -1), line)


def asked_classes(model: Any, inputs: Mapping[str, Any], repeats: bool = True) -> Asked:
    """Ask a model for its classes. It says nothing if it decides several questions at once."""
    names: Mapping[int, Any] = getattr(model.config, "id2label", None) or {}

    def read(logits: Tensor) -> Said | None:
        if logits.dim() != 1:
            return None
        return Said.of_logits("classes", logits[None], lambda number: str(names.get(number, number)), [0], [-1])

    return Asked(model, inputs, read, repeats=repeats)


def softly_capped(model: Any, states: Tensor) -> Tensor:
    """Return the logits of a decoder's last states: its layer of words, and the cap that Gemma puts on them."""
    logits: Tensor = model.get_output_embeddings()(states)
    cap = getattr(model.config.get_text_config(), "final_logit_softcapping", None)
    return Softcap(float(cap)).value(logits) if cap else logits


def likeness(states: States, cutter: Cutter, text: str, changes: Sequence[Change], most: int) -> Likeness | None:
    """Return the vectors of the first sentences of a text, at most `most` tokens of all.

    Each is read by itself, so that a hidden key of the text is none of theirs.
    """
    acting = tuple(one for one in changes if not isinstance(one, Hide))
    sentences, vectors = list[str](), list[Tensor]()
    for sentence in sentences_of(text):
        cut = cutter.cut(sentence, most) if most > 0 else None
        if cut is None or cut.cut or not cut.ids:
            break
        most -= len(cut.ids)
        sentences.append(sentence)
        vectors.append(states(cut.ids, acting)[0].mean(0).float().cpu())
    return Likeness(tuple(sentences), torch.stack(vectors)) if vectors else None
