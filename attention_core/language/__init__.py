"""A small language model that this project trains: two layers of four heads, 53,000 parameters, and what its heads do.

>>> found = shipped().model("Anna Miller waits . Anna")
>>> WORDS[int(found.logits[-1].argmax())]
'Miller'
>>> tuple(found.layers[1].weights.shape)
(4, 6, 6)

Its twin of one layer learns the same texts from the same seed and cannot know the second `Miller`. A head has to find
the key that *follows* an earlier `Anna`. With a single layer a key holds its own token alone and not the one before it:
such a model needs a size that grows with the text (Sanford, Hsu and Telgarsky, arXiv 2408.14332). With two, the first
layer hands every key the token before it.
"""

from attention_core.language.corpus_file import corpus
from attention_core.language.evaluation import STATED, Evaluation, evaluate
from attention_core.language.files import LanguageFile, load, shipped
from attention_core.language.measures import MEASURES, induction_keys, scores
from attention_core.language.model import CONTEXT, LanguageModel, LanguagePass, LayerPass
from attention_core.language.texts import Document, Place, documents
from attention_core.language.words import BEGINNING, SHOWN, WORDS, Reading, read

__all__ = [
    "BEGINNING",
    "CONTEXT",
    "MEASURES",
    "SHOWN",
    "STATED",
    "WORDS",
    "Document",
    "Evaluation",
    "LanguageFile",
    "LanguageModel",
    "LanguagePass",
    "LayerPass",
    "Place",
    "Reading",
    "corpus",
    "documents",
    "evaluate",
    "induction_keys",
    "load",
    "read",
    "scores",
    "shipped",
]
