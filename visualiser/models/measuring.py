"""What the heads of a folder's model do over the corpus."""

from collections.abc import Callable

from attention_core import InvalidInput
from attention_core.learned import (
    CorpusMeasures,
    Given,
    LearnedModel,
    corpus_measures,
    corpus_texts,
    picture_measures,
    sound_measures,
)
from attention_core.models import FolderModel
from visualiser.models.pictures import SHIPPED_PICTURES, shipped_picture
from visualiser.models.run_work import sizes_of, work
from visualiser.models.sounds import tones
from visualiser.server.settings import MEBIBYTE, enough_memory


def measure(model: FolderModel, most_bytes: int, progress: Callable[[float], None]) -> CorpusMeasures:
    """Read the corpus with a model; `progress` gets the share that is done.

    Raises `InvalidInput` (`model_corpus`) before the first document if the longest would take more than `most_bytes`;
    as the model does of a text; and `Cancelled`.
    """
    heard = (tones(),) if "sound" in model.takes else ()
    shown = tuple(map(shipped_picture, SHIPPED_PICTURES)) if "pictures" in model.takes else ()
    shown = () if "text" in model.takes else shown
    read = [Given(pictures=(one,)) for one in shown] or [Given(sound=one) for one in heard]
    read = read or [Given(text) for text in corpus_texts()]
    require_memory(model, max(map(model.positions, read)), most_bytes)
    told = lambda done, documents: progress(done / documents)  # noqa: E731
    if heard:
        return sound_measures(model, heard, told)
    return picture_measures(model, shown, told) if shown else corpus_measures(model, progress=told)


def require_memory(model: LearnedModel, positions: int, most_bytes: int) -> None:
    """Raise `InvalidInput` (`model_corpus`) if a run of a model over so many positions would take more memory."""
    needed = work(sizes_of(model, positions)).memory
    if needed > most_bytes:
        megabytes, limit, enough = -(-needed // MEBIBYTE), most_bytes // MEBIBYTE, enough_memory(needed)
        raise InvalidInput(
            "model_corpus",
            f"The model {model.name} would take {megabytes} MB more to read the corpus, and {limit} MB are for that "
            f"here: HEADLIGHT_MEMORY_MB={enough} would do.",
            value=model.name,
            megabytes=megabytes,
            limit=limit,
            enough=str(enough),
        )
