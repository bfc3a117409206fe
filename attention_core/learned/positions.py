"""What the positions of a run are: tokens of a text, patches of a picture, frames of a sound, or several of them."""

from dataclasses import dataclass

from attention_core.cached import cached_property

__all__ = ["Line", "PatchGrid"]


@dataclass(frozen=True)
class PatchGrid:
    """The patches of one picture, or of a part of it, among the positions of a line: row by row, left to right.

    picture        number of the picture among those that the model was given, from 0
    first          position of the first patch
    rows, columns  of the grid
    box            left, top, right and bottom of what the grid covers, as shares of the picture's width and height;
                   beyond 0 … 1 where the model pads the picture
    stride         positions from the beginning of a row to that of the next: more than `columns` if a mark ends a row
    """

    picture: int
    first: int
    rows: int
    columns: int
    box: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)
    stride: int = 0

    def __post_init__(self) -> None:
        if self.rows < 1 or self.columns < 1 or self.first < 0 or self.picture < 0:
            raise ValueError("a grid has a picture, a first position, and at least one patch")
        object.__setattr__(self, "stride", self.stride or self.columns)
        if self.stride < self.columns:
            raise ValueError("the rows of a grid do not overlap")

    @property
    def positions(self) -> tuple[int, ...]:
        """The positions of the patches, row by row."""
        return tuple(
            self.first + row * self.stride + column for row in range(self.rows) for column in range(self.columns)
        )


@dataclass(frozen=True)
class Line:
    """One sequence of positions that a model reads or writes.

    name     "text", or of several lines "source" and "target"; "picture" and "sound" for those of patches and frames
             alone
    tokens   their names, sub-words with their blanks, what the model puts around a text included. A patch is
             called by row and column of its grid, from 1, "3·5"; a class token as the model calls it, "[CLS]"
    ids      their numbers in the model's vocabulary; −1 for what has none, a patch or a frame
    grids    the pictures among the positions; empty for a text
    seconds  of a sound that one position stands for; 0 for what is no sound
    cut      True if the text goes on after the last token
    forms    the tokens as the model's vocabulary has them, ▁Lily or ##ily; empty if that is not known
    stands   what each unknown token stands for in the text, empty for any other; empty altogether if it is not known
    written  the first position that the model wrote itself; 0 if it wrote none, or it is not told
    begins   the first position that is no padding
    end      the token with which the model ended what it wrote, which no position holds; empty if it did not
    """

    name: str
    tokens: tuple[str, ...]
    ids: tuple[int, ...]
    grids: tuple[PatchGrid, ...] = ()
    seconds: float = 0.0
    cut: bool = False
    written: int = 0
    forms: tuple[str, ...] = ()
    stands: tuple[str, ...] = ()
    begins: int = 0
    end: str = ""

    def __post_init__(self) -> None:
        if len(self.ids) != len(self.tokens):
            raise ValueError("each token has one id")
        if any(len(told) not in (0, len(self.tokens)) for told in (self.forms, self.stands)):
            raise ValueError("each token has one form, or none is known")
        placed = [position for grid in self.grids for position in grid.positions]
        if len(set(placed)) != len(placed) or any(position >= len(self.tokens) for position in placed):
            raise ValueError("each patch has a position of its own in the line")

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def patches(self) -> dict[int, tuple[int, int, int]]:
        """The number of the grid, the row and the column of each position that is a patch, from 0."""
        return {
            position: (number, *divmod(place, grid.columns))
            for number, grid in enumerate(self.grids)
            for place, position in enumerate(grid.positions)
        }

    def after(self, position: int) -> str:
        """Return the token that the row of a position of a target leads to; empty if none is known, or of no target."""
        if self.name != "target":
            return ""
        return self.tokens[position + 1] if position + 1 < len(self) else self.end

    @property
    def is_picture(self) -> bool:
        """True if it holds patches and no token of a text."""
        return bool(self.grids) and max(self.ids) < 0

    @property
    def is_mixed(self) -> bool:
        """True if it holds tokens of a text and patches."""
        return bool(self.grids) and not self.is_picture

    @property
    def is_text(self) -> bool:
        """True if every position is a token of a text."""
        return not self.grids and not self.seconds
