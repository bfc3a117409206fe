"""What each head carries of a second text, as a measure of heads beside the others, and what the page says of it.

A head that carries what the answer needs has a positive value: with it from the text that lacks the answer ln p falls
(noising), and with it in that text ln p rises (denoising).
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from torch import Tensor

from attention_core.learned import Patched
from visualiser.figures.comparing import LEAST, Effect, compared
from visualiser.figures.head_costs import of_heads
from visualiser.locale.message import Message, message

PATCH: Final = "patch"
"""The name of the measure."""


@dataclass(frozen=True, eq=False)
class Patches:
    """What ln p of an answer loses or gains with each head from another text, one by one.

    denoising  True if heads of the text are put into the second one, and not the reverse
    what       `output` or `weights`, and `positions` those at which they are taken; None for all
    """

    found: Patched
    what: str
    positions: tuple[int, ...] | None
    denoising: bool

    name = PATCH

    @property
    def kind(self) -> str:
        """The kind of the number: what ln p gains, or loses."""
        return "patch_rise" if self.denoising else "patch_fall"

    @property
    def measure(self) -> Tensor:
        """The values as those of other measures, layers × h, NaN for a head that is not there."""
        return of_heads(self.found.heads, self.found.nats if self.denoising else -self.found.nats)

    def made(self, value: float) -> Message:
        """Return the arithmetic of a value."""
        return message(f"reason.made.{self.kind}", value=value, log=self.found.log)

    def said(self) -> Message:
        """Say which of all heads changes ln p of the answer most, or that none changes it."""
        nats = self.found.nats.double().numpy()
        with_it = compared(np.zeros_like(nats), nats, LEAST)
        facts: dict[str, Any] = {"heads": len(nats), "answer": self.found.answer.strip(), "what": self._what()}
        if with_it.effect is not Effect.CHANGED:
            if with_it.effect is Effect.SAME:
                return message("patching.same", **facts)
            return message("patching.unseen", **facts, least=LEAST, most=with_it.apart)
        layer, head = self.found.heads[with_it.at]
        return message(
            f"patching.{'denoise' if self.denoising else 'noise'}",
            **facts,
            head=f"{layer + 1}.{head + 1}",
            log=self.found.log,
            now=self.found.log + float(nats[with_it.at]),
            other=self.found.other_log,
        )

    def _what(self) -> Message:
        if self.positions is None:
            return message(f"patching.what.{self.what}")
        return message(f"patching.what.{self.what}_at", positions=[str(at) for at in self.positions])
