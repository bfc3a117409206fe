"""Read uploaded Q, K and V from an npz, safetensors or CSV file (`read_upload`), and write them (`canonical`).

A file is hostile until checked. The bounds, whatever it holds (tests/visualiser/upload measures them):

- a file of more than 16 MiB is refused unread;
- h ≤ 16, 2 ≤ n ≤ 512 (more for a page of longer sequences), 1 ≤ d ≤ 1024, and 4,000,000 numbers in Q, K and V
  together, each checked before memory is taken;
- reading takes at most 160 MiB on top of the file, and at most ten seconds on one slow core (a CSV of 16 MiB; the
  binary formats take a fraction of one);
- nothing in the file is run: no pickle, no object arrays, no expressions.
"""

from pathlib import PurePath

import numpy as np
import safetensors.numpy

from attention_core import AttentionInputs, InvalidInput
from visualiser.upload.arrays import assemble
from visualiser.upload.csv_lines import read_csv
from visualiser.upload.npz_archive import read_npz
from visualiser.upload.refusals import printable, refusal
from visualiser.upload.safetensors_file import read_safetensors
from visualiser.upload.size_limits import FILE_LIMIT, LONGEST, NAMES

__all__ = ["FILE_LIMIT", "FORMATS", "canonical", "read_upload"]

FORMATS = {".npz": read_npz, ".safetensors": read_safetensors, ".csv": read_csv}


def read_upload(name: str, body: bytes, longest: int = LONGEST) -> AttentionInputs:
    """Read Q, K and V from the file `name` with the content `body`, as h × n × d float32.

    Each may be `n × d` (one head) or `h × n × d`. K has Q's width and heads, or of grouped queries a divisor of their
    number; V has K's heads and rows, and its width is free. A file without V gets V = K, so that the output shows which
    keys were retrieved. The extension of `name` selects the format; n is at most `longest`.

    Raises `InvalidInput` with a code that begins with `upload_`, naming the tensor, what was expected and what came.
    """
    extension = PurePath(name).suffix.lower()
    if extension not in FORMATS:
        raise refusal("upload_format", came=printable(PurePath(name).name), choices=", ".join(FORMATS))
    if len(body) > FILE_LIMIT:
        raise refusal("upload_too_large", came=len(body), limit=FILE_LIMIT)
    try:
        return assemble(FORMATS[extension](body, longest), longest)
    except InvalidInput:
        raise
    except (MemoryError, RecursionError) as exhausted:
        # a header nested a thousand deep, or a full machine: refuse the file, keep the process alive
        raise refusal("upload_unreadable", format=extension[1:]) from exhausted


def canonical(inputs: AttentionInputs) -> bytes:
    """Write `inputs` as a safetensors file, Q, K and V h × n × d float32: the page keeps it, the snippet loads it."""
    return safetensors.numpy.save({name: np.ascontiguousarray(getattr(inputs, name)) for name in NAMES})
