"""e^s / Σ e^s, the softmax of equation 1."""

from attention_core.exact.jacobian import jacobian_of_scores
from attention_core.exact.row_sums import SummedRows
from attention_core.exact.softmax import softmax
from attention_core.normalisations.normalisation import Normalisation

NORMALISATION = Normalisation(
    weights=softmax,
    rows=SummedRows,
    jacobian=jacobian_of_scores,
    softmax=True,
)
