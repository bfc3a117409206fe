"""Where the pages compute. `on_gpu` runs a function where a ZeroGPU Space keeps its GPU; elsewhere it is that function.

A ZeroGPU Space lends a GPU only to functions that are decorated, and fails to start without any. Cheap handlers stay
undecorated: a call costs quota and takes longer than the work.
"""

import os
from collections.abc import Callable
from typing import TypeVar

from attention_core.device import resolve

Function = TypeVar("Function", bound=Callable)

try:
    import spaces  # pyright: ignore[reportMissingImports]
except ImportError:

    def on_gpu(function: Function) -> Function:
        return function
else:
    on_gpu = spaces.GPU


def page_device() -> str:
    """The CPU on a ZeroGPU Space, where cuda exists only inside a decorated function; otherwise the best there is."""
    return "cpu" if os.environ.get("SPACES_ZERO_GPU") else "auto"


def device_name() -> str:
    """The kind of device that the pages compute on: cuda, mps or cpu."""
    return resolve(page_device()).type
