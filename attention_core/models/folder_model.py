"""A model of a folder as a `LearnedModel`: loaded without a name that transformers could look up, then measured.

transformers gets a configuration that was read and checked here, the tensors, and a copy of the tokenizer's files. It
gets no path of the folder, so of all that it would look for beside the weights (adapters, other checkpoints, code,
names of kernels) it finds nothing.
"""

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor, nn

from attention_core.cancellation import checkpoint
from attention_core.errors import InvalidInput
from attention_core.learned.run import ModelRun
from attention_core.models.captured import CapturedLayer
from attention_core.models.capturing import capture
from attention_core.models.counting import MultiplyAdds
from attention_core.models.cutting import Cutter
from attention_core.models.eager import prepare
from attention_core.models.folder_files import Sized, damaged
from attention_core.models.headers import Unusable
from attention_core.models.made import made_model, made_tokenizer
from attention_core.models.rotary import Pairs, rotary_pairs, turned
from attention_core.models.weights import read
from attention_core.text import readable

MOST_TOKENS: Final = 512
_MEASURED: Final = 64
"""Tokens of the runs that measure a model: enough that the slowest rotation moves a component beyond rounding."""
_SPARE: Final = 8
"""Places that a model with learned positions may lose of those that it declares, as RoBERTa does two."""
_READ, _MADE = 0.9, 0.95  # shares of the progress


@dataclass(frozen=True, eq=False)
class FolderModel:
    """A loaded model, which threads may share. Beside what `LearnedModel` says:

    reader       the part that reads a text: the body without its output layer. Of an encoder and a decoder the encoder
                 alone: it attends to the text by itself
    d_k          0 if no layer gives queries
    pairs        of the first layer that turns its queries
    parameters   floats in the model's files
    products     multiply-adds of a run: its own, those of each token, and those of each pair of tokens
    bytes        of the loaded model's parameters and buffers
    """

    name: str
    model: Any
    reader: Any
    cutter: Cutter
    layers: int
    h: int
    d_k: int
    most_tokens: int
    delimiters: frozenset[int]
    pairs: Pairs
    positional: frozenset[int]
    parameters: int
    products: tuple[int, int, int]
    bytes: int

    def run(self, text: str, most: int | None = None) -> ModelRun:
        """Read a text, at most `most` tokens of it.

        Raises `InvalidInput`: `not_a_text`, `text_too_long`; `text_empty` for a text without a token;
        `model_not_finite` for weights that are no numbers; and as `capture` does.
        """
        written = readable(text)
        cut = self.cutter.cut(written, self.most_tokens if most is None else max(1, min(most, self.most_tokens)))
        if not cut.ids:
            raise InvalidInput("text_empty", "text must hold at least one token.", field="text", value="")
        checkpoint()
        layers = _layers(self.reader, cut.ids)
        if not all(_finite(layer) for layer in layers):
            raise _not_finite(self.name)
        return ModelRun(cut.tokens, cut.ids, layers, cut.cut)

    def tokens(self, text: str) -> int:
        """Return how many tokens of a text a run reads."""
        return len(self.cutter.cut(text, self.most_tokens).ids)

    def multiply_adds(self, n: int) -> int:
        """Return those of a run over `n` tokens, as the measured ones foretell."""
        once, of_token, of_pair = self.products
        return once + of_token * n + of_pair * n**2


def load(root: Path, found: Sized, progress: Callable[[float], None]) -> FolderModel:
    """Load a model, its tokenizer included, and measure it.

    Layers, heads and widths are those of a first run, and `pairs` of one whose tokens are all the same. A parameter
    that no file holds is NaN in that run: if attention hangs on it, the model is refused.

    Raises
    ------
    InvalidInput
        `transformers_missing`; `model_kind` for a type of model that this transformers does not know; `model_config`
        for a configuration that does not fit the weights; `model_weights` for a file that ends early;
        `model_incomplete` if attention needs a tensor that no file holds; `model_no_text` for a model that reads no
        text; `model_not_finite`; `model_tokenizer` for a tokenizer that cannot be read; and as `capture` does.
    Cancelled
        If a `stopping` around this call says so.
    """
    cutter = Cutter(made_tokenizer(root, found))
    checkpoint()
    try:
        tensors = read(found.weights, lambda done: progress(_READ * done))
    except (Unusable, OSError):
        raise damaged(found.name, found.weights[0][0].name) from None
    model, incomplete = made_model(found, tensors)
    del tensors
    checkpoint()
    progress(_MADE)
    prepare(model)
    with _text_read(found.name):
        reader = _reader(found.name, model)
        token, other = _ordinary(found.name, reader, cutter)
        most = _most_tokens(found.name, reader, token)
        layers, products = _measured(reader, token, min(_MEASURED, most))
        checkpoint()
        if not all(map(_finite, layers)):
            raise _incomplete(found.name) if incomplete else _not_finite(found.name)
        positional = _positional(layers, _layers(reader, [other] * min(_MEASURED, most)))
    checkpoint()
    delimiters = cutter.delimiters()
    progress(1.0)
    return FolderModel(
        name=found.name,
        model=model,
        reader=reader,
        cutter=cutter,
        layers=len(layers),
        h=max(layer.weights.shape[-3] for layer in layers),
        d_k=max((layer.Q.shape[-1] for layer in layers if layer.Q is not None), default=0),
        most_tokens=most,
        delimiters=delimiters,
        pairs=_pairs(layers),
        positional=positional,
        parameters=found.parameters,
        products=products,
        bytes=_bytes(model),
    )


