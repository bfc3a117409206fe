"""A small language model that this project trains: two layers of four heads, 53,000 parameters, and what its heads do.

>>> found = shipped().model("Anna Miller sees Ben Taylor . Ben")
>>> WORDS[int(found.logits[-1].argmax())]
'Taylor'
>>> tuple(found.layers[1].weights.shape)
(4, 8, 8)

Its twin of one layer learns the same texts from the same seed and says `Miller`: it knows which surnames the text has
and not whose they are. A head has to find the key that *follows* an earlier `Ben`. With a single layer a key holds
its own token alone and not the one before it; no one-layer transformer solves this task unless it is exponentially
larger than one of two layers (Sanford, Hsu and Telgarsky, arXiv 2408.14332). With two, the first layer hands every
key the token before it.
"""

from attention_core.language.corpus_file import corpus
from attention_core.language.evaluation import STATED, Evaluation, evaluate
from attention_core.language.files import LanguageFile, load, shipped
from attention_core.language.measures import MEASURES, induction_keys, scores
from attention_core.language.model import CONTEXT, LanguageModel, LanguagePass, LayerPass
from attention_core.language.texts import Document, Place, documents
from attention_core.language.words import BEGINNING, NUMBERED, SHOWN, WORDS, Reading, read

__all__ = [
    "BEGINNING",
    "CONTEXT",
    "MEASURES",
    "NUMBERED",
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
