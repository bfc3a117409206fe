"""What a notebook hands over, as a link of the app: the state to open, and what this process holds for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, urlencode

import numpy as np
import torch
from torch import Tensor, nn

from attention_core import AttentionConfig, AttentionInputs, AttentionResult, compute
from attention_core.config import settings
from attention_core.learned.headvis import HeadVisHead, read_headvis
from attention_core.models import (
    Capture,
    CapturedLayer,
    FolderModel,
    GivenLayer,
    capture,
    capture_decoder,
    picture_model,
    pixel_model,
    reads_text_with_pictures,
    runs_a_kernel,
    text_model,
)
from visualiser import models
from visualiser.held import new_name, title
from visualiser.models.given_weights import given_weights
from visualiser.models.measuring import measure
from visualiser.models.only_run import Named, only_run
from visualiser.models.passages import passage_layers, passages_run
from visualiser.notebook.own_attention import attends, run_attending
from visualiser.notebook.pictures import own_picture, picture_file
from visualiser.notebook.wrapped import unwrapped
from visualiser.pages.model import MOST_TOKENS
from visualiser.pages.model.reach import most_tokens
from visualiser.server import settings as variables
from visualiser.state import parameters, share
from visualiser.upload import canonical, read_upload
from visualiser.upload.handed import HANDED
from visualiser.upload.pictures import canonical_picture
from visualiser.upload.refusals import refusal
from visualiser.upload.weights import is_headvis

_MODEL, _MAP = "model", "map"
_WORDS = frozenset({"input_ids", "decoder_input_ids"})
_HIDDEN = ("menus",)
"""Lessons, presets and files, for which a frame is too narrow. The page has a button that shows them again."""


@dataclass(frozen=True)
class Handed:
    """What was handed over.

    page      that shows it
    settings  of its link
    held      the name of the Q, K and V that this process holds for it; empty without
    left_out  what of it is not shown
    notes     keys of further sentences
    """

    page: str
    settings: Mapping[str, Any]
    held: str = ""
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def upload(self) -> bytes:
        """The file that this process holds for it; empty without one."""
        return (HANDED.find(self.held) if self.held else None) or b""

    def query(self, **further: Any) -> str:
        """Return the link, with further settings and the name of what is held."""
        named = {name: value for name, value in further.items() if value is not None}
        held = {"held": self.held} if self.held else {}
        return urlencode({**self.settings, **named, **held})


@dataclass(frozen=True)
class Wish:
    """What `show` was asked besides the thing itself.

    more     further tensors or the text, in their order
    named    what names tokens
    corpus   True to read the corpus with a model, which labels its heads
    processor  what makes the tensors of a vision or a vision-language model
    options  keyword arguments: settings of a configuration, or inputs of a model
    """

    more: tuple[Any, ...] = ()
    named: Named = field(default_factory=Named)
    corpus: bool = False
    processor: Any = None
    options: Mapping[str, Any] = field(default_factory=dict)


def handed(x: Any, wish: Wish) -> Handed:
    """Take a thing over. Raises `InvalidInput` in a sentence for what cannot be shown."""
    x, beside = unwrapped(x)
    wish = _with(wish, beside)
    tensor = isinstance(x, (Tensor, np.ndarray))
    if not tensor and not isinstance(x, (nn.Module, FolderModel)) and wish.more:
        raise refusal("notebook_more", kind=type(x).__name__)
    match x:
        case AttentionConfig():
            return _of_config(_with_settings(x, wish.options))
        case AttentionResult():
            return _of_result(_with_no_options(x, wish))
        case AttentionInputs():
            return _of_inputs(x, _with_settings(AttentionConfig(source="upload"), wish.options))
        case Capture():
            return _of_capture(x, wish, "capture")
        case CapturedLayer():
            return _of_capture(Capture(None, (x,), (x.name,)), wish, "layer")
        case FolderModel():
            return _of_reader(x, _text_of(wish), wish)
        case nn.Module():
            notes = [
                *(["notebook.float16"] if _is_half(x) else []),
                *(["notebook.left_padded"] if _is_padded_left(wish) else []),
            ]
            return replace(_of_model(x, wish), notes=tuple(notes))
        case _ if tensor and wish.more:
            inputs = _tensors((x, *wish.more))
            return _of_inputs(inputs, _with_settings(AttentionConfig(source="upload"), wish.options))
    head = _head_of_file(x)
    if head is not None:
        return _of_passages(head)
    weights = given_weights(x, wish.named.batch)
    if weights is not None:
        named = replace(wish.named, prompt=weights.prompt)
        wish = replace(wish, named=named, options={**weights.ids, **wish.options})
        return _of_capture(weights.capture, wish, "weights")
    raise refusal("notebook_kind", kind=type(x).__name__)


def _of_config(config: AttentionConfig, held: str = "", page: str = parameters.EXPLORE) -> Handed:
    """Return the link of a configuration, if reading it gives that configuration again."""
    begins = share.beginning(page)
    query = share.canonical(replace(begins, config=config))
    reading = share.read(query, page=page)
    if reading.notices:
        raise refusal("notebook_page", why=" ".join(reading.notices))
    lost = [name for name in settings() if getattr(reading.state.config, name) != getattr(config, name)]
    brought = {"n", "h", "d_k", "d_model", "tie"} if held else set()
    if unread := [name for name in lost if name not in brought]:
        raise refusal("notebook_setting", names=", ".join(unread))
    hide = ",".join((*_HIDDEN, "upload") if held else _HIDDEN)
    return Handed(page, {**dict(parse_qsl(query, keep_blank_values=True)), "hide": hide}, held)


def _of_result(result: AttentionResult) -> Handed:
    if result.inputs is None:
        return _of_config(result.config)
    own = result.config
    trained = {} if own.trained is None else {"trained": None, "scaling": "custom", "scale": own.factor, "log_n": False}
    config = replace(own, source="upload", n_k=None, **trained)
    inputs = replace(result.inputs, trained=None)
    if result.rows is None and isinstance(result.cells.weights, Tensor):
        again = compute(config, inputs).weights
        if not torch.allclose(again, result.weights, atol=1e-5):
            raise refusal("notebook_setting", names="trained")
    return _of_inputs(inputs, config)


def _of_inputs(inputs: AttentionInputs, config: AttentionConfig) -> Handed:
    """Hold Q, K and V, for Explore or, if they are long, for the Map. Raises as `read_upload`."""
    page = parameters.EXPLORE if inputs.Q.shape[1] <= parameters.bounds(parameters.EXPLORE)["n"].maximum else _MAP
    file = canonical(inputs)
    read_upload("upload.safetensors", file, int(parameters.bounds(page)["n"].maximum))
    name = new_name("QKV")
    found = _of_config(replace(config, source="upload"), name, page)
    HANDED.put(name, file)
    return found


def _tensors(given: tuple[Any, ...]) -> AttentionInputs:
    """Return Q, K and V of tensors n × d or h × n × d; V is K if there are two, and grouped queries share theirs."""
    if not 2 <= len(given) <= 3:
        raise refusal("notebook_tensors", count=len(given))
    Q, K, V = (_matrices(name, one) for name, one in zip("QKV", (*given, given[1])[:3], strict=True))
    K, V = (
        one.repeat_interleave(len(Q) // len(one), 0) if len(one) and len(Q) % len(one) == 0 else one for one in (K, V)
    )
    return AttentionInputs(Q, K, V)


def _matrices(name: str, given: Any) -> Tensor:
    if not isinstance(given, (Tensor, np.ndarray)):
        raise refusal("notebook_tensor", name=name, kind=type(given).__name__)
    found = torch.as_tensor(given).detach().float().cpu()
    if found.dim() == 4 and len(found) == 1:  # a batch of one
        found = found[0]
    found = found.unsqueeze(0) if found.dim() == 2 else found
    if found.dim() != 3:
        raise refusal("upload_rank", name=name, came=" × ".join(map(str, found.shape)))
    return found


def _of_capture(got: Capture, wish: Wish, called: str, model: nn.Module | None = None) -> Handed:
    name = new_name(called)
    found = only_run(name, got, replace(wish.named, inputs=wish.options), MOST_TOKENS)
    models.HELD.put(name, models.HeldModel(found, models.unmeasured(found), fixed=True))
    alone = all(isinstance(layer, GivenLayer) for layer in found.the_run.layers)
    of_others = ("key_figure",) if alone else ()  # what it chooses between is of scores and of values
    return _of_held(name, ("text", "model", "over", "cost", "changes", *of_others), left_out=found.left_out)


def _head_of_file(x: Any) -> HeadVisHead | None:
    """Return the head of a file of HeadVis, by its path or as the object in it; None for another thing."""
    if isinstance(x, (str, Path)) and is_headvis(str(x)):
        return read_headvis(Path(x))
    return read_headvis(x) if isinstance(x, Mapping) and isinstance(x.get("sequences"), list) else None


def _of_passages(head: HeadVisHead) -> Handed:
    name = new_name("headvis")
    layers = passage_layers(head, MOST_TOKENS)
    found = passages_run(name, layers)
    models.HELD.put(name, models.HeldModel(found, models.unmeasured(found), fixed=True))
    notes = () if len(layers) == len(head.sequences) else ("notebook.passages",)
    return replace(_of_held(name, ("text", "model", "over", "cost", "changes", "key_figure")), notes=notes)


def _is_half(model: nn.Module) -> bool:
    """Return True for a model of transformers that computes in float16 by a kernel: its scores are made in float32."""
    return any(runs_a_kernel(module) and getattr(module, "dtype", None) == torch.float16 for module in model.modules())


def _is_padded_left(wish: Wish) -> bool:
    """Return True for inputs whose text begins behind padding, and whose positions the model counts from there."""
    mask = wish.options.get("attention_mask")
    if mask is None or "position_ids" in wish.options:
        return False
    rows = torch.as_tensor(mask)
    at = wish.named.batch or 0
    return rows.dim() == 2 and at < len(rows) and bool(rows[at].any()) and not bool(rows[at, 0])


def _with(wish: Wish, beside: Mapping[str, Any]) -> Wish:
    """Return the wish with the tokenizer and the processor that came along, where it has none."""
    named = wish.named
    if named.tokenizer is None and beside.get("tokenizer") is not None:
        wish = replace(wish, named=replace(named, tokenizer=beside["tokenizer"]))
    if wish.processor is None and beside.get("processor") is not None:
        wish = replace(wish, processor=beside["processor"])
    return wish


def _of_model(model: nn.Module, wish: Wish) -> Handed:
    """Read a model's text again and again if it has a tokenizer, or show the run of its inputs."""
    called = type(model).__name__
    if not hasattr(model, "config") and type(model).__module__.startswith("timm."):
        raise refusal("notebook_timm", kind=called, name=_timm_name(model))
    if not hasattr(model, "config") and attends(model):
        if not all(one is None or isinstance(one, Tensor) for one in wish.more):
            raise refusal("notebook_text_of_module", kind=called)
        got = run_attending(model, wish.more, wish.options, wish.named.batch)
        return _of_capture(got, replace(wish, options={}), called)
    if not hasattr(model, "config"):
        raise refusal("notebook_module", kind=called)
    of_tensors = wish.more and all(isinstance(one, Tensor) for one in wish.more)
    if of_tensors and wish.processor is None and not _sees(model):
        return _of_capture(capture(model, *wish.more, **wish.options), _named_first(model, wish), called)
    if reads_text_with_pictures(model):
        if wish.options:
            return _of_decoder(model, called, wish)
        if wish.processor is not None:
            return _of_both(picture_model(model, wish.processor, called), wish)
    elif wish.processor is not None:
        return _of_seeing(picture_model(model, wish.processor, called), picture_file(_only(wish)), wish)
    if "pixel_values" in wish.options and not wish.options.keys() & _WORDS:
        return _of_pixels(model, called, wish)
    if wish.named.tokenizer is None and wish.more and _sees(model):
        raise refusal("notebook_processor", kind=called)
    tokenizer = wish.named.tokenizer
    target = str(wish.options.get("target", ""))
    if tokenizer is not None:
        wish = replace(wish, options={name: one for name, one in wish.options.items() if name != "target"})
    if wish.more or (tokenizer is not None and not wish.options):
        if tokenizer is None:
            raise refusal("notebook_tokenizer")
        text = _text_of(wish)
        return _of_reader(text_model(model, tokenizer, called), text, wish, target)
    if not wish.options:
        raise refusal("notebook_inputs", kind=called)
    if tokenizer is not None and (text := _text_again(tokenizer, wish.options)) is not None:
        return _of_reader(text_model(model, tokenizer, called), text, wish)
    return _of_capture(capture(model, **wish.options), wish, called)


