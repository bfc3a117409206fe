"""Where our own routes lie: below ``/gradio_api``, because only those paths reach Python when gradio renders on the
server."""

PREFIX = "/gradio_api/headlight"
