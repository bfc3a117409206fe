"""The Map page: a long sequence as a map to zoom into."""
