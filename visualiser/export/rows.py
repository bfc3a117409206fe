"""One line for each query row of each head: what can be said about its softmax."""

from collections.abc import Iterator

from attention_core import AttentionResult, checkpoint
from visualiser.export.lines import MARK, encoded, exact, labels

COLUMNS = (
    "head",
    "query",
    "token",
    "entropy_nats",
    "ceiling_nats",
    "effective_keys",
    "jacobian_norm",
    "jacobian_trace",
    "largest_weight",
    "largest_weight_key",
    "largest_weight_token",
)


def rows_csv(result: AttentionResult) -> Iterator[bytes]:
    """A CSV file with `COLUMNS`, head by head. A row without an allowed key has the weight 0 and names no key."""
    queries, query_tokens, key_tokens = labels(result)
    yield MARK + encoded([COLUMNS])
    where = result.weights.argmax(-1).tolist()
    statistics = [
        tensor.tolist()
        for tensor in (
            result.entropy,
            result.ceiling.expand_as(result.entropy),
            result.effective_keys,
            result.jacobian_norm,
            result.jacobian_trace,
            result.largest_weight,
        )
    ]
    for head in range(len(where)):
        checkpoint()
        rows = []
        for row, query in enumerate(queries):
            values = [tensor[head][row] for tensor in statistics]
            key = where[head][row]
            place = (key, key_tokens[key]) if values[-1] > 0 else ("", "")
            rows.append((head + 1, query, query_tokens[row], *map(exact, values), *place))
        yield encoded(rows)
