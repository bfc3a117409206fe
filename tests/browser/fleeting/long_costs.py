"""`tests/browser/fleeting/app.py` in which what heads cost takes long: no frame computes it, and each batch waits."""

import runpy
import time
from pathlib import Path
from typing import Any

from attention_core import models
from attention_core.cancellation import checkpoint
from attention_core.learned import each_muted

own = models.FolderModel.says_without_each


def slow(self: models.FolderModel, *given: Any) -> Any:
    """Say as the model does, half a second later, unless nobody waits any more."""
    for _ in range(50):
        checkpoint()
        time.sleep(0.01)
    return own(self, *given)


if __name__ == "__main__":
    import visualiser.models

    visualiser.models.AT_ONCE = 0.0  # type: ignore[misc]
    each_muted.MOST_BYTES = 1  # type: ignore[misc]
    models.FolderModel.says_without_each = slow  # type: ignore[method-assign, assignment]
    runpy.run_path(str(Path(__file__).with_name("app.py")), run_name="__main__")
