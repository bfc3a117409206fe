"""A folder of models in Hugging Face format: each subfolder with a configuration and safetensors files is a model.

>>> models = ModelFolder(Path("/srv/models"))
>>> models.names
('gpt2', 'bert-base-uncased')
>>> models.sized("gpt2").bytes                 # before anything is loaded
548105171
>>> run = models.load("gpt2").run("The keys to the cabinet are")

Nothing is fetched, no pickle is opened, and no code that a folder brings is run (docs/decisions/model-folder.md).
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from attention_core.errors import InvalidInput, shown
from attention_core.models.folder_files import Sized, is_model, sized
from attention_core.models.folder_model import FolderModel, load

__all__ = ["FolderModel", "ModelFolder", "Sized"]

_LONGEST_NAME = 200


@dataclass(frozen=True)
class ModelFolder:
    """The models in the subfolders of `path`. A name leads to a model only if it is one of `names`."""

    path: Path

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the subfolders that are models, in order; hidden ones and those that no link can name are not.

        A folder that cannot be read has none.
        """
        try:
            return tuple(sorted(one.name for one in self.path.iterdir() if _nameable(one.name) and is_model(one)))
        except OSError:
            return ()

    def sized(self, name: str) -> Sized:
        """Return what a model's files say of it, its bytes in memory included, without loading it.

        Raises `InvalidInput`: `unknown_model` for a name that is not there, and as `folder_files.sized` does.
        """
        if name not in self.names:
            listed = ", ".join(self.names)
            raise InvalidInput("unknown_model", f"model must be one of {listed}; got {shown(name)}.", value=name)
        return sized(self.path, name)

    def load(self, name: str, progress: Callable[[float], None] = lambda done: None) -> FolderModel:
        """Load a model. `progress` gets the share that is done, from 0 to 1; `checkpoint` stops it in between.

        Raises `InvalidInput` as `sized` and `folder_model.load` do, and `Cancelled`.
        """
        return load(self.path, self.sized(name), progress)


def _nameable(name: str) -> bool:
    return not name.startswith(".") and len(name) <= _LONGEST_NAME and name.isprintable()
