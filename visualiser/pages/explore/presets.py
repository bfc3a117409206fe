"""States worth a class's time, each as the parameters that differ from the defaults."""

from typing import Any, Final

from attention_core.config import REPEATING_TEXT

PRESETS: Final[dict[str, dict[str, Any]]] = {
    "base": {},  # the paper's base model: d_model 512, h 8, d_k 64 (section 3.2.2)
    "unscaled_512": {"d_k": 512, "tie": False, "scaling": "none"},
    "scaled_512": {"d_k": 512, "tie": False},
    "additive_512": {"d_k": 512, "tie": False, "mechanism": "additive"},
    # A is one head as wide as the model; B is eight heads of an eighth each, at the same d_model.
    "one_against_eight": {"pin": "h=1"},
    "float16_512": {"d_k": 512, "tie": False, "scaling": "none", "dtype": "float16", "subtract_max": False},
    # What models of 2025 do instead: vectors of length √d_k, and with them no factor (Gemma 4).
    "normed_512": {"d_k": 512, "tie": False, "qk_norm": True},
    "normed_unscaled_512": {"d_k": 512, "tie": False, "scaling": "none", "qk_norm": True},
    "log_n_256": {"n": 256, "log_n": True},
    "sink": {"normalisation": "sink", "sink": 4},
    "gates": {"normalisation": "sigmoid"},
    "sparse": {"normalisation": "entmax"},
    "softcap_512": {"d_k": 512, "tie": False, "scaling": "none", "softcap": 50},
    "causal": {"mask": "causal"},
    "sentence": {"source": "text"},
    "learned_head": {"source": "model", "layer": 2, "text": REPEATING_TEXT, "row": 7},
}
