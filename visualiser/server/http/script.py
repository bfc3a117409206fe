"""The few lines of JavaScript that Python hands to gradio; each only calls a module under assets/js."""

import json
from typing import Any

from visualiser.server.http import assets

BASE = "gradio_api/headlight"


def address(path: str) -> str:
    """A script's address relative to the page."""
    return f"{BASE}/assets/{assets.version()}/{path}"


def head() -> str:
    """Loads our entry module, which loads plotly; `window.headlight` is a promise of it before any component mounts."""
    return f'<script>window.headlight = import(new URL("{address("js/main.js")}", document.baseURI));</script>'


def mount(name: str) -> str:
    """`js_on_load` of the component that holds figure or panel `name`."""
    return f"window.headlight.then((page) => page.mount({json.dumps(name)}, element, trigger));"


def start(settings: dict[str, Any]) -> str:
    """On load: reads the link, paints, and returns what the controls show."""
    return f"async () => (await window.headlight).start({json.dumps(settings)})"


def act(method: str, *arguments: Any) -> str:
    """A control's event: calls one of the page's methods with fixed arguments, then the values of the inputs."""
    fixed = ", ".join(json.dumps(argument) for argument in (method, *arguments))
    return f"async (...values) => (await window.headlight).act({fixed}, values)"
