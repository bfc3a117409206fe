"""The Why √d_k page: scaled, unscaled and additive attention against d_k."""
