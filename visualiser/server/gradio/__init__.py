"""Bounds around gradio's own surface: its queue, sessions, calls and answers."""
