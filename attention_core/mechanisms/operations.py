"""The theoretical cost of the two compatibility functions: operations and floats kept, for one head.

"Similar in theoretical complexity" (section 3.2.1): both take O(n² d). Only the kind of operation differs:
multiply-adds of a matrix product for dot products, single additions and tanh for additive attention.
"""

from dataclasses import dataclass

__all__ = ["Operations", "hidden_layer_bytes", "score_matrix_bytes"]

FLOAT = 4  # bytes


@dataclass(frozen=True)
class Operations:
    """Counts of multiplications and additions in matrix products, of other arithmetic, and of exponentials or tanh."""

    matrix: int
    elementwise: int
    transcendental: int

    @property
    def total(self) -> int:
        return self.matrix + self.elementwise + self.transcendental

    def __add__(self, other: "Operations") -> "Operations":
        return Operations(
            self.matrix + other.matrix,
            self.elementwise + other.elementwise,
            self.transcendental + other.transcendental,
        )


def dot_product_operations(n: int, d_k: int, backward: bool = False) -> Operations:
    """Count the operations of softmax(QKᵀ / √d_k) V with n queries and keys and d_v = d_k.

    QKᵀ takes 2 n² d_k operations. Backward, dQ = dS K and dK = dSᵀ Q take as many each.
    """
    scores = Operations(matrix=2 * n * n * d_k, elementwise=n * n, transcendental=0)
    if backward:
        scores += Operations(matrix=4 * n * n * d_k, elementwise=n * n, transcendental=0)
    return scores + _softmax_of_values(n, d_k, backward)


def additive_operations(n: int, d_k: int, backward: bool = False) -> Operations:
    """Count the operations of softmax(w · tanh(q W_q + k W_k)) V with a hidden layer of d_k units.

    The projections take 4 n d_k² operations in matrix products. Each of the n² pairs takes d_k additions, d_k tanh and
    2 d_k operations of the product with w. Backward, each of the n² d_k hidden units takes 8 operations: 2 for 1 −
    tanh², 2 for its products with w and ds, 1 for tanh · ds, and 3 for the sums over pairs (for queries, keys and w).
    The projections come twice again.
    """
    hidden = n * n * d_k
    scores = Operations(matrix=4 * n * d_k * d_k + 2 * hidden, elementwise=hidden, transcendental=hidden)
    if backward:
        scores += Operations(matrix=8 * n * d_k * d_k, elementwise=8 * hidden, transcendental=0)
    return scores + _softmax_of_values(n, d_k, backward)


def _softmax_of_values(n: int, d_v: int, backward: bool) -> Operations:
    """Count maximum, subtraction, sum and division around n² exponentials, and the product with V."""
    forward = Operations(matrix=2 * n * n * d_v, elementwise=4 * n * n, transcendental=n * n)
    if not backward:
        return forward
    return forward + Operations(matrix=4 * n * n * d_v, elementwise=4 * n * n, transcendental=0)


def hidden_layer_bytes(n: int, d_k: int) -> int:
    """Return 4 n² d_k: the hidden layer of additive attention for all pairs of a query and a key at once."""
    return FLOAT * n * n * d_k


def score_matrix_bytes(n: int) -> int:
    """Return 4 n²: one score for every pair."""
    return FLOAT * n * n