def _timm_name(model: nn.Module) -> str:
    """Return what a model of timm is called at the Hub; an ellipsis if it does not say."""
    about = getattr(model, "pretrained_cfg", None)
    named = [about.get(key) for key in ("architecture", "tag")] if isinstance(about, Mapping) else []
    return ".".join(one for one in named if isinstance(one, str) and one) or "…"


def _named_first(model: nn.Module, wish: Wish) -> Wish:
    """Return the wish with the model's first input by its name."""
    return replace(wish, options={str(getattr(model, "main_input_name", "input_ids")): wish.more[0], **wish.options})


def _of_reader(model: FolderModel, text: str, wish: Wish, target: str = "") -> Handed:
    """Hold a model that reads texts, and a target if it has a decoder for one."""
    if target and "target" not in model.takes:
        raise refusal("notebook_target", name=title(model.name))
    name = new_name(title(model.name))
    labelled = wish.corpus and measure(model, variables.run_memory(), lambda done: None)
    measures = labelled or models.unmeasured(model)
    models.HELD.put(name, models.HeldModel(model, measures))
    given = {"text": text, **({"target": target} if target else {})}
    config = AttentionConfig(source="model", model=name, text=text, target=target)
    models.run(config, most_tokens(name))  # what it says of the text
    return _of_held(name, ("model",) if measures.documents else ("model", "over"), further=given)


