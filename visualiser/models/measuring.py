"""What the heads of a folder's model do over the corpus, measured while the model is loaded."""

from collections.abc import Callable

from attention_core import InvalidInput
from attention_core.learned import CorpusMeasures, corpus_measures, corpus_texts
from attention_core.models import FolderModel
from visualiser.models.run_work import sizes_of, work
from visualiser.server.settings import MEBIBYTE


def measure(model: FolderModel, most_bytes: int, progress: Callable[[float], None]) -> CorpusMeasures:
    """Read the corpus with a model; `progress` gets the share that is done.

    Raises `InvalidInput` (`model_corpus`) before the first document if the longest would take more than `most_bytes`;
    as the model does of a text; and `Cancelled`.
    """
    longest = max(map(model.tokens, corpus_texts()))
    needed = work(sizes_of(model, longest)).memory
    if needed > most_bytes:
        megabytes, limit = -(-needed // MEBIBYTE), most_bytes // MEBIBYTE
        raise InvalidInput(
            "model_corpus",
            f"The model {model.name} would take {megabytes} MB more to read the corpus, "
            f"and {limit} MB are for that here.",
            value=model.name,
            megabytes=megabytes,
            limit=limit,
        )
    return corpus_measures(model, progress=lambda done, documents: progress(done / documents))