def _reader(name: str, model: Any) -> Any:
    """Return the part of a model that reads a text."""
    reader = model.get_encoder() if model.config.is_encoder_decoder else model.base_model
    if getattr(reader, "main_input_name", "input_ids") != "input_ids":
        raise _no_text(name)
    return reader


def _ordinary(name: str, reader: Any, cutter: Cutter) -> tuple[int, int]:
    """Return the ids of two tokens that the model has, no special ones if there are others."""
    rows = reader.get_input_embeddings().weight.shape[0]
    found = [one for one in dict.fromkeys(cutter.cut("a the 1 2", MOST_TOKENS).ids) if one < rows]
    found.sort(key=lambda one: one in cutter.special)
    if rows < 2 or not found:
        raise _no_text(name)
    return found[0], found[1] if len(found) > 1 else int(not found[0])


def _most_tokens(name: str, reader: Any, token: int) -> int:
    """Return the longest text: what the configuration declares, tried if learned positions may end before it."""
    declared = getattr(reader.config.get_text_config(), "max_position_embeddings", None)
    most = declared if isinstance(declared, int) and declared > 0 else MOST_TOKENS
    if most >= MOST_TOKENS + _SPARE:
        return MOST_TOKENS
    for tried in range(min(most, MOST_TOKENS), max(0, most - _SPARE - 1), -1):
        checkpoint()
        try:
            with torch.no_grad():
                reader(**_inputs(reader, [token] * tried))
        except (IndexError, RuntimeError, ValueError):
            continue
        return tried
    raise _no_text(name)


@contextmanager
def _text_read(name: str) -> Iterator[None]:
    """Turn what a model raises that cannot run on a text into a sentence."""
    try:
        yield
    except InvalidInput:
        raise
    except (TypeError, ValueError, AttributeError, KeyError, IndexError, RuntimeError, NotImplementedError):
        raise _no_text(name) from None


def _measured(reader: Any, token: int, n: int) -> tuple[tuple[CapturedLayer, ...], tuple[int, int, int]]:
    """Return the layers of a run over `n` equal tokens, and the `products` that runs over 1, 2 and n tokens tell."""

    def run(tokens: int) -> tuple[tuple[CapturedLayer, ...], int]:
        with MultiplyAdds() as counted:
            return _layers(reader, [token] * tokens), counted.total

    layers, all_ = run(n)
    if n < 3:
        return layers, (0, all_, 0)
    (_, one), (_, two) = run(1), run(2)
    of_pair = (all_ - one - (n - 1) * (two - one)) // ((n - 1) * (n - 2))
    of_token = two - one - 3 * of_pair
    return layers, (one - of_token - of_pair, of_token, of_pair)


def _layers(reader: Any, ids: Sequence[int]) -> tuple[CapturedLayer, ...]:
    return capture(reader, **_inputs(reader, ids)).layers


def _inputs(reader: Any, ids: Sequence[int]) -> dict[str, Any]:
    """Return the arguments of a run: ids, and what the reader has a name for: a mask that lets all through, no cache.

    No segments: GPT-2 would add the embedding of word 0 to each token.
    """
    made = torch.tensor([ids])
    given: dict[str, Any] = {"attention_mask": torch.ones_like(made), "use_cache": False}
    known = inspect.signature(reader.forward).parameters
    return {"input_ids": made} | {key: value for key, value in given.items() if key in known}


def _finite(layer: CapturedLayer) -> bool:
    return all(bool(one.isfinite().all()) for one in (layer.Q, layer.K, layer.V, layer.weights) if one is not None)


def _pairs(layers: tuple[CapturedLayer, ...]) -> Pairs:
    """Return the rotary pairs of the first layer whose queries hang on the position."""
    for layer in layers:
        if layer.Q is not None and bool(turned(layer.Q).any()):
            return rotary_pairs(layer.Q)
    return ()


def _positional(layers: tuple[CapturedLayer, ...], others: tuple[CapturedLayer, ...]) -> frozenset[int]:
    """Return the layers, from 1, whose queries and keys are the same whatever the token is."""
    return frozenset(
        number
        for number, (one, other) in enumerate(zip(layers, others, strict=True), start=1)
        if _same(one.Q, other.Q) and _same(one.K, other.K)
    )


def _same(one: Tensor | None, other: Tensor | None) -> bool:
    return one is not None and other is not None and torch.allclose(one, other)


def _bytes(model: nn.Module) -> int:
    found = {one.data_ptr(): one.nbytes for one in (*model.parameters(), *model.buffers())}
    return sum(found.values())


def _no_text(name: str) -> InvalidInput:
    return InvalidInput("model_no_text", f"The model {name} reads no text by itself.", value=name)


def _incomplete(name: str) -> InvalidInput:
    return InvalidInput(
        "model_incomplete", f"The files of the model {name} lack weights that its attention needs.", value=name
    )


def _not_finite(name: str) -> InvalidInput:
    return InvalidInput("model_not_finite", f"The model {name} makes numbers that are not finite.", value=name)
