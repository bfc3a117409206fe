"""Attention with every intermediate in memory: scores, masks, softmax and heads."""
