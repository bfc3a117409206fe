"""The list of models: each with its size, its licence, what it takes, and where it is now."""

from collections.abc import Iterator
from typing import Any, Final

from attention_core import InvalidInput
from attention_core.learned import SHIPPED
from visualiser import models
from visualiser.locale import text
from visualiser.models.hub import HUB
from visualiser.server import settings
from visualiser.server.live import parts
from visualiser.server.live.page_request import PageRequest

SHOWN: Final = frozenset(("text", "translation", "picture", "picture_and_text"))
"""What a model may take that this page can show: of one that writes a translation, what it reads."""


def listed(request: PageRequest) -> Iterator[bytes]:
    """Yield the offered models, those that ship first, then the smallest, and if the Hub is there.

    No question asks for the same list twice: the page numbers them.
    """
    found = [_one(name, request.lang) for name in models.offered()]
    hub = {"offered": bool(HUB.ids), "network": HUB.network()}
    yield parts.values("models", {"models": found, **hub}, parts.Structures(request.known))


def _one(name: str, lang: str) -> dict[str, Any]:
    """Return a line of the list. A size of 0 is one that only the Hub knows; an empty licence or kind is not known."""
    listed = HUB.about(name)
    takes = "text" if listed is None else listed.takes
    found: dict[str, Any] = {
        "name": name,
        "label": text(lang, f"model.name.{name}") if name in SHIPPED else name,
        "takes": takes,
        "licence": "" if listed is None else listed.licence,
        "shown": not takes or takes in SHOWN,
        "problem": "",
    }
    try:
        about = models.described(name)
    except InvalidInput as problem:  # a folder's files that cannot be read say why
        return {
            **found, "megabytes": 0, "to_fetch": 0, "here": True, "loaded": False, "fits": True, "enough": "",
            "problem": text(lang, f"error.{problem.code}", **problem.details),
        }  # fmt: skip
    return {
        **found,
        "takes": about.takes,
        "megabytes": round(about.megabytes) or int(about.megabytes > 0),
        "to_fetch": round(about.to_fetch),
        "here": about.here,
        "loaded": about.loaded,
        "fits": about.megabytes * settings.MEBIBYTE <= settings.model_memory(),
        "enough": str(settings.rounded(round(about.megabytes * settings.MEBIBYTE))),
    }
