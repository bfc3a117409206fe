"""Attention with every intermediate in memory: scores, masks, softmax, heads, and the walk through Figure 2."""
