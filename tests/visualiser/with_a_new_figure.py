"""A program for a copy of the app with one more figure: it prints what the pages do with it, in each language."""

import json
import sys
from collections.abc import Iterator
from typing import Any

from attention_core import AttentionConfig, compute
from tests.alone import alone
from tests.visualiser.pieces import opened
from visualiser import figures
from visualiser.locale import LANGUAGES
from visualiser.pages import shell
from visualiser.pages.explore.take_away import KINDS
from visualiser.server.gradio.building import configuration
from visualiser.server.live.answering import LIVE
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.runs import Run
from visualiser.state import share

NAME = "all-alike"
FRAMES = {
    "explore": "n=4&h=2",
    "why": "page=why&n=4&predict=false",
    "cost": "page=cost&predict=false",
    "train": "page=train&predict=false",
}


def asking(page: str, query: str, lang: str, **extra: Any) -> PageRequest:
    return PageRequest(f"{query}&lang={lang}", None, frozenset(), b"", "en", "light", 0, "http://x/", extra, page)


def of_the_figure(pieces: Iterator[bytes]) -> dict[str, Any]:
    """Return all that an answer says of the figure, part by part in one."""
    found: dict[str, Any] = {}
    for piece in pieces:
        header, _ = opened(piece)
        for family in ("drawings", "tables", "summaries", "briefs"):
            if NAME in header.get(family, {}):
                found[family] = header[family][NAME]
    return found


def answers(lang: str) -> dict[str, Any]:
    found: dict[str, Any] = {
        page: of_the_figure(LIVE[page].frame[0](asking(page, query, lang))) for page, query in FRAMES.items()
    }
    run = LIVE["map"].run
    assert run
    found["map"] = of_the_figure(run[0](asking("map", "page=map&n=65&h=1", lang), Run()))
    question, _ = LIVE["explore"].subrequests["arithmetic"]
    (line,) = question(asking("explore", FRAMES["explore"], lang, table=NAME, line=1))
    found["line"] = opened(line)[0]["made"]
    for kind in ("html", "figure"):
        pieces = KINDS[kind].content(asking("explore", FRAMES["explore"], lang, figure=NAME))
        found[kind] = b"".join(pieces).decode().split('id="packed"')[0]
    return found


async def laid_out() -> Any:
    return configuration(shell.build())


def settings(config: Any) -> dict[str, Any]:
    """Return the figures, the charts and the places of each page."""
    found = {}
    for event in config["dependencies"]:
        _, brace, rest = (event["js"] if isinstance(event["js"], str) else "").partition(".start({")
        if brace:
            read = json.loads("{" + rest.removesuffix(")"))
            found[read["page"]] = {name: read.get(name, []) for name in ("figures", "charts")}
    return found


if __name__ == "__main__":
    config = alone(laid_out())
    named, notices = share.read(f"hide={NAME}&focus={NAME}", None), share.read("focus=nothing", None)
    drawn: Any = figures.FIGURES["all_alike"](compute(AttentionConfig(n=4, h=2)))
    sys.stdout.write(
        json.dumps(
            {
                "answers": {lang: answers(lang) for lang in LANGUAGES},
                "pages": settings(config),
                "places": [part["props"].get("elem_id") for part in config["components"]].count(f"figure-{NAME}"),
                "link": [named.state.view.focus, list(named.state.view.hide), len(named.notices), len(notices.notices)],
                "notebook": [drawn.data[0].name, figures.__all__.count("all_alike")],
            }
        )
    )
