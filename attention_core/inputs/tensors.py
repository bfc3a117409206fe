"""The Q, K and V of an experiment: given by the caller, or drawn from the config's seed (`sources`)."""

from dataclasses import dataclass
from typing import Any, no_type_check

from jaxtyping import Float
from torch import Tensor

from attention_core.errors import InvalidInput
from attention_core.shapes import require_shapes, shape_error

__all__ = ["AttentionInputs", "Trained"]


@dataclass(frozen=True)
class Trained:
    """What a trained model does to q · k of one layer; a configuration of `source="model"` adopts it.

    factor   of the scores; `scale` multiplies it
    mask     a choice of `mask`, with its `window`
    softcap  c, 0 without one
    sink     the score of a learned sink, None without one
    grouped  heads of keys and values that the layer itself has, if each serves several heads of queries; else 0
    """

    factor: float
    mask: str = "none"
    window: int = 1
    softcap: float = 0.0
    sink: float | None = None
    grouped: int = 0


@no_type_check  # validates itself, with messages that a runtime type checker would pre-empt
@dataclass(frozen=True, eq=False)
class AttentionInputs:
    """The inputs of attention for each head, and the tensors they were made from.

    `tokens` label the queries and keys, and `line`, a `learned.Line`, has what a model knows them by. X and the
    projections are set if Q, K and V came from them: Q = X W_Q, K = X W_K, V = X W_V (Figure 2, right). `W_O` maps the
    concatenated heads back to d_model. `trained` says what a model does to the scores whose Q and K these are.

    Raises
    ------
    InvalidInput
        `shape` if the axes do not fit each other; `not_finite` for a NaN or an infinity in Q, K or V; `token_count` if
        there is not one token for each key.
    """

    Q: Float[Tensor, "h n_q d_k"]
    K: Float[Tensor, "h n_k d_k"]
    V: Float[Tensor, "h n_k d_v"]
    tokens: tuple[str, ...] | None = None
    X: Float[Tensor, "n_k d_model"] | None = None
    W_Q: Float[Tensor, "h d_model d_k"] | None = None
    W_K: Float[Tensor, "h d_model d_k"] | None = None
    W_V: Float[Tensor, "h d_model d_v"] | None = None
    W_O: Float[Tensor, "h_d_v d_out"] | None = None
    trained: Trained | None = None
    line: Any = None

    def __post_init__(self) -> None:
        sizes = require_shapes({}, Q=(self.Q, "h n_q d_k"), K=(self.K, "h n_k d_k"), V=(self.V, "h n_k d_v"))
        for name, tensor in (("Q", self.Q), ("K", self.K), ("V", self.V)):
            if tensor.dim() != 3:
                raise shape_error(name, "h × n × d", tuple(tensor.shape))
            if not tensor.isfinite().all():
                raise not_finite(name, tensor)
        if self.W_O is not None:
            require_shapes({"h·d_v": sizes["h"] * sizes["d_v"]}, W_O=(self.W_O.mT, "h·d_v"))
        if self.tokens is not None and len(self.tokens) != sizes["n_k"]:
            raise InvalidInput(
                "token_count",
                f"tokens must be n_k = {sizes['n_k']}, one for each key; got {len(self.tokens)}.",
                field="tokens",
                expected=sizes["n_k"],
                value=len(self.tokens),
            )


def not_finite(name: str, tensor: Tensor) -> InvalidInput:
    """Return the error for the first NaN or infinity of `tensor`, with its place."""
    place = tuple((~tensor.isfinite()).nonzero()[0].tolist())
    index = ", ".join(map(str, place))
    value = str(tensor[place].item())
    return InvalidInput(
        "not_finite",
        f"{name} must be finite everywhere; {name}[{index}] is {value}.",
        field=name,
        index=index,
        value=value,
    )
