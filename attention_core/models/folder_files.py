"""The files of one model in a folder: which there are, whether they may be read, and what they say of the model.

Nothing here needs transformers, and nothing of a file is run: JSON and the headers of safetensors files are all that is
read. Each refusal is an `InvalidInput` whose `value` is the model's name.
"""

import json
import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from math import prod
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from attention_core.errors import InvalidInput
from attention_core.models.headers import Placed, Unusable, placed

CONFIG: Final = "config.json"
_WEIGHTS: Final = "model.safetensors"
_INDEX: Final = "model.safetensors.index.json"
_ADAPTER: Final = "adapter_config.json"
_MIB: Final = 2**20
LARGEST: Final = MappingProxyType({CONFIG: _MIB, "tokenizer.json": 64 * _MIB, "merges.txt": 16 * _MIB})
"""The most bytes of a file that is read whole; of one that is not listed, `_LARGEST`. Large vocabularies have 35 MB."""
_LARGEST: Final = 16 * _MIB

_READ: Final = frozenset((".json", ".safetensors", ".txt", ".model", ".spm"))
_MOST_FILES: Final = 1000
"""The most files of numbers: each has a header to read, and the largest models that are published have 200."""

_QUANTISED: Final = ("quantization_config", "compression_config")
_LEFT_OUT: Final = re.compile(
    r"_?(attn|experts)_implementation(_internal|_autoset)?|_name_or_path|name_or_path|transformers_weights"
    r"|fusion_config|kernel_config|(torch_)?dtype|output_(attentions|hidden_states|router_logits|scores)"
    r"|(use_)?return_dict|use_cache|task_specific_params"
)
"""Settings that would name other code, other files or another output. A model's numbers do not hang on them."""
_COUNTS: Final = re.compile(r".*(layers?|blocks?|labels?|heads?|experts?|depths?|stages?|levels?|codebooks?)")
_MOST_COUNTED: Final = 10_000
"""More layers, heads, … than any model has: a configuration that claims so would be built for hours."""


@dataclass(frozen=True)
class Sized:
    """A model of a folder as its files describe it, before it is loaded.

    name        of its subfolder
    path        of its subfolder
    config      what its config.json says, without the settings that would name other code, files or output
    weights     its files of numbers, and the tensors in each
    parameters  floats in them
    bytes       that they take in float32
    states      of its files before the first of them was read
    """

    name: str
    path: Path
    config: dict[str, Any]
    weights: tuple[tuple[Path, tuple[Placed, ...]], ...]
    parameters: int
    bytes: int
    states: "States"

    def require_unchanged(self) -> None:
        """Raise `InvalidInput` (`model_changed`) if a file is no longer what it was: what was read may be of two."""
        require_unchanged(self.name, self.path, self.states)


States = frozenset[tuple[str, tuple[int, ...]]]
"""Files by their names: which they are, how long, and when they were last written."""


def states(folder: Path) -> States:
    """Return those of the files that may be read of a model. One that cannot be looked at is not there."""
    found = set[tuple[str, tuple[int, ...]]]()
    with suppress(OSError):
        for one in folder.iterdir():
            if one.suffix in _READ:
                with suppress(OSError):
                    now = one.stat()
                    stamp = (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)
                    found.add((one.name, stamp))
    return frozenset(found)


def require_unchanged(name: str, folder: Path, before: States) -> None:
    """Raise `InvalidInput` (`model_changed`) if files are no longer what they were."""
    if states(folder) != before:
        raise InvalidInput(
            "model_changed", f"Files of the model {name} changed while they were read; load it again.", value=name
        )


def is_model(path: Path) -> bool:
    """Return True for a folder with a configuration and numbers in a format that runs no code.

    False for one that cannot be read, and for one with none of these among the files that are looked at.
    """
    try:
        if not (path / CONFIG).is_file():
            return False
        with os.scandir(path) as found:
            return any(one.name.endswith(".safetensors") for one in islice(found, 2 * _MOST_FILES))
    except OSError:
        return False


