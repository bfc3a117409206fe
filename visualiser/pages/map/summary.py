"""The tables and sentences of a finished map, as a part of its run."""

from visualiser.locale.message import write_all
from visualiser.pages.map import sentences
from visualiser.pages.map.facts import Facts
from visualiser.pages.map.head_tables import HEADS
from visualiser.pages.map.kept import Kept
from visualiser.pages.map.reasons import reasons
from visualiser.reasons.told import told
from visualiser.server.live import parts


def summary(kept: Kept, known: Facts, lang: str, structures: parts.Structures) -> bytes:
    """Return the tables and sentences of a map, and its sinks: each key with its shares of the weight by head."""
    return parts.figures(
        {},
        structures,
        lang=lang,
        tables={name: made(kept, lang) for name, made in HEADS.items()},
        summaries={
            "map": " ".join(write_all(sentences.of_map(known), lang)),
            "strips": sentences.of_strips(known).written(lang),
        },
        insight=told(sentences.insight(known), lang, reasons(kept, known)),
        sinks=[{"key": sink.key, "shares": sink.shares} for sink in known.sinks],
    )
