"""A folder of models in Hugging Face format: each subfolder with a configuration and safetensors files is a model.

>>> models = ModelFolder(Path("/srv/models"))
>>> models.names
('gpt2', 'bert-base-uncased')
>>> models.sized("gpt2").bytes                 # before anything is loaded
548105171
>>> run = models.load("gpt2").run("The keys to the cabinet are")

Nothing is fetched, no pickle is opened, and no code that a folder brings is run (docs/decisions/model-folder.md).
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from attention_core.errors import InvalidInput, shown
from attention_core.models.folder_files import Sized, is_model, sized
from attention_core.models.folder_model import FolderModel, load

__all__ = ["FolderModel", "ModelFolder", "Sized"]

MOST_SUBFOLDERS: Final = 500
"""The subfolders that are looked into; the list is made anew again and again."""
_LONGEST_NAME = 200


@dataclass(frozen=True)
class ModelFolder:
    """The models in the subfolders of `path`. A name leads to one of these, and nowhere else."""

    path: Path

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the subfolders that are models, in order; hidden ones and those that no link can name are not.

        The first `MOST_SUBFOLDERS` by name are looked into. A folder that cannot be read has none.
        """
        return tuple(name for name in self._subfolders()[:MOST_SUBFOLDERS] if is_model(self.path / name))

    @property
    def left_out(self) -> int:
        """The number of subfolders that `names` does not look into."""
        return max(0, len(self._subfolders()) - MOST_SUBFOLDERS)

    def _subfolders(self) -> list[str]:
        try:
            with os.scandir(self.path) as found:
                return sorted(one.name for one in found if _nameable(one.name) and _is_folder(one))
        except OSError:
            return []

    def sized(self, name: str) -> Sized:
        """Return what a model's files say of it, its bytes in memory included, without loading it.

        Raises `InvalidInput`: `unknown_model` for a name that is not there, and as `folder_files.sized` does.
        """
        if not (_nameable(name) and Path(name).name == name and is_model(self.path / name)):
            listed = ", ".join(self.names)
            raise InvalidInput("unknown_model", f"model must be one of {listed}; got {shown(name)}.", value=name)
        return sized(self.path, name)

    def load(self, name: str, progress: Callable[[float], None] = lambda done: None) -> FolderModel:
        """Load a model. `progress` gets the share that is done, from 0 to 1; `checkpoint` stops it in between.

        Raises `InvalidInput` as `sized` and `folder_model.load` do, and `Cancelled`.
        """
        return load(self.path, self.sized(name), progress)


def _nameable(name: str) -> bool:
    return 0 < len(name) <= _LONGEST_NAME and not name.startswith(".") and name.isprintable()


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to where nobody may look
        return False
