"""Headlight: see and measure attention. Builds the app and launches it; gradio's own environment variables are
honoured."""

import contextlib
import os

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")

# On a ZeroGPU Space `spaces` must be imported before torch; elsewhere it need not exist.
with contextlib.suppress(ImportError):
    import spaces  # noqa: F401  # pyright: ignore[reportMissingImports]

from visualiser.pages.shell import build, launch_options

demo = build()

if __name__ == "__main__":
    demo.queue(default_concurrency_limit=2).launch(**launch_options())
