"""The words for trained models that several pages use."""

from attention_core.learned import SHIPPED
from visualiser.held import title
from visualiser.locale.message import Message, message


def model_name(name: str) -> Message | str:
    """Return a model's name within a sentence; a folder's has its own alone, one that is held its title."""
    return message(f"model.name.{name}") if name in SHIPPED else title(name)
