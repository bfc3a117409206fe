"""The figures of the page Model that what is read has: a text, a picture, or a text with pictures."""

from collections.abc import Container

from visualiser.figures import row_shares, saying
from visualiser.figures.figure import Figure
from visualiser.figures.read_head import ReadHead
from visualiser.pages.model import (
    CHANGED,
    HEAD,
    MOVED,
    OF_BOTH,
    OF_FACTOR,
    OF_KEY,
    OF_ONE,
    OF_OTHERS,
    OF_PICTURES,
    OF_SCORES,
    OF_TEXTS,
    OF_WEIGHTS,
    OVERVIEW,
    SAYS,
    UNCHANGED,
)


def figures_of(shown: ReadHead, covered: Container[str] = ()) -> list[Figure[ReadHead, ...]]:
    """Return the figures of the page for what the chosen layer reads. The names of `covered` wait for an answer."""
    absent = (*absent_of(shown, covered), *unsaid(shown))
    return [figure for figure in (*OVERVIEW, SAYS, *HEAD) if figure not in absent]


def unsaid(shown: ReadHead) -> tuple[Figure[ReadHead, ...], ...]:
    """Return the figure of what the model says if it says nothing. The model runs once more to tell."""
    return () if saying.says_something(shown) else (SAYS,)


def absent_of(shown: ReadHead, covered: Container[str] = ()) -> tuple[Figure[ReadHead, ...], ...]:
    """Return the figures that what the chosen layer reads does not have, but for `unsaid`."""
    without = (
        *_left_out(shown, covered),
        *(OF_FACTOR if shown.curve is None else OF_OTHERS),
        *(() if shown.scored else OF_SCORES),
        OF_KEY[1] if shown.written is None else OF_KEY[0],
    )
    if row_shares.has_pictures(shown):
        return (*OF_TEXTS, *OF_PICTURES, *OF_ONE, *without)
    found = (*(OF_TEXTS if shown.of_picture else OF_PICTURES), *OF_BOTH, *without)
    return (*found, *OF_WEIGHTS) if shown.unnormalised else found


def _left_out(shown: ReadHead, covered: Container[str]) -> tuple[Figure[ReadHead, ...], ...]:
    """Return the figures of a changed model, or those that leave their place to them.

    If no head moved, the rows of the chosen one stay in the place of those that moved: their entropy, or their scores.
    """
    if not shown.changed:
        return CHANGED
    scores, entropy = UNCHANGED
    stays = scores if shown.unnormalised else entropy
    if MOVED.name in covered or saying.moved(shown) or (shown.unnormalised and not shown.scored):
        return UNCHANGED
    return (MOVED, *(each for each in UNCHANGED if each is not stays))
