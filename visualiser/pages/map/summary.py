"""The tables and sentences of a finished map, as a part of its run."""

from visualiser.figures.mapped import Mapped
from visualiser.pages.map import OF_MAP, sentences
from visualiser.pages.map.reasons import reasons
from visualiser.reasons.explained import explained
from visualiser.server.live import parts
from visualiser.state.view import View


def summary(mapped: Mapped, lang: str, structures: parts.Structures) -> bytes:
    """Return the tables and sentences of a map, and its sinks: each key with its shares of the weight by head."""
    kept, known = mapped.kept, mapped.facts
    return parts.shown(
        OF_MAP,
        mapped,
        View(lang=lang),
        structures,
        insight=explained(sentences.insight(known), lang, reasons(kept, known)),
        sinks=[{"key": sink.key, "shares": sink.shares} for sink in known.sinks],
    )
