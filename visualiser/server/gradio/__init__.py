"""gradio's own surface, kept within bounds: its queue, sessions, calls and answers."""
