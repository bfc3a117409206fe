"""A page's request as a value: the link, what the browser knows, and an upload."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from attention_core.cached import cached_property
from visualiser import models
from visualiser.server.admission.clients import UNKNOWN, Client
from visualiser.server.admission.cost import Shape
from visualiser.server.live.cache_key import key_of
from visualiser.server.live.upload_sizes import UploadSizes, upload_sizes
from visualiser.state import parameters, share
from visualiser.upload.weights import MOST_TOKENS

_NOBODY: Final = Client(UNKNOWN)


@dataclass(frozen=True)
class PageRequest:
    """A request of the page's script.

    It holds the link, the one shown before (for "what just changed"), the structures that the browser knows, an
    upload's tensors, the screen, and the page's own address for links in downloads.

    `extra` holds further, unchecked fields for single routes: a row, a figure's name. `page` is the route's page,
    whatever the link says: with another page's bounds a link could ask for what this page never computes. None leaves
    it to the link.
    """

    query: str
    previous: str | None
    known: frozenset[str]
    upload: bytes
    accept_language: str | None
    theme: str
    columns: int
    address: str
    extra: Mapping[str, Any]
    page: str | None = None
    client: Client = _NOBODY

    def shareable(self) -> "PageRequest":
        """Return the same request of a browser that knows no structure, whose answer serves everybody.

        It holds nothing that `cache_key` leaves out.
        """
        request = replace(self, known=frozenset(), previous=self.previous if self.compares else None, address="")
        # reading again would take longest
        vars(request).update(reading=self.reading, pinned=self.pinned, file_weights=self.file_weights)
        return request

    @cached_property
    def cache_key(self) -> bytes | None:
        """The identity of this request on its route; None if an upload makes it the visitor's own.

        A model is loaded or is not, and fetched or not, which no link says: the refusal of one that was not is not that
        of one that is by now. Nor does a link say what a run has computed since.
        """
        if self.upload:
            return None
        return key_of(self.extra, self.lang, compares=self.compares, standing=self._standing)

    @property
    def _standing(self) -> list[int]:
        """Of the models of the state and of the pinned one: if they are loaded, here, measured, and what runs told."""
        configs = (state.config for state in (self.reading.state, self.pinned) if state is not None)
        named = [config.model for config in configs if config is not None and config.source == "model"]
        of_runs = models.cost_runs, models.patch_runs, models.text_readings
        told = (models.is_loaded, models.is_here, models.is_measured, *of_runs)
        return [is_so(name) for name in named for is_so in told]

    @property
    def light(self) -> bool:
        """True while a control moves: the answer has figures only; sentences and tables follow when it rests."""
        return self.extra.get("light") is True

    @property
    def compares(self) -> bool:
        """True if the answer may tell what changed since `previous`.

        Only Explore compares, and not while a control moves. So all who follow one drag share its answers.
        """
        return self.page in (None, parameters.EXPLORE) and not self.light

    @cached_property
    def file_weights(self) -> models.HeldModel | None:
        """The weights of attention in the upload; they are held as long as this request. None for any other upload."""
        return models.taken_up(self.upload, MOST_TOKENS) if self.upload else None

    @cached_property
    def reading(self) -> share.Reading:
        """The link, read with the bounds of the route's page.

        One of weights whose file has not come reads as one of the first model, with a notice.
        """
        brought = self.file_weights  # before the link is read: they have its layers
        reading = share.read(self.query, self.accept_language, self.page)
        config = reading.state.config
        if not models.is_file(config.model) or (brought is not None and brought.model.name == config.model):
            return reading
        return share.without_file(self.query, self.accept_language, self.page)

    @cached_property
    def pinned(self) -> share.State | None:
        """State A, if one is pinned."""
        return share.pinned_state(self.reading.state)

    @cached_property
    def upload_sizes(self) -> UploadSizes | None:
        """The sizes that the upload states, within the page's bounds; None if it states none."""
        longest = parameters.bounds(self.reading.state.page)["n"].maximum
        return upload_sizes(self.upload, int(longest))

    @property
    def file(self) -> tuple[int, Shape | None]:
        """The bytes of the upload (0 without one), and the sizes it states."""
        return (self.upload_sizes.bytes, self.upload_sizes.shape) if self.upload_sizes else (len(self.upload), None)

    def with_state(self, state: share.State, pinned: share.State | None, sizes: UploadSizes | None) -> "PageRequest":
        """Return the same request about another state and sizes, to price it without reading anything again."""
        request = replace(self)
        vars(request).update(
            reading=replace(self.reading, state=state),
            pinned=pinned,
            upload_sizes=sizes,
            file_weights=self.file_weights,
        )
        return request

    @cached_property
    def before(self) -> share.State | None:
        """The state shown before, if there was one."""
        if self.previous is None:
            return None
        return share.read(self.previous, self.accept_language, self.page).state

    @property
    def lang(self) -> str:
        """The visitor's language."""
        return self.reading.state.lang
