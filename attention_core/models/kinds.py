"""What a model that is not loaded takes, as far as its small files tell without transformers."""

from attention_core.errors import InvalidInput
from attention_core.models.folder_files import ModelFiles, Sized

__all__ = ["told_kind"]

_IMAGES = ("preprocessor_config.json", "processor_config.json")
_WORDS = ("tokenizer.json", "tokenizer_config.json", "vocab.txt", "vocab.json", "spiece.model", "tokenizer.model")
_TOLD_BY = frozenset({"image_mean", "image_processor_type", "do_resize"})


def told_kind(found: Sized) -> str:
    """Return `"picture"` for a model that reads pictures alone, else `"text"`.

    Files tell so by settings of pictures without a tokenizer, or by a vision model beside a text's of which nothing is
    generated: the two are compared, each by itself. What a loaded model takes is its reader's to say.
    """
    files = ModelFiles(found.path.parent, found.path.name)
    if not any(_of_pictures(files, name) for name in _IMAGES):
        return "text"
    if not any(map(files.has, _WORDS)):
        return "picture"
    compared = "vision_config" in found.config and "text_config" in found.config
    named = found.config.get("architectures")
    names = [one for one in named if isinstance(one, str)] if isinstance(named, list) else []
    writes = any(one.endswith(("Generation", "LM", "LMHeadModel")) for one in names)
    return "picture" if compared and not writes else "text"


def _of_pictures(files: ModelFiles, name: str) -> bool:
    if not files.has(name):
        return False
    try:
        settings = files.json(name)
    except InvalidInput:
        return False  # loading says what is wrong with it
    inner = settings.get("image_processor")
    return bool(_TOLD_BY & settings.keys()) or (isinstance(inner, dict) and bool(_TOLD_BY & inner.keys()))
