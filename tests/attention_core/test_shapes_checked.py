"""The first test of a file of the core runs with signatures checked: this one sees it."""

import jaxtyping
import pytest
import torch

from attention_core.treatments.softcap import Softcap


@pytest.mark.slow  # the quick tests check none
def test_what_a_signature_excludes_is_found() -> None:
    with pytest.raises(jaxtyping.TypeCheckError):
        Softcap(30.0).slope(torch.ones(3, 5, dtype=torch.int64))
