"""`on_gpu`: runs a function where a ZeroGPU Space keeps its GPU; elsewhere it is the function itself.

A ZeroGPU Space lends a GPU only to functions that are decorated, and fails to start without any. Cheap handlers stay
undecorated: a call costs quota and takes longer than the work.
"""

from collections.abc import Callable
from typing import TypeVar

Function = TypeVar("Function", bound=Callable)

try:
    import spaces  # pyright: ignore[reportMissingImports]
except ImportError:

    def on_gpu(function: Function) -> Function:
        return function
else:
    on_gpu = spaces.GPU
