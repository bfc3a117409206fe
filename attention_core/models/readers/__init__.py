"""How a model of a folder reads: one module for each kind of input, and the choice among them.

A reader of another kind is a module beside `texts`, and a line in `choice`.
"""

from attention_core.models.readers.choice import Opened, reader_of
from attention_core.models.readers.long_texts import LongReader, LongText
from attention_core.models.readers.reader import Loaded, Reader, TokenReader
from attention_core.models.readers.sounds import SoundReader

__all__ = ["Loaded", "LongReader", "LongText", "Opened", "Reader", "SoundReader", "TokenReader", "reader_of"]
