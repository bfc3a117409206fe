"""The reader of a text: its body without the output layer, and of an encoder and a decoder the encoder alone.

The encoder attends to the text by itself.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.cached import cached_property
from attention_core.cancellation import checkpoint
from attention_core.changes import Change
from attention_core.errors import InvalidInput
from attention_core.learned.copying import HeadWriter, no_words
from attention_core.learned.given import Given
from attention_core.learned.run import ModelRun
from attention_core.learned.says import Says
from attention_core.models.captured import CapturedLayer
from attention_core.models.capturing import capture
from attention_core.models.counting import MultiplyAdds
from attention_core.models.cutting import Cut, Cutter
from attention_core.models.folder_files import Sized
from attention_core.models.head_writing import Projections, Writers, projections, writers
from attention_core.models.last_states import LastStates, goes_on, last_state, logits_of
from attention_core.models.long_reach import SPARE, long_sizes, longest_context, run_inputs
from attention_core.models.long_run import MOST_SQUARE, long_statistics
from attention_core.models.made import made_tokenizer
from attention_core.models.readers.long_texts import LongText
from attention_core.models.readers.reader import Loaded, not_finite, refused, require_finite, widths
from attention_core.models.rotary import Pairs, rotary_pairs, turned
from attention_core.models.saying import Asked, asked_of_text, class_count, likeness, said_next, word_count
from attention_core.text import readable
from attention_core.validation import whole_number

Layers = tuple[CapturedLayer, ...]
Attention = Callable[[dict[str, Any]], Layers]
MOST_TOKENS: Final = 512
MEASURED: Final = 64
"""Tokens of the runs that measure a model: enough that the slowest rotation moves a component beyond rounding."""
AROUND: Final = 8
"""Tokens that a decoder may put around those of a target."""


_SENTENCES: Final = 16
"""Runs whose last states are kept of a model that says how like sentences are: each is one."""


@dataclass(frozen=True, eq=False)
class TextReader:
    """Beside what `Reader` says:

    body      the part of the model that reads a text
    products  multiply-adds of a run: its own, those of each token, and those of each pair of tokens
    causal    True if no query reads a later key
    goes_on   True if its layer of words goes on from the last states of a run
    states    the last states of runs, from which it says something

    and of long texts what `LongReader` says.
    """

    loaded: Loaded
    body: Any
    cutter: Cutter
    layers: int
    h: int
    d_k: int
    most_tokens: int
    delimiters: frozenset[int]
    pairs: Pairs
    positional: frozenset[int]
    products: tuple[int, int, int]
    context: int
    token_bytes: int
    square: float
    causal: bool
    goes_on: bool = False
    states: LastStates = field(default_factory=LastStates)
    takes: frozenset[str] = frozenset({"text"})

    def positions(self, given: Given) -> int:
        """Return the tokens of the text."""
        return max(1, self.cutter.count(readable(given.text), self.most_tokens))

    def multiply_adds(self, n: int) -> int:
        once, of_token, of_pair = self.products
        return once + of_token * n + of_pair * n**2

    def run(
        self,
        given: Given,
        most: int | None = None,
        changes: Sequence[Change] = (),
        attention: Attention | None = None,
    ) -> ModelRun:
        """Read a text. `attention` makes the layers of the inputs of a run, changes included; None captures the body.

        Raises `InvalidInput`: `not_a_text`, `text_too_long`; `text_empty` for a text without a token.
        """
        return self._run(self._cut(given.text, self.most_tokens, most), changes, attention)

    @cached_property
    def vocabulary(self) -> tuple[int, ...]:
        rows = self.body.get_input_embeddings().weight.shape[0]
        return tuple(number for number in self.cutter.ordinary if number < rows)

    def run_tokens(self, ids: Sequence[int], attention: Attention | None = None) -> ModelRun:
        """Read tokens as `TokenModel.run_tokens` does. `attention` as for `run`."""
        checkpoint()
        return self._run(self.cutter.of_ids(self.cutter.around(ids)), (), attention)

    def _run(self, cut: Cut, changes: Sequence[Change], attention: Attention | None) -> ModelRun:
        inputs = run_inputs(self.body, cut.ids)
        if attention is None:
            made = capture(self.body, changes=changes, **inputs)
            layers, states = made.layers, last_state(made.output)
            if states is not None and (self.goes_on or self.likens):
                self.states.keep((cut.ids, tuple(changes)), states, *([_SENTENCES] if self.likens else []))
        else:
            layers = attention(inputs)
        require_finite(self.loaded, layers)
        return ModelRun((cut.line("text"),), layers, ((0, 0),) * len(layers))

    @property
    def likens(self) -> bool:
        """True if it says how like sentences are: it has neither words nor classes to say."""
        return not self.causal and not self.outcomes

    @property
    def outcomes(self) -> int:
        return word_count(self.loaded.model) or class_count(self.loaded.model)

    def says(
        self, given: Given, most: int | None = None, changes: Sequence[Change] = (), at: int | None = None
    ) -> Says | None:
        """Say as `SayingModel.says` does. Right after a run of the same no second one is needed."""
        if self.goes_on:
            cut = self._cut(given.text, self.most_tokens, most)
            states = self.states.of((cut.ids, tuple(changes)))
            if states is not None:
                return said_next(logits_of(self.loaded.model, states)[0], self.cutter, cut.ids)
        asked = self.asked(given, most, at)
        if asked is not None:
            return asked.says(changes)
        if not self.likens:
            return None
        most = self.most_tokens if most is None else min(most, self.most_tokens)
        return likeness(self._last, self.cutter, readable(given.text), changes, most)

    def _last(self, ids: tuple[int, ...], changes: tuple[Change, ...]) -> Tensor:
        """Return the last states of a run, which no run makes again while they are kept."""
        states = self.states.of((ids, changes))
        if states is None:
            made: Tensor = capture(
                self.body, layers=(), changes=changes, **run_inputs(self.body, ids)
            ).output.last_hidden_state
            states = made
            self.states.keep((ids, changes), states, _SENTENCES)
        return states

    def asked(self, given: Given, most: int | None = None, at: int | None = None) -> Asked | None:
        cut = self._cut(given.text, self.most_tokens, most)
        return asked_of_text(self.loaded.model, self.cutter, cut, at, self.causal)

    def writer(self, layer: int) -> HeadWriter:
        """Return how a layer's heads write, as `WritingModel.writer` does."""
        if not self.causal or not word_count(self.loaded.model):
            raise no_words(self.loaded.name)
        number = whole_number("layer", layer, 1, self.layers) - 1
        return self._writers.of_layer(number, self.loaded.name, self.cutter.named)

    def projection(self, layer: int) -> Float[Tensor, "h d_v d_model"]:
        """Return W_O of each head of a layer, as `ProjectingModel.projection` does."""
        return self._projections.of_layer(whole_number("layer", layer, 1, self.layers) - 1, self.loaded.name)

    @cached_property
    def _projections(self) -> Projections:
        token, other = ordinary(self.loaded.name, self.body, self.cutter)
        return projections(self.body, [token, other, token][: self.most_tokens])

    @cached_property
    def _writers(self) -> Writers:
        token, other = ordinary(self.loaded.name, self.body, self.cutter)
        return writers(self.loaded.model, self.body, [token, other, token][: self.most_tokens])

    def read_long(
        self,
        text: str,
        layers: Collection[int] | None = None,
        *,
        tensors: bool = False,
        measured: bool = False,
        most: int | None = None,
        progress: Callable[[float], object] = lambda calls: None,
    ) -> LongText:
        """Read as `LongReader.read_long` says."""
        cut = self.cut(text, most)
        read = range(1, self.layers + 1) if layers is None else layers
        numbers = [whole_number("layer", one, 1, self.layers) - 1 for one in read]
        found = long_statistics(
            self.body,
            layers=numbers,
            tensors=numbers if tensors else (),
            delimiters=self.delimiters if measured else None,
            most_square=MOST_SQUARE,
            progress=progress,
            **run_inputs(self.body, cut.ids),
        )
        if not all(bool(one.statistics.entropy.isfinite().all()) for one in found.layers):
            raise not_finite(self.loaded.name)
        return LongText(cut.line("text"), found.layers)

    def tokens(self, text: str, most: int | None = None) -> int:
        """Return how many tokens of a text a run reads, or of at most `most`."""
        return len(self.cutter.cut(text, self.most_tokens if most is None else most).ids)

    def cut(self, text: str, most: int | None = None) -> Cut:
        """Return the tokens that `read_long` reads."""
        return self._cut(text, self.context, most)

    def _cut(self, text: str, longest: int, most: int | None) -> Cut:
        cut = self.cutter.cut(readable(text), longest if most is None else max(1, min(most, longest)))
        if not cut.ids:
            raise InvalidInput("text_empty", "text must hold at least one token.", field="text", value="")
        checkpoint()
        return cut


