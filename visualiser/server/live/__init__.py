"""Routes of our own: what the browser asks, the answers in parts, long runs."""
