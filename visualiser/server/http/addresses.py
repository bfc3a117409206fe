"""The prefix of our own routes: when gradio renders on the server, only paths below ``/gradio_api`` reach Python."""

PREFIX = "/gradio_api/headlight"
