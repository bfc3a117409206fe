"""Every setting that changes a number changes the exported script."""

from dataclasses import replace
from typing import Any

import pytest

from attention_core import CHOICES, AttentionConfig
from attention_core.config import settings
from visualiser.export import snippet

CONFIGS = [
    AttentionConfig(source=source, scaling="custom", scale=0.37, mask="window", d_k=7, tie=False, normalisation=how)
    for source, how in (("gaussian", "softmax"), ("text", "softmax"), ("model", "sink"), ("gaussian", "entmax"))
]
DECIDED = {"tie", "pictures", "target", "sound"}
"""Fields that only decide others, and what models of a folder alone read: a picture, a target, a sound."""


def another(config: AttentionConfig, name: str) -> Any:
    """Return another valid value of a field."""
    now = getattr(config, name)
    if name in CHOICES:
        return next(choice for choice in CHOICES[name] if choice != now)
    if isinstance(now, bool):
        return not now
    return now + " sat" if isinstance(now, str) else now + 1


@pytest.mark.parametrize("name", [name for name in settings() if name not in DECIDED])
def test_a_changed_setting_changes_the_script(name: str) -> None:
    changed = [(config, replace(config, **{name: another(config, name)})) for config in CONFIGS]
    assert any(snippet(before) != snippet(after) for before, after in changed)
