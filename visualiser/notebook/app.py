"""The app as a kernel launches it: what is heavy to import stands here."""

import os
import threading

import gradio as gr

from visualiser.pages.shell import build, launch_options
from visualiser.server.http import health, static_files
from visualiser.server.http.secret import Outside, Secret


def launched(host: str, port: int, secret: str, outside: Outside) -> gr.Blocks:
    """Build the app and serve it in threads of this process."""
    os.environ.setdefault("FORWARDED_ALLOW_IPS", "")
    demo = build()
    demo.launch(
        server_name=host,
        server_port=port,
        root_path="",
        share=False,
        inline=False,
        inbrowser=False,
        quiet=True,
        prevent_thread_lock=True,
        **launch_options(demo, lambda app: Secret(app, secret, outside)),
    )
    threading.Thread(target=_prepare, name="headlight", daemon=True).start()
    return demo


def _prepare() -> None:
    """Compress the files for the browser. Nothing is set aside from garbage collection: it is the user's kernel."""
    static_files.pack()
    health.serving()
