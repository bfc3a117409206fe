"""How a folder's model cuts texts: by one tokenizer, or by one for what it reads and one for what it writes."""

from pathlib import Path
from typing import Final

from attention_core.errors import InvalidInput
from attention_core.models.cutting import Cutter
from attention_core.models.folder_files import ModelFiles, Sized, refuse_code
from attention_core.models.made import made_tokenizer, no_tokenizer
from attention_core.models.piece_tokenizer import PieceTokenizer

__all__ = ["made_cutters"]

_SOURCE, _TARGET = "source.spm", "target.spm"
_VOCABULARY, _OF_TARGET = "vocab.json", "target_vocab.json"
_SETTINGS: Final = "tokenizer_config.json"
_WHOLE: Final = "tokenizer.json"


def made_cutters(root: Path, found: Sized) -> tuple[Cutter, Cutter]:
    """Return the cutters of the source and of the target.

    A model with pieces of its own for each, as Marian's are, is cut by those; any other by one tokenizer. Raises
    `InvalidInput`: `model_tokenizer`, `model_code`, and as `ModelFiles` and `made_tokenizer` do.
    """
    files = ModelFiles(root, found.name)
    if files.has(_WHOLE) or not all(map(files.has, (_SOURCE, _TARGET, _VOCABULARY))):
        one = Cutter(made_tokenizer(root, found))
        return one, one
    settings = files.json(_SETTINGS) if files.has(_SETTINGS) else {}
    refuse_code(found.name, settings)
    apart = settings.get("separate_vocabs") is True and files.has(_OF_TARGET)
    try:
        source, target = (
            PieceTokenizer(files.read(pieces), files.read(vocabulary), settings)
            for pieces, vocabulary in ((_SOURCE, _VOCABULARY), (_TARGET, _OF_TARGET if apart else _VOCABULARY))
        )
    except InvalidInput:
        raise
    except Exception:  # files of strangers meet the code of a package
        raise no_tokenizer(found.name) from None
    return Cutter(source), Cutter(target)
