"""The windows of a layer that attends within parts of a picture alone: how large they are, and what is said of them."""

from visualiser.figures.read_head import ReadHead
from visualiser.locale.message import Message, message


def window_side(shown: ReadHead) -> tuple[int, ...]:
    """Return the side of the windows of the chosen layer, and by how many patches they are shifted; empty without."""
    windows = shown.run.windows[shown.layer - 1]
    if windows is None:
        return ()
    side = round(windows.shape[1] ** 0.5)
    patch = shown.run.keys(shown.layer).patches.get(int(windows[0, 0]), (0, 0, 0))
    return side, patch[1] % side


def in_window(shown: ReadHead) -> list[Message]:
    """Say that a query reads its window alone, and how it lies; nothing for a layer that attends to all."""
    found = window_side(shown)
    if not found:
        return []
    side, shift = found
    facts = {"layer": shown.layer, "side": side}
    return [message("model.window_shifted", **facts, shift=shift) if shift else message("model.window", **facts)]
