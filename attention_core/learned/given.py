"""What a trained model is given: a text, pictures, a sound, and what it has written so far."""

from dataclasses import dataclass, field
from typing import Final

from jaxtyping import Float, UInt8
from torch import Tensor

__all__ = ["INPUTS", "Given", "Picture", "Sound", "text_of"]

INPUTS: Final = ("text", "pictures", "sound", "target")
"""What a model may take; `LearnedModel.takes` has some of them."""


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture that was decoded: upright, in RGB."""

    name: str
    pixels: UInt8[Tensor, "rows columns 3"] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Sound:
    """A sound of one channel: samples between −1 and 1, `rate` of them a second."""

    name: str
    samples: Float[Tensor, " n"] = field(repr=False)
    rate: int


@dataclass(frozen=True, eq=False)
class Given:
    """What a run reads. A model passes over what it does not take.

    text      that a text model reads, that a translation starts from, or the question about pictures
    target    what a model with a decoder has written; empty lets the model write it
    pictures  in their order
    sound     None without one
    """

    text: str = ""
    target: str = ""
    pictures: tuple[Picture, ...] = ()
    sound: Sound | None = None


def text_of(given: str | Given) -> str:
    """Return the text of what is given."""
    return given.text if isinstance(given, Given) else given