def _of_pixels(model: nn.Module, called: str, wish: Wish) -> Handed:
    """Show what a vision model makes of the tensor that it is given: that stands for the picture."""
    pixels = torch.as_tensor(wish.options["pixel_values"]).detach()
    if pixels.dim() != 4 or pixels.shape[1] != 3:
        raise refusal("notebook_pixels", came=" × ".join(map(str, pixels.shape)))
    if len(pixels) > 1 and wish.named.batch is None:
        raise refusal("notebook_batch", name="pixel_values", count=len(pixels))
    at = wish.named.batch or 0
    if not 0 <= at < len(pixels):
        raise refusal("notebook_no_batch", name="pixel_values", count=len(pixels), value=at)
    one = pixels[at : at + 1]
    return _of_seeing(pixel_model(model, one, called), canonical_picture(own_picture(one)), wish, fixed=True)


def _of_both(model: FolderModel, wish: Wish) -> Handed:
    """Hold a model that reads a text with pictures, a text and a picture."""
    if len(wish.more) != 2 or not isinstance(wish.more[0], str):
        raise refusal("notebook_text_picture", kind=", ".join(type(one).__name__ for one in wish.more) or "–")
    text, picture = wish.more
    return _of_seeing(model, picture_file(picture), wish, text=text)


def _of_decoder(model: nn.Module, called: str, wish: Wish) -> Handed:
    """Show what the decoder of a vision-language model makes of its inputs, the tokens' names from its processor."""
    named = wish.named
    if named.tokenizer is None:
        named = replace(named, tokenizer=getattr(wish.processor, "tokenizer", None))
    got = capture_decoder(model, **wish.options)
    if (n := max(layer.weights.shape[-1] for layer in got.layers)) > MOST_TOKENS:
        raise refusal("notebook_long_picture", n=n, most=MOST_TOKENS)
    return _of_capture(got, replace(wish, named=named), called)


