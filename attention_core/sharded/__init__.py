"""The statistics of `attention_statistics` for sequences that are too long for one process.

Query rows are independent of each other: each rank of a `torchrun` takes blocks of rows, writes every finished block to
a file, and at the end the rows are gathered into one. A run that was broken off continues from the blocks that are
there, with the same number of ranks or another.

    torchrun --nproc-per-node=2 -m attention_core.sharded tensors.safetensors --out results
"""
