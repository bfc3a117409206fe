"""The words for trained models that several pages use."""

from attention_core.learned import SHIPPED
from visualiser.held import title
from visualiser.locale.message import Message, message
from visualiser.models import is_file


def model_name(name: str) -> Message | str:
    """Return a model's name within a sentence; a folder's has its own alone, one that is held its title."""
    if is_file(name):
        return message("model.name.weights_file")
    return message(f"model.name.{name}") if name in SHIPPED else title(name)
