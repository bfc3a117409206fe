"""The visible part: figures of results, pages that wire controls to them, and the server behind both.

`visualiser.show(x)` shows a thing in a notebook's cell. It is imported when it is used: figures alone load no gradio.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from visualiser.notebook import show

__all__ = ["show"]


def __getattr__(name: str) -> Any:
    if name == "show":
        from visualiser.notebook import show

        return show
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