@dataclass(frozen=True, eq=False)
class Opened:
    """A reader of texts that lacks its model."""

    cutter: Cutter

    def __call__(self, loaded: Loaded) -> TextReader:
        cutter = self.cutter
        with refused(no_text(loaded.name)):
            body = _body(loaded)
            token, other = ordinary(loaded.name, body, cutter)

            def run(tokens: int) -> Layers:
                return _layers(body, [token] * tokens)

            most = longest(loaded.name, body.config, run)
            layers, products = products_of(run, min(MEASURED, most))
            checkpoint()
            require_finite(loaded, layers)
            h, d_k = widths(layers)
            positional = positional_layers(layers, _layers(body, [other] * min(MEASURED, most)))
            sizes = long_sizes(body, token, most)
            context = longest_context(body, token, most, sizes, d_k > 0)
            causal = not any(bool(layer.allowed.triu(1).any()) for layer in layers)
            says_words = causal and word_count(loaded.model) > 0
            on = says_words and goes_on(loaded.model, body, [token, other, token][:most])
        checkpoint()
        return TextReader(
            loaded=loaded,
            body=body,
            cutter=cutter,
            layers=len(layers),
            h=h,
            d_k=d_k,
            most_tokens=most,
            delimiters=cutter.delimiters(),
            pairs=pairs_of(layers),
            positional=positional,
            products=products,
            context=context,
            token_bytes=sizes[0],
            square=sizes[1],
            causal=causal,
            goes_on=on,
        )