def sized(root: Path, name: str) -> Sized:
    """Return what the files of the subfolder `name` of `root` say. The name must be one that is listed.

    Raises
    ------
    InvalidInput
        `model_code` for a model with code of its own; `model_quantised`; `model_adapter` for the changes to a model
        without it; `model_config` for a configuration that cannot be used; `model_weights` for a file of numbers that
        is damaged; `model_files` for too many of them; `model_link` for a file that is a link out of `root`;
        `model_file_size` for one too large to read; `model_changed` for files that change meanwhile.
    """
    files = ModelFiles(root, name)
    before = states(files.folder)
    try:
        return _sized(files, before)
    except InvalidInput:
        require_unchanged(name, files.folder, before)  # else a file that vanished would be called damaged
        raise


def _sized(files: "ModelFiles", before: States) -> Sized:
    name, config = files.name, configured(files)
    weights = []
    for one in _weight_files(files):
        path = files.path(one)
        try:
            weights.append((path, placed(path)))
        except Unusable as problem:
            raise quantised(name) if problem.quantised else damaged(name, one) from None
        except OSError:
            raise damaged(name, one) from None
    tensors = [tensor for _, found in weights for tensor in found]
    if not tensors or len({tensor.name for tensor in tensors}) != len(tensors):
        raise damaged(name, _WEIGHTS)
    floats = sum(prod(tensor.shape) for tensor in tensors if tensor.dtype.is_floating_point)
    loaded = sum(one.loaded_bytes for one in tensors)
    return Sized(name, files.folder, config, tuple(weights), floats, loaded, before)


def configured(files: "ModelFiles") -> dict[str, Any]:
    """Return what a config.json says, without what is left out. Raises `InvalidInput` as `sized` does for it."""
    try:
        config = _kept(files, files.json(CONFIG))
    except RecursionError:  # a list in a list in a list …
        raise config_refused(files.name) from None
    if not isinstance(config.get("model_type"), str) or not isinstance(config.get("architectures", []), list | None):
        raise config_refused(files.name)
    return config


@dataclass(frozen=True)
class ModelFiles:
    """The files of the subfolder `name` of `root`, each checked before it is read."""

    root: Path
    name: str

    @property
    def folder(self) -> Path:
        return self.root / self.name

    def has(self, file: str) -> bool:
        return (self.folder / file).is_file()

    def path(self, file: str) -> Path:
        """Return the real path of a plain file within `root`. Raises `InvalidInput` (`model_link`, `model_config`)."""
        try:
            found = (self.folder / file).resolve(strict=True)
            plain = stat.S_ISREG(found.stat().st_mode)
        except (OSError, RuntimeError, ValueError):  # no such file, a ring of links, a name that none can have
            raise damaged(self.name, file) from None
        if not found.is_relative_to(self.root.resolve()):
            raise InvalidInput(
                "model_link",
                f"{file} of the model {self.name} is a link to a place outside the folder of models; copy it there.",
                value=self.name,
                file=file,
            )
        if not plain:
            raise damaged(self.name, file)
        return found

    def read(self, file: str) -> bytes:
        """Return a file's bytes. Raises `InvalidInput` as `path` does, and `model_file_size`."""
        path, most = self.path(file), LARGEST.get(file, _LARGEST)
        try:
            with path.open("rb") as opened:
                found = opened.read(most + 1)
        except OSError:
            raise damaged(self.name, file) from None
        require_readable(self.name, file, len(found))
        return found

    def json(self, file: str) -> dict[str, Any]:
        """Return a file's JSON object. Raises `InvalidInput` as `read` does, and `model_weights` for anything else."""
        written = self.read(file)
        try:
            found = json.loads(written.decode())
        except (ValueError, RecursionError):
            raise damaged(self.name, file) from None
        if not isinstance(found, dict):
            raise damaged(self.name, file)
        return found


