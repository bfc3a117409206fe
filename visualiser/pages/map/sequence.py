"""The sequence to map, from a link and its accompanying text or file: its Q and K, its tokens, its sizes."""

import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import torch
from torch import Tensor

from attention_core import AttentionConfig, InvalidInput
from attention_core.exact.compared import compared
from attention_core.inputs import sources
from attention_core.learned import Line, LongModel
from attention_core.result.compute import adopted
from attention_core.text import MAXIMUM_CHARACTERS, beginning
from attention_core.validation import whole_number
from visualiser import models
from visualiser.gpu import device_name
from visualiser.locale import text, texts
from visualiser.models import long_texts
from visualiser.pages.map import calibration, long_layer
from visualiser.pages.map.long_layer import Unread
from visualiser.pages.of_model import TrainedLayer, hearing, layer_of
from visualiser.server.admission.cost import FLOAT
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.runs import Run
from visualiser.state import parameters, share
from visualiser.upload import read_upload

PAGE = "map"
MOST_RUN_BYTES: Final = 2**28
"""The most bytes of the scores and weights that a model makes of a text, in all layers together."""

LONGEST_TEXT = 2 * 2**20
"""The most bytes read of a text; a link carries at most 512 characters of one."""


@dataclass(frozen=True, eq=False)
class Subject:
    """The sequence to map, before it is drawn: the config, the sizes, a text's tokens, Q and K of a file or a model.

    `line` has what a model knows the tokens by. `trained` is the layer of a model, `Unread` if its long text is still
    to be read: then there are no Q and K yet.
    """

    config: AttentionConfig
    h: int
    n_q: int
    n_k: int
    d_k: int
    tokens: tuple[str, ...] | None = None
    given: tuple[Tensor, Tensor] | None = None
    trained: TrainedLayer | Unread | None = None
    line: Line | None = None

    @property
    def longest(self) -> int:
        """The number of queries or keys, whichever is larger."""
        return max(self.n_q, self.n_k)

    def tensors(self) -> tuple[Tensor, Tensor]:
        """Return Q and K as they are compared, h × n × d_k, in the config's precision."""
        if self.given is None:
            X = None if self.tokens is None else sources.embeddings(self.config, self.tokens)
            Q, K = (sources.per_head(self.config, X, name) for name in "QK")
        else:
            Q, K = self.given
        dtype = getattr(torch, self.config.dtype)
        Q, K = (compared(self.config, tensor).to(dtype).contiguous() for tensor in (Q, K))
        return Q, K


def subject(request: PageRequest) -> tuple[share.State, tuple[str, ...], Subject]:
    """Return the link's state, the notices about changes in it, and the sequence to map.

    A missing text or file is replaced, and a notice says so. Raise `InvalidInput` for an upload or a text that cannot
    be read.
    """
    reading = request.reading
    state, notices = reading.state, reading.notices
    lang = state.lang
    if state.config.source == "upload" and not request.upload:
        notices += (text(lang, "notice.no_upload"),)
        n = int(parameters.bounds(PAGE)["n"].default)
        state = replace(state, config=replace(state.config, source="structured", n=n, tie=None))
    config = state.config
    if config.dtype != "float32":
        notices += (text(lang, "notice.map_format", format=config.dtype),)
    if config.source == "upload":
        inputs = read_upload("upload.safetensors", request.upload, most_tokens())
        h, n_q, d_k = inputs.Q.shape
        # the file's own width decides the factor, as on Explore
        own = adopted(config, inputs)
        return state, notices, Subject(own, h, n_q, inputs.K.shape[1], d_k, given=(inputs.Q, inputs.K))
    if config.source == "text":
        found, cut = tokens(config, lang, request.upload)
        if cut:
            notices += (text(lang, "notice.text_cut", n=len(found)),)
        own = replace(config, n_k=len(found))  # the link's own text may be another
        return state, notices, Subject(own, config.h, len(found), len(found), config.d_k, found)
    if config.source == "model":
        return _trained(state, notices, request.upload)
    return state, notices, Subject(config, config.h, config.n, config.n, config.d_k)


def _trained(
    state: share.State, notices: tuple[str, ...], given: bytes
) -> tuple[share.State, tuple[str, ...], Subject]:
    """Return a layer's Q and K, as the model makes them of the text; `given` is a text too long for the link."""
    config = of_text(state.config, given)
    if reads_long(config):
        return _long(state, notices, config)
    found = layer_of(config, most_at_once(config), 1)
    return _of_layer(state, notices, found)


def _long(
    state: share.State, notices: tuple[str, ...], config: AttentionConfig
) -> tuple[share.State, tuple[str, ...], Subject]:
    """Return a layer over a long text: its sizes, and Q and K if it was read before."""
    model = models.long_model(config.model)
    assert model is not None  # `reads_long` asked
    whole_number("layer", config.layer, 1, model.layers)
    most = most_read(config)
    cut = model.cut(config.text, most)
    n = len(cut.tokens)
    read = long_texts.layer_read(config, n)
    if read is not None:
        return _of_layer(state, notices, TrainedLayer(read.inputs, read.heads, model.layers, read.cut))
    if cut.cut:
        notices += (_cut(state, n),)
    unread = Unread(model.layers, model.h, cut.cut)
    return (
        state,
        notices,
        Subject(
            _sized(state.config, model, n), model.h, n, n, model.d_k, cut.tokens, trained=unread, line=cut.line("text")
        ),
    )


