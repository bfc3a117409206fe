"""Models of the Hugging Face Hub: fetched into a folder of their own, checked, then read as those of a folder.

>>> models = HubFolder(Path("~/.cache/headlight/models").expanduser())
>>> plan = models.plan("openai-community/gpt2", revision="607a30d783dfa663caf39e06633721c8d4cfcd7e")
>>> plan.bytes > 548_105_171                     # known before the first of them
True
>>> models.fetch(plan, lambda share: print(f"{share:.0%}"))
>>> run = models.load("openai-community/gpt2").run("The keys to the cabinet are")

Fetched are a configuration, safetensors files and the files of tokenizers and processors, at one commit: no pickle and
no code. They lie in `organisation/name` below the folder once every byte and every hash is right, or not at all
(docs/decisions/hub.md). transformers never learns the name.
"""

import json
import re
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import quote

from attention_core.errors import InvalidInput, shown
from attention_core.models.folder_files import CONFIG, ModelFiles, Sized, configured, require_readable, sized
from attention_core.models.folder_model import FolderModel, load
from attention_core.models.hub_asking import Lost, hub, is_id
from attention_core.models.hub_connection import Pace, answer, greets
from attention_core.models.hub_description import Description, described
from attention_core.models.hub_errors import full, lost, no_disk, wrong
from attention_core.models.hub_leftovers import Staging, promised, remove_leftovers
from attention_core.models.hub_stream import HubFile, Wrong, receive

__all__ = ["HubFolder", "Plan"]

RECORD: Final = "headlight.json"
"""What was fetched: the id, the commit, and the hash of each file. A folder without it is none of ours."""

_WEIGHTS: Final = "model.safetensors"
_INDEX: Final = "model.safetensors.index.json"
_ADAPTER: Final = "adapter_config.json"
_PART: Final = re.compile(r"model-\d{5}-of-\d{5}\.safetensors")
_ALONGSIDE: Final = frozenset(
    (
        CONFIG, "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "vocab.txt",
        "vocab.json", "target_vocab.json", "merges.txt", "spiece.model", "tokenizer.model", "source.spm", "target.spm",
        "sentencepiece.bpe.model", "sentencepiece.model", "preprocessor_config.json", "processor_config.json",
        "chat_template.jinja", "chat_template.json",
    )
)  # fmt: skip
"""The files that are fetched beside the numbers. No page runs a chat template, a program of a kind, in its process."""

_SPARE: Final = 2**28  # bytes of the disk that stay free


@dataclass(frozen=True)
class Plan:
    """What a fetch takes, known before its first byte.

    revision      the commit
    files         small ones first, so that a configuration that cannot be used ends it soon
    bytes         of all files
    loaded_bytes  of the model in memory, four for each number; at least those of its files if the Hub says no more
    """

    id: str
    revision: str
    files: tuple[HubFile, ...]
    bytes: int
    loaded_bytes: int


