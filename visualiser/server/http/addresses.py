"""The prefix of our own routes: when gradio renders on the server, only paths below ``/gradio_api`` reach Python."""

PREFIX = "/gradio_api/headlight"

MCP = "/gradio_api/mcp"
"""The address at which language models find tools: gradio's own, because clients and Hugging Face look there."""
