"""What a model says, before and after a change."""

from dataclasses import dataclass

from attention_core.learned import Says


@dataclass(frozen=True, eq=False)
class Saying:
    """What a model says, as it is or as it is pinned, and as it is changed; the same object twice without changes."""

    before: Says
    after: Says
