"""Maps of long sequences: what is kept of one, and the facts that follow from it."""
