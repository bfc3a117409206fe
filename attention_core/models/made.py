"""A model and a tokenizer of transformers, made from what was read of a folder. Nothing is looked up by a name.

What transformers raises about files of strangers can be anything; here it becomes a sentence.
"""

import importlib
import json
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.nn.modules import module as registration

from attention_core.cancellation import checkpoint
from attention_core.errors import Cancelled, InvalidInput
from attention_core.models.eager import transformers
from attention_core.models.folder_files import CONFIG, ModelFiles, Sized, config_refused, refuse_code
from attention_core.models.tokenizer_growth import require_known

_TOKENIZER_CONFIG: Final = "tokenizer_config.json"
_TOKENIZER_JSON: Final = (_TOKENIZER_CONFIG, "special_tokens_map.json", "added_tokens.json")
_TOKENIZER: Final = (
    "tokenizer.json", "vocab.txt", "vocab.json", "merges.txt", "spiece.model", "tokenizer.model",
    "sentencepiece.bpe.model", "sentencepiece.model",
)  # fmt: skip
_OTHER_FILES: Final = ("init_inputs", "fast_tokenizer_files", "chat_template", "name_or_path")
"""Settings of a tokenizer that would name other files, or be arguments by place. So do all that end in `_file`."""

_SPARE: Final = 2**28  # bytes of masks and tables that a model makes for itself
_SPARE_PARTS: Final = 1000  # and of them in number, with what is registered twice
_TYPES_OF_OTHERS: Final = ("timm_backbone", "timm_wrapper")
_EVERY_LOAD: Final = ("AutoTokenizer", "CONFIG_MAPPING", "PreTrainedModel", "GenerationMixin")
"""Names of transformers behind which it imports nearly all that a load needs: 1,670 modules, which take seconds."""


def import_ahead() -> None:
    """Import what every load needs of transformers. Raises `InvalidInput` (`transformers_missing`)."""
    package = transformers()
    for name in _EVERY_LOAD:
        getattr(package, name)


def made_model(found: Sized, tensors: dict[str, Tensor]) -> tuple[Any, bool]:
    """Return the model of a configuration with these tensors, in evaluation, in float32, with eager attention.

    Its class is that of `architectures` if transformers has it, else the body that belongs to the configuration. A
    parameter without a tensor is NaN; the second value is True if there is one.

    Raises `InvalidInput`: `transformers_missing`, `model_kind`, `model_config`.
    """
    config = config_of(found)
    kind = class_of(found, config)
    with _refused(lambda: config_refused(found.name)), _silently(), bounded(found):
        model, about = kind.from_pretrained(
            None,
            config=config,
            state_dict=tensors,
            attn_implementation="eager",
            experts_implementation="eager",
            dtype=torch.float32,
            local_files_only=True,
            output_loading_info=True,
        )
    with torch.no_grad():
        missing = set(about["missing_keys"])
        for name, one in (*model.named_parameters(), *model.named_buffers()):
            if name in missing and one.is_floating_point():
                one.fill_(torch.nan)
    return model.eval().requires_grad_(False), bool(missing)


def made_tokenizer(root: Path, found: Sized) -> Any:
    """Return the tokenizer that transformers has for these files, copied to a folder that holds nothing else.

    Raises `InvalidInput`: `transformers_missing`, `model_kind`, `model_code`, `model_tokenizer`, and as `ModelFiles`.
    """
    config = config_of(found)
    files = ModelFiles(root, found.name)
    with tempfile.TemporaryDirectory() as folder:
        copied = Path(folder)
        (copied / CONFIG).write_text(json.dumps(found.config), encoding="utf-8")
        for name in filter(files.has, _TOKENIZER_JSON):
            settings = files.json(name)
            refuse_code(found.name, settings)
            kept = {key: one for key, one in settings.items() if key not in _OTHER_FILES and not key.endswith("_file")}
            (copied / name).write_text(json.dumps(kept), encoding="utf-8")
        if not any(map(files.has, (_TOKENIZER_CONFIG, *_TOKENIZER))):
            raise no_tokenizer(found.name)
        for name in filter(files.has, _TOKENIZER):
            (copied / name).write_bytes(files.read(name))
        with _refused(lambda: no_tokenizer(found.name)), _silently():
            tokenizer = transformers().AutoTokenizer.from_pretrained(
                folder, config=config, local_files_only=True, trust_remote_code=False
            )
    if tokenizer.is_fast != hasattr(tokenizer, "backend_tokenizer") or not len(tokenizer):
        raise no_tokenizer(found.name)
    if tokenizer.is_fast:
        require_known(tokenizer, no_tokenizer(found.name))
    return tokenizer


def config_of(found: Sized) -> Any:
    """Return transformers' configuration of a model. Raises `InvalidInput`: `model_kind`, `model_config`."""
    kinds = transformers().CONFIG_MAPPING
    kind = found.config["model_type"]
    if kind not in kinds or kind in _TYPES_OF_OTHERS:
        raise InvalidInput(
            "model_kind",
            f"The model {found.name} is of a kind that transformers {transformers().__version__} does not know.",
            value=found.name,
        )
    with _refused(lambda: config_refused(found.name)), _silently():
        return kinds[kind].from_dict(found.config)


def class_of(found: Sized, config: Any) -> Any:
    """Return transformers' class of a model, or that of its body. Raises `InvalidInput`: `model_kind`."""
    package = transformers()
    for name in found.config.get("architectures") or ():
        kind = getattr(package, name, None) if isinstance(name, str) and name.isidentifier() else None
        if isinstance(kind, type) and issubclass(kind, package.PreTrainedModel) and type(config) is kind.config_class:
            return kind
    bodies = package.MODEL_MAPPING
    if type(config) not in bodies:
        raise InvalidInput(
            "model_kind",
            f"The model {found.name} is of a kind that transformers {package.__version__} does not know.",
            value=found.name,
        )
    body = bodies[type(config)]
    return body[0] if isinstance(body, (tuple, list)) else body


@contextmanager
def _refused(refusal: Callable[[], InvalidInput]) -> Iterator[None]:
    """Turn whatever is raised inside into this refusal; ours and a wish to stop pass."""
    try:
        yield
    except (InvalidInput, Cancelled):
        raise
    except Exception:
        raise refusal() from None


@contextmanager
def bounded(found: Sized) -> Iterator[None]:
    """Bound what a model is built of by what its files hold, and let it be stopped, in this thread.

    A configuration of a few bytes may describe a model that no memory holds. Models are built of parameters that take
    no memory yet (`meta`), so they can be counted as they come, before any of them is made.
    """
    thread, built, parts = threading.get_ident(), 0, 0
    most = 2 * found.bytes + _SPARE
    most_parts = 8 * sum(len(tensors) for _, tensors in found.weights) + _SPARE_PARTS

    def count(module: nn.Module, name: str, one: Tensor | None) -> None:
        nonlocal built, parts
        if one is None or one.device.type != "meta" or threading.get_ident() != thread:
            return
        checkpoint()
        built, parts = built + one.nbytes, parts + 1
        if built > most or parts > most_parts:
            raise MemoryError

    hooks = (
        registration.register_module_parameter_registration_hook(count),
        registration.register_module_buffer_registration_hook(count),
    )
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


@contextmanager
def _silently() -> Iterator[None]:
    """Keep transformers' progress bars and its reports about weights off the server's log."""
    logging: Any = importlib.import_module("transformers.utils.logging")
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity(logging.CRITICAL)
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def no_tokenizer(name: str) -> InvalidInput:
    return InvalidInput("model_tokenizer", f"The model {name} has no tokenizer that can be read.", value=name)
