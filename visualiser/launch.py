"""Build and launch Headlight: see and measure attention. Gradio's own environment variables are honoured."""

import contextlib
import os

from visualiser.server import settings
from visualiser.server.gradio import imports

settings.require()
if settings.server_port() is None:
    os.environ.pop("GRADIO_SERVER_PORT", None)  # gradio would read an empty text as a number
os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")  # else each fetch asks the Hub which agents there are

with imports.quick():
    # On a ZeroGPU Space `spaces` must be imported before torch; elsewhere it need not exist.
    with contextlib.suppress(ImportError):
        import spaces  # noqa: F401  # pyright: ignore[reportMissingImports]

    import torch

    from visualiser import gpu
    from visualiser.models.folder import FOLDER
    from visualiser.pages.shell import build, launch_options
    from visualiser.server import allocator, listening, log
    from visualiser.server.http import health
    from visualiser.server.uvicorn.serving import serve
    from visualiser.server.warming import warm

# Half the cores for one computation: visitors' updates run side by side. With few cores, a second thread of one update
# waits for the browser or a neighbour longer than it helps.
torch.set_num_threads(max(1, (os.cpu_count() or 2) // 2))

demo = build()


def main() -> None:
    """Serve the app until the process ends. An address at which it cannot listen ends it with status 2."""
    with settings.refusing():
        listening.require()
    gpu.require()
    allocator.setup()
    log.setup()
    log.bounds(settings.is_own(), settings.memory(), settings.model_memory())
    FOLDER.log_left_out()
    warm(then=health.serving)
    serve(demo, launch_options(demo))
