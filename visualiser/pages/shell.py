"""The app around the pages: theme, styles, routes, languages, endpoints. No page knows another."""

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from typing import Any, Final

import gradio as gr
from gradio import themes
from starlette.routing import Route
from starlette.types import ASGIApp

from visualiser import pages
from visualiser.pages import admitted
from visualiser.pages.admitted import Endpoint
from visualiser.pages.endpoint_tools import tool
from visualiser.pages.labels import translations
from visualiser.server import mcp, settings, sharing
from visualiser.server.front import lifespan
from visualiser.server.gradio.building import finish, without_apps
from visualiser.server.gradio.sessions import SESSIONS
from visualiser.server.http import assets
from visualiser.server.live.routes import ROUTES
from visualiser.server.rooms import routes as rooms
from visualiser.state.parameters import PAGES
from visualiser.theme import FONT

TITLE = "Headlight"


def _part(page: str, name: str) -> Any:
    """Import a module of the page's package."""
    return importlib.import_module(f"{pages.__name__}.{page}.{name}")


def _has(page: str, name: str) -> bool:
    return importlib.util.find_spec(f"{pages.__name__}.{page}.{name}") is not None


def theme() -> themes.Base:
    """Return gradio's base theme in blue and slate, with WCAG AA contrasts and no font from another host."""
    fonts = [name.strip(" '") for name in FONT.split(",")]
    return themes.Base(
        primary_hue="blue",
        neutral_hue="slate",
        radius_size="md",
        spacing_size="sm",
        text_size="md",
        font=fonts,
        font_mono=["ui-monospace", "monospace"],
    ).set(
        button_primary_background_fill="*primary_700",
        button_primary_background_fill_hover="*primary_800",
        button_primary_text_color="white",
        body_text_color_subdued="*neutral_600",
        body_text_color_subdued_dark="*neutral_300",
        block_label_text_color="*neutral_700",
        block_label_text_color_dark="*neutral_200",
        block_info_text_color="*neutral_600",
        block_info_text_color_dark="*neutral_300",
        slider_color="*primary_700",
        slider_color_dark="*primary_400",
        input_placeholder_color="*neutral_600",
        input_placeholder_color_dark="*neutral_300",
    )


BUILD: Final[Mapping[str, Callable[[gr.Blocks], None]]] = {page: _part(page, "layout").build for page in PAGES}
"""The function that lays out each page. gradio serves `?page=NAME` separately, so no page delays another's paint."""

_FOUND = [_part(page, name).ENDPOINT for page in PAGES for name in ("endpoint", "heads_endpoint") if _has(page, name)]
ENDPOINTS: Final[Mapping[str, Endpoint]] = {found.name: found for found in _FOUND}
"""The endpoints for programs, by their names, as the pages declare them."""

CALLS_AT_ONCE = 512
"""Calls that gradio may have under way: they wait in our lines, by address, and not in gradio's."""

CALLS_WAITING = 32
"""Calls of programs that may wait; one more is refused at once, and gradio_client says that the queue is full."""


def build() -> gr.Blocks:
    """Build the whole app, not yet launched."""
    first, *others = PAGES
    with without_apps():
        with gr.Blocks(title=TITLE, fill_width=True) as demo:
            BUILD[first](demo)
        for page in others:
            with demo.route(page, f"/{page}", show_in_navbar=False):
                BUILD[page](demo)
        # On a page of their own, which nobody opens: gradio makes a component of each of their parameters.
        with demo.route("programs", "/programs", show_in_navbar=False):
            # Our own lines order the calls: in gradio's, a hundred calls of one program come before all others'.
            for name, found in ENDPOINTS.items():
                called = admitted.admitted(found.function, found.price, run=found.run)
                gr.api(called, api_name=name, concurrency_limit=None)  # pyright: ignore[reportPrivateImportUsage]
        demo.queue(default_concurrency_limit=2, max_size=CALLS_WAITING)
    finish(demo)
    return demo


def tool_routes() -> list[Route]:
    """Return the routes that serve the endpoints as tools for language models; none if the operator wants none."""
    return mcp.routes([tool(found) for found in ENDPOINTS.values()]) if settings.mcp_server() else []


STYLES: Final = ("headlight", "instrument", "symbols", "run", "phone", *PAGES)
"""Style sheets for gradio in their order: what all pages share, the grammar of one screen, what predicts and runs, a
phone, each page's areas."""


def launch_options(demo: gr.Blocks, around: Callable[[ASGIApp], ASGIApp] = lambda app: app) -> dict[str, Any]:
    """Return the arguments for `launch` of `demo`; `uvicorn.address` has host and port.

    `around` wraps all of our middleware.
    """
    return {
        "theme": theme(),
        "css": "\n".join(assets.scripts()[f"css/{name}.css"].plain.decode() for name in STYLES),
        "i18n": translations(demo),
        "run_history": False,
        "max_file_size": "16mb",
        "state_session_capacity": SESSIONS,
        "max_threads": CALLS_AT_ONCE,
        "strict_cors": True,
        # The page's first bytes choose the language; with server-side rendering Node writes them and the choice is
        # lost.
        "ssr_mode": False,
        # gradio's settings would offer a second choice of language and theme, unconnected with the link
        "footer_links": [],
        # gradio's own, in whose place ours is bounded like all that computes (docs/decisions/mcp.md)
        "mcp_server": False,
        "app_kwargs": {
            "routes": [*ROUTES, *rooms.ROUTES, *sharing.ROUTES],
            "lifespan": lifespan(tool_routes(), around),
        },
    }
