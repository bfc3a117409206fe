"""The tensors attention begins with: drawn from a seed, planted, embedded from a text, or given."""
