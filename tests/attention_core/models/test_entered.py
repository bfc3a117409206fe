"""What a module is given tells whether its keys are another sequence."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attention_core.models.entered import Entered


class Attends(nn.Module):
    """A module with the arguments that attention modules of published models have."""

    def forward(self, query: Tensor, key: Tensor | None = None, encoder_hidden_states: Tensor | None = None) -> Tensor:
        return query


X, LONGER = torch.zeros(3, 5, 2), torch.zeros(3, 7, 2)


@pytest.mark.parametrize(
    ("args", "kwargs", "kind"),
    [
        ((X,), {}, "self"),
        ((X, X.clone()), {}, "self"),
        ((X, LONGER), {}, "cross"),
        ((X,), {"key": LONGER}, "cross"),
        ((X,), {"encoder_hidden_states": X.clone()}, "cross"),
        ((X,), {"encoder_hidden_states": X}, "self"),
    ],
)
def test_keys_of_another_length_or_name_are_another_sequence(args: Any, kwargs: Any, kind: str) -> None:
    assert Entered(Attends(), args, kwargs).kind == kind