def _of_seeing(model: FolderModel, file: bytes, wish: Wish, fixed: bool = False, text: str | None = None) -> Handed:
    """Hold a model that reads pictures, and one of them; `fixed` if it reads no other. `text` stands beside it."""
    name, shown = new_name(title(model.name)), new_name("picture")
    labelled = not fixed and wish.corpus and measure(model, variables.run_memory(), lambda done: None)
    measures = labelled or models.unmeasured(model)
    models.HELD.put(name, models.HeldModel(model, measures, fixed))
    HANDED.put(shown, file)
    config = AttentionConfig(source="model", model=name, pictures=models.OWN)
    config = config if text is None else replace(config, text=text)
    models.run(config, most_tokens(name), file)  # what it says of the picture
    read = {"pictures": models.OWN} | ({} if text is None else {"text": text})
    hidden = ("model", *(() if measures.documents else ("over",)), *(("pictures",) if fixed else ()))
    return replace(_of_held(name, hidden, further=read), held=shown)


def _sees(model: nn.Module) -> bool:
    """Return True for a model whose first input is a picture."""
    return getattr(model, "main_input_name", "") == "pixel_values"


def _only(wish: Wish) -> Any:
    if len(wish.more) != 1:
        raise refusal("notebook_picture", kind=f"{len(wish.more)}")
    return wish.more[0]


