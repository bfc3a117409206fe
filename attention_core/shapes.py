"""Shape checks whose messages name the axis, its expected size and the given one."""

from torch import Tensor

from attention_core.errors import InvalidInput


def require_shapes(sizes: dict[str, int], **tensors: tuple[Tensor, str]) -> dict[str, int]:
    """Return the size of each named axis, on which every tensor's last axes must agree.

    Each tensor comes with its axes, `K=(K, "n_k d_k")`; leading axes are free. `sizes` holds the known sizes. Raises
    `InvalidInput` (`shape`) at the first tensor that disagrees.
    """
    known = dict(sizes)
    for name, (tensor, axes) in tensors.items():
        names = axes.split()
        came = tuple(tensor.shape)
        last = came[len(came) - len(names) :]
        if len(came) < len(names) or any(known.get(axis, size) != size for axis, size in zip(names, last, strict=True)):
            expected = " × ".join(f"{axis} = {known[axis]}" if axis in known else axis for axis in names)
            raise shape_error(name, expected, came)
        known.update(zip(names, last, strict=True))
    return known


def shape_error(name: str, expected: str, came: tuple[int, ...]) -> InvalidInput:
    """Return the error for a tensor whose shape `came` is not `expected`."""
    sizes = " × ".join(map(str, came)) or "a single number"
    return InvalidInput("shape", f"{name} must be {expected}; got {sizes}.", field=name, expected=expected, value=sizes)
