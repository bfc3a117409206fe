"""The Map page's side of the server: one long pass over a sequence, what is kept of it, and questions about that."""
