"""Keeps figures alive in the browser: a wire format, the routes that speak it, and the component that mounts it."""
