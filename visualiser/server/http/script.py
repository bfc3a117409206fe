"""The few lines of JavaScript that Python passes to gradio. Each only calls a module under assets/js."""

import json
from typing import Any

from visualiser.server.http import assets

BASE = "gradio_api/headlight"


def address(path: str) -> str:
    """Return a script's address relative to the page."""
    return f"{BASE}/assets/{assets.version()}/{path}"


def entry() -> str:
    """Return the script that loads our entry module. It sets the promise `window.headlight` before gradio starts."""
    return f'<script>window.headlight = import(new URL("{address(assets.BUNDLE)}", document.baseURI));</script>'


def mount(name: str) -> str:
    """Return `js_on_load` of the component that holds figure or panel `name`."""
    return f"window.headlight.then((page) => page.mount({json.dumps(name)}, element, trigger));"


def start(settings: dict[str, Any]) -> str:
    """Return the load event: read the link, paint, and return the values for the controls."""
    return f"async () => (await window.headlight).start({json.dumps(settings)})"


def act(method: str, *arguments: Any) -> str:
    """Return a control's event: call "PART.METHOD" of the page with fixed arguments, then the values of the inputs."""
    fixed = ", ".join(json.dumps(argument) for argument in (method, *arguments))
    return f"async (...values) => (await window.headlight).act({fixed}, values)"
