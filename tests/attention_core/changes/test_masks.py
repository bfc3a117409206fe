"""The mask that a layer reports beside changed weights."""

import torch

from attention_core.changes import Causal, Hide, Mute, Replace, Uniform
from attention_core.changes.layer_changes import LayerChanges

OWN = torch.ones(3, 5, 5, dtype=torch.bool).tril()
OTHER = torch.ones(5, 5).tril().softmax(-1)


def allowed(*changes: tuple[object, tuple[int, ...]]) -> torch.Tensor:
    return LayerChanges(0, 3, changes, {(0, 0): OTHER}).allowed(OWN, lined=True)


def test_weights_of_another_head_know_no_hidden_key() -> None:
    """Else a row would give weight to a key that its mask forbids, and have more entropy than its keys allow."""
    found = allowed((Hide(1), (0, 1, 2)), (Causal(False), (0, 1, 2)), (Replace(0, 1, 0, 0), (1,)))
    assert torch.equal(found[1], OWN[1])
    assert not found[[0, 2], :, 1].any()
    assert found[0, 0, 4]


def test_the_last_change_that_sets_weights_decides() -> None:
    for last in (Uniform(0, 1), Mute(0, 1)):
        found = allowed((Hide(1), (0, 1, 2)), (Replace(0, 1, 0, 0), (1,)), (last, (1,)))
        assert not found[1, :, 1].any()