@dataclass(frozen=True)
class HubFolder:
    """The models that were fetched into `path`, and the way to more.

    most_bytes  of all of them together
    endpoint    of the Hub; that of `HF_ENDPOINT` if None
    """

    path: Path
    most_bytes: int = 2**40
    endpoint: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        remove_leftovers(self.path)

    @property
    def names(self) -> tuple[str, ...]:
        """The ids of the models that are here, in order."""
        found = (one.parent for one in self.path.glob(f"[!.]*/[!.]*/{RECORD}"))
        return tuple(sorted(f"{one.parent.name}/{one.name}" for one in found))

    def has(self, id: str) -> bool:
        """Return True for a model that is here."""
        return is_id(id) and (self.path / id / RECORD).is_file()

    def is_reachable(self) -> bool:
        """Return True if the Hub answers at all, within a few seconds."""
        return greets(self._root)

    def plan(self, id: str, revision: str = "main", sha256: str | None = None) -> Plan:
        """Ask the Hub what a fetch would take.

        Parameters
        ----------
        id
            `organisation/name`
        revision
            a commit, or a branch whose newest commit is taken
        sha256
            of the one file of numbers, if it is known beforehand: the Hub, or who stands in for it, must say the same

        Raises
        ------
        InvalidInput
            `hub_id` for what is no id; `hub_missing`, `hub_gated`, `hub_offline`, `hub_busy`, `hub_cut`, `hub_slow` and
            `hub_answer` for what the Hub says or does; `hub_unfit` for a model without a configuration or without
            numbers in a format that runs no code; `model_adapter`; `model_file_size`; `hub_wrong` for another commit or
            hash than was asked for
        Cancelled
            if a `stopping` around this call says so
        """
        if not is_id(id):
            raise InvalidInput("hub_id", f"A model of the Hub is organisation/name; got {shown(id)}.", value=shown(id))
        try:
            found = described(answer(self._question(id, revision)))
        except Lost as problem:
            raise lost(problem, id) from None
        if len(revision) == 40 and found.commit != revision:
            raise wrong(id, CONFIG)
        files = _files(id, found)
        weights = [one for one in files if one.name.endswith(".safetensors")]
        if sha256 is not None and [one.sha256 for one in weights] != [sha256]:
            raise wrong(id, weights[0].name)
        in_files = sum(one.bytes for one in weights)
        return Plan(id, found.commit, files, sum(one.bytes for one in files), max(4 * found.numbers, in_files))

    def require_room(self, plan: Plan) -> None:
        """Raise `InvalidInput` if a plan does not fit: `hub_full` beside the other models, `hub_disk` on the disk.

        Models that are being fetched count whole, also those of other processes.
        """
        fetched, to_come = promised(self.path)
        here = sum(one.stat().st_size for one in self.path.glob("[!.]*/[!.]*/*") if one.is_file()) + fetched
        if plan.bytes > self.most_bytes - here:
            raise full(plan.id, plan.bytes, self.most_bytes - here, self.most_bytes)
        self.path.mkdir(parents=True, exist_ok=True)
        if plan.bytes > (left := shutil.disk_usage(self.path).free - to_come - _SPARE):
            raise no_disk(plan.id, plan.bytes, left)

    def fetch(self, plan: Plan, progress: Callable[[float], object] = lambda done: None) -> None:
        """Fetch a model; `progress` gets the share of its bytes that is here.

        Raises `InvalidInput` as `require_room` does, before the first byte; as `plan` does; `hub_wrong` for a file that
        is not what was said; `hub_unwritten`; as `folder_files.sized` does for files that cannot be used; and
        `Cancelled`. Then nothing of it is kept.
        """
        if self.has(plan.id):
            progress(1.0)
            return
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            with Staging(self.path, plan.bytes, lambda: self.require_room(plan)) as staging:
                self._receive(plan, staging.path, progress)
                staging.finish(lambda: self._move(staging.path / plan.id, plan.id))
        except OSError:
            raise InvalidInput(
                "hub_unwritten", f"{plan.id} cannot be written to the folder of fetched models.", value=plan.id
            ) from None

    def sized(self, name: str) -> Sized:
        """Return what a model's files say of it. Raises `InvalidInput` as `ModelFolder.sized` does."""
        if not self.has(name):
            raise InvalidInput(
                "unknown_model", f"model must be one of {', '.join(self.names)}; got {shown(name)}.", value=name
            )
        return sized(self.path, name)

    def load(self, name: str, progress: Callable[[float], None] = lambda done: None) -> FolderModel:
        """Load a model that is here, as `ModelFolder.load` does."""
        return load(self.path, self.sized(name), progress)

    def _receive(self, plan: Plan, root: Path, progress: Callable[[float], object]) -> None:
        """Write the files and the record of a model below `root`."""
        made, done, pace = root / plan.id, 0, Pace()
        made.mkdir(parents=True)
        for file in plan.files:
            try:
                receive(
                    file,
                    self._address(plan, file),
                    made / file.name,
                    pace,
                    lambda got, before=done: progress((before + got) / plan.bytes),
                )
            except Lost as problem:
                raise lost(problem, plan.id) from None
            except Wrong:
                raise wrong(plan.id, file.name) from None
            done += file.bytes
            if file.name == CONFIG:
                configured(ModelFiles(root, plan.id))
        sized(root, plan.id)
        written = {"id": plan.id, "revision": plan.revision, "files": {one.name: one.hash for one in plan.files}}
        (made / RECORD).write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")

    def _move(self, made: Path, id: str) -> None:
        there = self.path / id
        there.parent.mkdir(exist_ok=True)
        try:
            made.rename(there)
        except OSError:
            if not self.has(id):  # else another process was faster
                with suppress(OSError):
                    there.parent.rmdir()
                raise

    @property
    def _root(self) -> str:
        return self.endpoint or hub(".constants").ENDPOINT

    def _question(self, id: str, revision: str) -> str:
        return f"{self._root}/api/models/{id}/revision/{quote(revision, safe='')}?blobs=true"

    def _address(self, plan: Plan, file: HubFile) -> str:
        return hub().hf_hub_url(plan.id, file.name, revision=plan.revision, endpoint=self.endpoint)


def _files(id: str, found: Description) -> tuple[HubFile, ...]:
    """Return the files to fetch of those that the Hub lists. Raises `InvalidInput` as `HubFolder.plan` does."""
    there = found.files
    if _ADAPTER in there:
        raise InvalidInput("model_adapter", f"{id} changes another model (an adapter) and is none by itself.", value=id)
    weights = _weights(there)
    if CONFIG not in there or not weights:
        raise InvalidInput(
            "hub_unfit", f"{id} has no config.json, or no numbers in safetensors files at its top.", value=id
        )
    names = sorted(_ALONGSIDE.intersection(there)) + ([_INDEX] if _INDEX in there and _WEIGHTS not in there else [])
    names.sort(key=lambda name: name != CONFIG)
    return tuple(_file(id, name, there[name]) for name in (*names, *weights))


def _weights(there: Mapping[str, HubFile | None]) -> list[str]:
    """Return the names of the files of numbers: one, the parts of an index, or the only one there is."""
    if _WEIGHTS in there:
        return [_WEIGHTS]
    if _INDEX in there:
        return sorted(name for name in there if _PART.fullmatch(name))
    found = [name for name in there if re.fullmatch(r"[\w-][\w.-]{0,200}\.safetensors", name, re.ASCII)]
    return found if len(found) == 1 else []


def _file(id: str, name: str, file: HubFile | None) -> HubFile:
    """Return a file as the Hub describes it; one without a size or a hash is refused, and one too large to read."""
    if file is None:
        raise wrong(id, name)
    if name in _ALONGSIDE:
        require_readable(id, name, file.bytes)
    return file
