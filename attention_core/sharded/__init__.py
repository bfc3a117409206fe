"""The statistics of `attention_statistics` for sequences that are too long for one process.

Query rows are independent of each other. Each rank of a `torchrun` takes blocks of rows and writes every finished block
to a file. At the end the rows are gathered into one file. An interrupted run continues from its finished blocks, with
any number of ranks.

    torchrun --nproc-per-node=2 -m attention_core.sharded tensors.safetensors --out results
"""
