"""The view of a result, apart from its numbers: matrix, heads, row, colours and language."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from attention_core import STAGES
from attention_core.validation import choice, whole_number
from visualiser.locale import LANGUAGES
from visualiser.theme import THEMES

VIEW_CHOICES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "stage": (*STAGES, "norms"),
        "lang": LANGUAGES,
        "colour": ("linear", "log"),
        "colour_range": ("quantile", "full", "per_head"),
        "theme": THEMES,
    }
)
VIEW_SYNONYMS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType({"colour_range": {"shared": "full"}})
"""Other names of a choice, which links and scripts may hold; a written link has the choice itself."""
MOST_COLUMNS: Final = 8
MOST_PLACES: Final = 8192
"""Positions of a trained model's input that a link may name: patches of a picture are many."""
SHAPING: Final = ("present", "hide", "focus")
"""The fields of `View` that shape the page for a class; a pinned state has none of its own."""
OF_EVERY_PAGE: Final = ("lang", "columns", "theme", *SHAPING)
"""The fields of `View` that every page reads, or that belong to its reader."""
VIEW_MEANINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "stage": "what the heat maps show: a matrix of Figure 2, or the weights times the norms of what is read",
        "lang": "the language; without it the browser's",
        "head": "the head shown large, counted from 1; 0 shows all",
        "row": "the locked query row",
        "colour": "colour scale of the weights",
        "colour_range": "where the colours end: at the 99.5 % quantile of what is drawn, marked > if cells lie above; "
        "at the largest of all heads; at each head's own largest. `shared` is another name of `full`",
        "columns": "heat maps per line; 0 chooses",
        "present": "1: large type and only the controls that a lesson moves",
        "hide": "controls, figures and parts of the page that are left out",
        "focus": "the one figure shown large",
        "theme": "the colours; the page follows the browser, a link does not carry it",
    }
)
"""A sentence for each field of `View`, for the documents."""


@dataclass(frozen=True, kw_only=True)
class View:
    """Display settings; none of them changes a number.

    `stage` is what the heat maps draw. `head` is counted from 1; 0 shows all heads. `row` is
    the locked query, from 0. `columns` 0 lets the figure choose its panels per line; 1 and 2 also mean that the screen
    is narrow. A head or row that a smaller result lacks is ignored and not an error: it is left over from before the
    slider moved. `present`, `hide` and `focus` shape the page for a class; the link checks their names
    (`visualiser.state.names`). Raises InvalidInput ("unknown_choice", "not_a_number", "out_of_range").
    """

    stage: str = "weights"
    lang: str = LANGUAGES[0]
    head: int = 0
    row: int | None = None
    colour: str = "linear"
    colour_range: str = "quantile"
    columns: int = 0
    present: int = 0
    hide: tuple[str, ...] = ()
    focus: str = ""
    theme: str = "light"

    def __post_init__(self) -> None:
        for field, names in VIEW_SYNONYMS.items():
            given = getattr(self, field)
            self._set(field, names.get(given, given) if isinstance(given, str) else given)
        for field, choices in VIEW_CHOICES.items():
            choice(field, getattr(self, field), choices)
        self._set("head", whole_number("head", self.head, 0))
        self._set("columns", whole_number("columns", self.columns, 0, MOST_COLUMNS))
        self._set("present", whole_number("present", self.present, 0, 1))
        if self.row is not None:
            self._set("row", whole_number("row", self.row, 0))

    def only(self, *kept: str) -> "View":
        """Return a view with these fields, the language and what a class sees; its other fields are the first ones."""
        return View(**{name: getattr(self, name) for name in ("lang", *SHAPING, *kept)})

    def heads(self, h: int) -> tuple[int, ...]:
        """Return the heads to draw, of `h`, counted from 1."""
        return (self.head,) if 1 <= self.head <= h else tuple(range(1, h + 1))

    def single(self, h: int) -> int:
        """Return the head for panels with room for only one: the chosen head, else the first."""
        return self.heads(h)[0]

    def locked(self, n_q: int) -> int | None:
        """Return the locked row, or None if none of the `n_q` rows is locked."""
        return self.row if self.row is not None and self.row < n_q else None

    def inspected(self, n_q: int) -> int:
        """Return the locked row, else the last of `n_q`: under a causal mask it is the one that sees every key."""
        row = self.locked(n_q)
        return n_q - 1 if row is None else row

    @property
    def narrow(self) -> bool:
        """True if the screen is a phone's, so that panels stack and margins shrink."""
        return self.columns in (1, 2)

    def _set(self, field: str, value: object) -> None:
        object.__setattr__(self, field, value)  # the usual way for a frozen dataclass to normalise its own fields