def read_first(requested: Subject, request: PageRequest, run: Run, share_: float) -> Generator[bytes, None, Subject]:
    """Yield the progress of reading the layer of an `Unread` subject; return the subject with its Q and K."""
    state, config = request.reading.state, of_text(request.reading.state.config, request.upload)
    read = yield from long_layer.told_by(partial(models.read_layer, config, requested.longest), run, share_)
    assert isinstance(requested.trained, Unread)  # the caller asked
    found = TrainedLayer(read.inputs, read.heads, requested.trained.layers, read.cut)
    return _of_layer(state, (), found)[2]


def _cut(state: share.State, n: int) -> str:
    """Say how much of a text is read: as much as the model takes, or as the page does."""
    name = state.config.model
    long = models.long_model(name)
    most = long.context if long else models.find(name).most_tokens
    return text(state.lang, "notice.model_cut" if n >= most else "notice.text_cut", n=n)


def _of_layer(
    state: share.State, notices: tuple[str, ...], found: TrainedLayer
) -> tuple[share.State, tuple[str, ...], Subject]:
    inputs = found.inputs
    h, n_q, d_k = inputs.Q.shape
    if found.cut:
        notices += (_cut(state, found.read or n_q),)
    notices += hearing(state.config, state.lang)
    if h < found.heads:
        notices += (text(state.lang, "notice.map_one_head", heads=found.heads),)
    own = adopted(state.config, inputs)  # whose text is the link's
    n_k, given = inputs.K.shape[1], (inputs.Q, inputs.K)
    return state, notices, Subject(own, h, n_q, n_k, d_k, inputs.tokens, given, found, inputs.line)


def of_text(config: AttentionConfig, given: bytes) -> AttentionConfig:
    """Return the configuration with a text that came beside the link, if one did."""
    if not given:
        return config
    written = given[:LONGEST_TEXT].decode(errors="replace")[:MAXIMUM_CHARACTERS]
    return replace(config, text=written)


def reads_long(config: AttentionConfig) -> bool:
    """Return True if the model reads this text row by row: it can, and the text is longer than it reads at once."""
    model, most = models.long_model(config.model), most_at_once(config)
    return model is not None and model.d_k > 0 and model.tokens(config.text, most + 1) > most


def most_read(config: AttentionConfig) -> int:
    """Return the most tokens that a model reads here, up to the link's layer."""
    model = models.long_model(config.model)
    if model is None or not model.d_k:
        return most_at_once(config)
    passed = calibration.limit(_sized(config, model, 2), model.h, model.d_k, device_name())
    return max(most_at_once(config), min(passed, long_layer.most_read(model, config.layer, most_tokens())))


def _sized(config: AttentionConfig, model: LongModel, n: int) -> AttentionConfig:
    """Return the configuration with the sizes of a layer over n tokens."""
    return replace(config, n=n, n_k=None, h=model.h, d_k=model.d_k, tie=None)


def most_at_once(config: AttentionConfig) -> int:
    """Return the most tokens that a model reads at once: it keeps all cells of all layers, the map those of none."""
    found = models.known(config.model)
    h, layers = (16, 32) if found is None else (found.h, found.layers)
    room = math.isqrt(MOST_RUN_BYTES // (2 * FLOAT * layers * h))
    return min(most_tokens(), room if found is None else min(room, found.most_tokens))


def shortened(requested: Subject, most: int) -> Subject:
    """Return the sequence with at most `most` tokens.

    A text keeps its first tokens, a file and a model their first queries and their first keys. A drawn sequence is
    drawn with fewer tokens, which hold everything that is planted.
    """
    if requested.longest <= most:
        return requested
    n_q, n_k = min(requested.n_q, most), min(requested.n_k, most)
    if requested.given is None and requested.tokens is None:
        return replace(requested, config=replace(requested.config, n=most), n_q=n_q, n_k=n_k)
    fewer = replace(requested, config=replace(requested.config, n_k=n_k), n_q=n_q, n_k=n_k)
    if requested.given is not None:
        Q, K = requested.given
        tokens = None if requested.tokens is None else requested.tokens[:n_k]
        return replace(fewer, tokens=tokens, given=(Q[:, :n_q], K[:, :n_k]))
    return replace(fewer, tokens=(requested.tokens or ())[:most])


def most_tokens() -> int:
    """Return the longest sequence that the page takes with any setting."""
    return int(parameters.bounds(PAGE)["n"].maximum)


def tokens(config: AttentionConfig, lang: str, given: bytes) -> tuple[tuple[str, ...], bool]:
    """Return the tokens of the text, and True if it has more than the page takes. Raise `InvalidInput`."""
    written = given[:LONGEST_TEXT].decode(errors="replace") if given else config.text
    if not given and config.text == parameters.beginning(PAGE).text:
        written = own_text(lang)
    found = beginning(written, config.split, most_tokens() + 1)
    if len(found) < 2:
        raise InvalidInput("text_empty", "The text must hold at least two words or characters.", field="text", value="")
    cut = len(found) > most_tokens() or len(given) > LONGEST_TEXT
    return found[: most_tokens()], cut


def own_text(lang: str) -> str:
    """Return the text that is mapped by default: Headlight's own explanations, in the visitor's language."""
    return "\n".join(_explanations(lang))


def _explanations(lang: str) -> Iterator[str]:
    for key, written in texts(lang).items():
        if key.startswith("explain.") or key.endswith(".hint"):
            yield written