def opened(root: Path, found: Sized) -> Opened:
    """Read the tokenizer. Raises `InvalidInput`: `model_tokenizer`, `model_code`, and as `ModelFiles` does."""
    return of_tokenizer(made_tokenizer(root, found))


def of_tokenizer(tokenizer: Any) -> Opened:
    """Return a reader that lacks the model; the tokenizer becomes its own."""
    return Opened(Cutter(tokenizer))


def _body(loaded: Loaded) -> Any:
    """Return the part of a model that reads a text."""
    model = loaded.model
    body = model.get_encoder() if model.config.is_encoder_decoder else model.base_model
    if getattr(body, "main_input_name", "input_ids") != "input_ids":
        raise no_text(loaded.name)
    return body


def ordinary(name: str, body: Any, cutter: Cutter) -> tuple[int, int]:
    """Return the ids of two tokens that the model has, no special ones if there are others."""
    rows = body.get_input_embeddings().weight.shape[0]
    found = [one for one in dict.fromkeys(cutter.cut("a the 1 2", MOST_TOKENS).ids) if one < rows]
    found.sort(key=lambda one: one in cutter.special)
    if rows < 2 or not found:
        raise no_text(name)
    return found[0], found[1] if len(found) > 1 else int(not found[0])


def longest(name: str, config: Any, run: Callable[[int], object]) -> int:
    """Return the longest text: what the configuration declares, tried if learned positions may end before it."""
    declared = getattr(config.get_text_config(), "max_position_embeddings", None)
    most = declared if isinstance(declared, int) and declared > 0 else MOST_TOKENS
    if most >= MOST_TOKENS + SPARE:
        return MOST_TOKENS
    for tried in range(min(most, MOST_TOKENS), max(0, most - SPARE - 1), -1):
        checkpoint()
        try:
            run(tried)
        except (IndexError, RuntimeError, ValueError):
            continue
        return tried
    raise no_text(name)


def products_of(run: Callable[[int], Layers], n: int) -> tuple[Layers, tuple[int, int, int]]:
    """Return the layers of a run over `n` equal tokens, and the `products` that runs over 1, 2 and n tokens tell."""

    def counted(tokens: int) -> tuple[Layers, int]:
        with MultiplyAdds() as found:
            return run(tokens), found.total

    layers, all_ = counted(n)
    if n < 3:
        return layers, (0, all_, 0)
    (_, one), (_, two) = counted(1), counted(2)
    of_pair = (all_ - one - (n - 1) * (two - one)) // ((n - 1) * (n - 2))
    of_token = two - one - 3 * of_pair
    return layers, (one - of_token - of_pair, of_token, of_pair)


def _layers(body: Any, ids: Sequence[int]) -> tuple[CapturedLayer, ...]:
    return capture(body, **run_inputs(body, ids)).layers


def pairs_of(layers: tuple[CapturedLayer, ...]) -> Pairs:
    """Return the rotary pairs of the first layer whose queries hang on the position."""
    for layer in layers:
        if layer.Q is not None and bool(turned(layer.Q).any()):
            return rotary_pairs(layer.Q)
    return ()


def positional_layers(layers: tuple[CapturedLayer, ...], others: tuple[CapturedLayer, ...]) -> frozenset[int]:
    """Return the layers, from 1, whose queries and keys are the same whatever the token is."""
    return frozenset(
        number
        for number, (one, other) in enumerate(zip(layers, others, strict=True), start=1)
        if _same(one.Q, other.Q) and _same(one.K, other.K)
    )


def _same(one: Tensor | None, other: Tensor | None) -> bool:
    return one is not None and other is not None and torch.allclose(one, other)


def no_text(name: str) -> InvalidInput:
    return InvalidInput("model_no_text", f"The model {name} reads no text by itself.", value=name)