def require_readable(name: str, file: str, size: int) -> None:
    """Raise `InvalidInput` (`model_file_size`) for a file that is too large to be read whole."""
    most = LARGEST.get(file, _LARGEST)
    if size > most:
        raise InvalidInput(
            "model_file_size",
            f"{file} of the model {name} has more than {most // _MIB} MB, the most that is read.",
            value=name,
            file=file,
            limit=most // _MIB,
        )


def refuse_code(name: str, settings: dict[str, Any]) -> None:
    """Raise `InvalidInput` (`model_code`) for settings that ask for code beside them."""
    if "auto_map" in settings:
        raise InvalidInput(
            "model_code", f"The model {name} brings code of its own, and none but transformers' own is run.", value=name
        )


def config_refused(name: str) -> InvalidInput:
    """Return the error for a configuration that describes no model that can be built."""
    return InvalidInput(
        "model_config", f"The config.json of the model {name} describes no model that can be built.", value=name
    )


def damaged(name: str, file: str) -> InvalidInput:
    """Return the error for a file that is not what its name says."""
    return InvalidInput(
        "model_weights", f"{file} of the model {name} cannot be read: it is damaged or cut off.", value=name, file=file
    )


def quantised(name: str) -> InvalidInput:
    """Return the error for numbers that only another package could turn into weights."""
    return InvalidInput(
        "model_quantised", f"The weights of the model {name} are quantised; only plain floats are read.", value=name
    )


def _weight_files(files: ModelFiles) -> tuple[str, ...]:
    """Return the names of the files of numbers: one, those that an index lists, or the only one there is."""
    if files.has(_WEIGHTS):
        return (_WEIGHTS,)
    if files.has(_INDEX):
        listed = files.json(_INDEX).get("weight_map")
        names = set(listed.values()) if isinstance(listed, dict) and all(map(_plain, listed.values())) else set[str]()
        if not names:
            raise damaged(files.name, _INDEX)
        if len(names) > _MOST_FILES:
            raise InvalidInput(
                "model_files",
                f"The weights of the model {files.name} are in {len(names)} files, and at most {_MOST_FILES} are read; "
                "save them in larger ones.",
                value=files.name,
                came=len(names),
                limit=_MOST_FILES,
            )
        return tuple(sorted(names))
    found = [path.name for path in islice(files.folder.glob("*.safetensors"), 2)]
    if files.has(_ADAPTER):
        raise InvalidInput(
            "model_adapter", f"{files.name} changes another model (an adapter) and is none by itself.", value=files.name
        )
    if len(found) != 1:
        raise damaged(files.name, _INDEX)
    return (found[0],)


def _plain(written: object) -> bool:
    """Return True for a file's name that leads nowhere else."""
    return isinstance(written, str) and re.fullmatch(r"[\w-][\w.-]{0,200}\.safetensors", written) is not None


def _kept(files: ModelFiles, config: dict[str, Any]) -> dict[str, Any]:
    """Return a configuration without what is left out, at any depth; refuse what must not be ignored."""
    name = files.name
    for settings in _every(config):
        refuse_code(name, settings)
        if any(settings.get(one) for one in _QUANTISED):
            raise quantised(name)
        if isinstance(settings.get("backbone"), str) or settings.get("use_timm_backbone"):
            raise config_refused(name)  # its weights would come from elsewhere
        for key, value in settings.items():
            if _COUNTS.fullmatch(key) and not _countable(value):
                raise config_refused(name)
    return _without(config)


def _every(settings: Any) -> Iterator[dict[str, Any]]:
    if isinstance(settings, dict):
        yield settings
        for one in settings.values():
            yield from _every(one)
    elif isinstance(settings, list):
        for one in settings:
            yield from _every(one)


def _countable(value: object) -> bool:
    if isinstance(value, list):
        return all(map(_countable, value))
    return not isinstance(value, (int, float)) or abs(value) <= _MOST_COUNTED


def _without(settings: Any) -> Any:
    if isinstance(settings, dict):
        return {key: _without(one) for key, one in settings.items() if not _LEFT_OUT.fullmatch(key)}
    return [_without(one) for one in settings] if isinstance(settings, list) else settings
