"""The device of the pages. `on_gpu` lends a function the GPU of a ZeroGPU Space; elsewhere it changes nothing.

A ZeroGPU Space lends its GPU only to decorated functions, and fails to start if there is none. Cheap handlers stay
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
    """Return "cpu" on a ZeroGPU Space, where cuda exists only inside a decorated function, else "auto" (the best)."""
    return "cpu" if os.environ.get("SPACES_ZERO_GPU") else "auto"


def device_name() -> str:
    """Return the kind of device that the pages compute on: cuda, mps or cpu."""
    return resolve(page_device()).type