def _of_held(
    name: str,
    hidden: tuple[str, ...],
    left_out: tuple[str, ...] = (),
    further: Mapping[str, str] = MappingProxyType({}),
) -> Handed:
    """Return the link of a model that is held, without the controls that choose another or know nothing of it."""
    hide = ",".join((*_HIDDEN, *hidden))
    return Handed(_MODEL, {"page": _MODEL, "model": name, "over": "text", **further, "hide": hide}, left_out=left_out)


def _text_again(tokenizer: Any, inputs: Mapping[str, Any]) -> str | None:
    """Return the text of these inputs if the tokenizer makes the very same of it; None for any others."""
    ids = inputs.get("input_ids")
    if ids is None or set(inputs) - {"input_ids", "attention_mask", "token_type_ids"}:
        return None
    rows = torch.as_tensor(ids)
    if rows.dim() != 2 or len(rows) != 1 or rows.shape[1] > MOST_TOKENS:
        return None
    mask = inputs.get("attention_mask")
    if mask is not None and not bool(torch.as_tensor(mask).all()):
        return None
    text = tokenizer.decode(rows[0].tolist(), skip_special_tokens=True)
    return text if text.strip() and list(tokenizer(text)["input_ids"]) == rows[0].tolist() else None


def _text_of(wish: Wish) -> str:
    text = wish.more[0] if wish.more else parameters.beginning(_MODEL).text
    if len(wish.more) > 1 or not isinstance(text, str):
        raise refusal("notebook_text", kind=type(text).__name__)
    return text


def _with_settings(config: AttentionConfig, given: Mapping[str, Any]) -> AttentionConfig:
    unknown = [name for name in given if name not in settings()]
    if unknown:
        raise refusal("notebook_unknown", names=", ".join(unknown))
    untied = {"tie": None} if {"d_k", "d_model", "h"} & given.keys() else {}
    return replace(config, **untied, **given)


def _with_no_options(result: AttentionResult, wish: Wish) -> AttentionResult:
    if wish.options:
        raise refusal("notebook_unknown", names=", ".join(wish.options))
    return result
