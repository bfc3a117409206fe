"""The reader of a source text and of a target: an encoder and a decoder that attends to both.

A source of n tokens and a target of n are priced alike, and the target that a model writes by itself as one more run
over the most tokens that it may write.
"""

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.changes import Change
from attention_core.errors import InvalidInput
from attention_core.learned.given import Given
from attention_core.learned.positions import Line
from attention_core.learned.run import ModelRun
from attention_core.models.cutters import made_cutters
from attention_core.models.cutting import Cutter
from attention_core.models.folder_files import Sized
from attention_core.models.readers.both_sides import BothSides
from attention_core.models.readers.reader import Asking, Loaded, refused, require_finite, widths
from attention_core.models.readers.texts import (
    AROUND,
    MEASURED,
    longest,
    no_text,
    ordinary,
    pairs_of,
    positional_layers,
    products_of,
)
from attention_core.models.rotary import Pairs
from attention_core.models.saying import Asked, word_count
from attention_core.models.writing import MOST_WRITTEN
from attention_core.models.writing_rules import WritingRules, rules_of, writing_rules
from attention_core.text import readable


@dataclass(frozen=True, eq=False)
class TranslationReader(Asking):
    """Beside what `Reader` says:

    sides     the run of both
    cutter    of the source
    products  multiply-adds of a run over n tokens of each: its own, those of each token, and those of each pair
    """

    sides: BothSides
    cutter: Cutter
    layers: int
    h: int
    d_k: int
    most_tokens: int
    delimiters: frozenset[int]
    pairs: Pairs
    positional: frozenset[int]
    products: tuple[int, int, int]
    takes: frozenset[str] = frozenset({"text", "target"})

    def positions(self, given: Given) -> int:
        """Return at least as many tokens as the longer of source and target has; an unwritten target has its most."""
        target = AROUND + self.sides.count(given.target) if given.target.strip() else MOST_WRITTEN
        return min(self.most_tokens, max(target, self.cutter.count(readable(given.text), self.most_tokens)))

    def multiply_adds(self, n: int) -> int:
        once, of_token, of_pair = self.products
        return sum(once + of_token * tokens + of_pair * tokens**2 for tokens in (n, max(n, MOST_WRITTEN)))

    def run(self, given: Given, most: int | None = None, changes: Sequence[Change] = ()) -> ModelRun:
        """Raise `InvalidInput`: `text_empty` for a source without a token, and as `BothSides.run` does."""
        source = self._source(given, most)
        return self.sides.run(source, _source(source.ids), given.target, most, changes=changes)

    @property
    def outcomes(self) -> int:
        return word_count(self.sides.loaded.model)

    def asked(self, given: Given, most: int | None = None, at: int | None = None) -> Asked | None:
        return self.sides.asked(_source(self._source(given, most).ids), given.target, most)

    def _source(self, given: Given, most: int | None) -> Line:
        written = readable(given.text)
        cut = self.cutter.cut(written, self.most_tokens if most is None else max(1, min(most, self.most_tokens)))
        if not cut.ids:
            raise InvalidInput("text_empty", "text must hold at least one token.", field="text", value="")
        return cut.line("source")


@dataclass(frozen=True, eq=False)
class _Opened:
    source: Cutter
    target: Cutter
    rules: WritingRules

    def __call__(self, loaded: Loaded) -> TranslationReader:
        model = loaded.model
        with refused(no_text(loaded.name)):
            token, other = ordinary(loaded.name, model.get_encoder(), self.source)

            def sides(most: int) -> BothSides:
                return BothSides(loaded, self.target, self.rules, most)

            def both(tokens: int, id_: int = token) -> Any:
                return sides(tokens).layers(_source([id_] * tokens), [id_] * tokens)[0]

            most = longest(loaded.name, model.get_encoder().config, both)
            n = min(MEASURED, most)
            layers, products = products_of(both, n)
            checkpoint()
            require_finite(loaded, layers)
            positional = positional_layers(layers, both(n, other))
        h, d_k = widths(layers)
        checkpoint()
        delimiters = self.source.delimiters() | self.target.special
        pairs = pairs_of(layers)
        return TranslationReader(
            sides(most), self.source, len(layers), h, d_k, most, delimiters, pairs, positional, products
        )


def opened(root: Path, found: Sized) -> _Opened:
    """Read the tokenizer, of both sides if they have one each, and the rules of writing.

    Raises `InvalidInput`: `model_tokenizer`, `model_code`, as `ModelFiles` does, and `model_no_text` for a decoder of
    which nothing says how it begins.
    """
    rules = writing_rules(root, found)
    if rules is None:
        raise no_text(found.name)
    return _Opened(*made_cutters(root, found), rules)


def of_tokenizer(name: str, model: Any, tokenizer: Any) -> _Opened:
    """Return a reader of a model that is there; the tokenizer, of both sides, becomes its own.

    Raises `InvalidInput` (`model_no_text`) for a decoder of which nothing says how it begins.
    """
    given = getattr(model, "generation_config", None)
    rules = rules_of(model.config.to_dict(), {} if given is None else given.to_dict())
    if rules is None:
        raise no_text(name)
    cutter = Cutter(tokenizer)
    return _Opened(cutter, cutter, rules)


def writes(kind: Any) -> bool:
    """Return True for a model, or its class, that reads a text and a target."""
    return kind.main_input_name == "input_ids" and "decoder_input_ids" in inspect.signature(kind.forward).parameters


def _source(ids: list[int] | tuple[int, ...]) -> dict[str, Tensor]:
    made = torch.tensor([list(ids)])
    return {"input_ids": made, "attention_mask": torch.ones_like(made)}
