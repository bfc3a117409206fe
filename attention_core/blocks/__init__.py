"""Attention a block of queries at a time, without the n_q × n_k matrix: statistics, overviews and tiles."""
