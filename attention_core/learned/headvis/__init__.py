"""Files of heads in HeadVis' open format, read and written.

A run of HeadVis (https://github.com/anthropics/headvis; Neuronpedia has those of 37 models) is a folder: `config.json`
with the model, `scatter_data.json` with measures of every head, and `heads/L3H0.json` for one head, with some texts and
the largest weights of each of their rows. Layers and heads count from 0 in these names, and from 1 in what is returned.

>>> sparse = {"sequence_id": 0, "interval": 5, "tokens": ["The", " cat"], "seq_len": 2}
>>> sparse |= {"attention_indices": [0, 2], "attention_values": [1, 0.75], "max_activation": None}
>>> found = read_headvis({"sequences": [sparse]}, "L1H0.json")
>>> found.layer, found.head, found.sequences[0].row_sums.tolist()
(2, 1, [1.0, 0.75])
"""

from attention_core.learned.headvis.head_file import Bins, HeadVisHead, HeadVisSequence, TokenWeight
from attention_core.learned.headvis.parsing import LARGEST
from attention_core.learned.headvis.reading import read_headvis
from attention_core.learned.headvis.run_folder import write_headvis
from attention_core.learned.headvis.writing import headvis_bytes

__all__ = [
    "LARGEST",
    "Bins",
    "HeadVisHead",
    "HeadVisSequence",
    "TokenWeight",
    "headvis_bytes",
    "read_headvis",
    "write_headvis",
]
