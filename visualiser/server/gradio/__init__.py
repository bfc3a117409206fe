"""What touches gradio: bounds around its queue, sessions, calls and routes, and the list of its private names."""
