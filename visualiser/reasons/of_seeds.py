"""The reasons of numbers that several seeds gave: means, medians."""

from collections.abc import Sequence

from visualiser.locale.message import message
from visualiser.reasons.digits import consistent_digits
from visualiser.reasons.explained import Reason


def mean(kind: str, values: Sequence[float], value: float) -> Reason:
    """Return the reason of `value`, the mean of one value for each seed."""
    count = len(values)
    if count == 1:
        return Reason(kind, message("reason.made.seed", value=value))
    total = consistent_digits(value, lambda sum: sum / count, sum=value * count)
    return Reason(
        kind, message("reason.made.seeds", value=value, seeds=count, least=min(values), most=max(values), **total)
    )


def median(kind: str, values: Sequence[float], value: float) -> Reason:
    """Return the reason of `value`, the median of one value for each seed; of an even number, the lower middle one."""
    ends = {"seeds": len(values), "least": min(values), "most": max(values)}
    return Reason(kind, message("reason.made.seeds_median", value=value, **ends))
