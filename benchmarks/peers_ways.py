"""Where each peer paints its heads, and what a reader does there."""

from dataclasses import replace
from pathlib import Path
from typing import Final

from playwright.sync_api import Page

from benchmarks.peers_seen import Way, centre, inside

LAYERS: Final = 4
HEADS: Final = 8

APART: Final = (0, 5, 1, 6)
"""Heads of which none lies under what opens beside the one before."""

PEERS: Final = {
    "head_view": Way(
        "BertViz head_view",
        '() => document.querySelector("#vis #attention ~ g rect")',
        None,
        lambda page, turn: centre(page.locator("#vis #left text").nth(10 + 3 * turn)),
        lambda page, turn: centre(page.locator("#vis #attention ~ g rect").nth(turn)),
    ),
    "model_view": Way(
        "BertViz model_view",
        f'() => document.getElementById("attn_background_{LAYERS - 1}_{HEADS - 1}")',
        None,
        lambda page, turn: centre(page.locator("#vis .detail .token").nth(10 + 3 * turn)),
        lambda page, turn: inside(page.locator(f"#attn_background_0_{APART[turn]}"), 0.5, 0.1),
    ),
    "attention_heads": Way(
        "CircuitsVis attention_heads",
        f"() => seen.drawn.size > {HEADS}",
        None,
        lambda page, turn: inside(page.locator("canvas").nth(HEADS), 0.4 + 0.03 * turn, 0.6),
        lambda page, turn: centre(page.locator("canvas").nth(turn)),
        kind="point",
    ),
}
"""By what `peers_made.py` calls them."""
PEERS["head_view_one_layer"] = replace(PEERS["head_view"], name="BertViz head_view, given one layer")

MODEL: Final = Way(
    "Headlight, page Model",
    f'() => document.querySelectorAll("#figure-model-heads[data-painted] canvas").length === {LAYERS * HEADS}',
    "#figure-model-heads",
    lambda page, turn: centre(page.locator(".token-strip .token").nth(10 + 3 * turn)),
    lambda page, turn: centre(page.locator(".small-maps button").nth(HEADS + turn)),
)


def of_file(file: Path) -> Way:
    """Return the Map page, which is given queries and keys in a file."""

    def bring(page: Page) -> None:
        page.wait_for_function("() => document.getElementById('map-plan')?.textContent")
        page.locator('#control-source input[value="upload"]').check()
        page.locator("#upload-file").set_input_files(file)

    return Way(
        "Headlight, page Map",
        "() => document.querySelector('#figure-map[data-painted*=\"source=upload\"]:not(.is-stale)')",
        "#figure-map",
        lambda page, turn: inside(page.locator(".map-cells"), 0.3 + 0.05 * turn, 0.6),
        lambda page, turn: centre(page.locator(".map-heads button").nth(1 + turn)),
        bring=bring,
    )
