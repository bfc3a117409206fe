"""One line for each cell of each head's map, streamed: eight heads of 512 × 512 are two million lines."""

from collections.abc import Iterator

from attention_core import AttentionResult
from visualiser.export.lines import MARK, encoded, exact, labels

COLUMNS = ("head", "query", "key", "query_token", "key_token", "score", "scaled", "allowed", "weight")


def cells_csv(result: AttentionResult) -> Iterator[bytes]:
    """A CSV file with `COLUMNS`, a query row at a time; `allowed` is 0 where the mask forbids the key, else 1."""
    queries, query_tokens, key_tokens = labels(result)
    yield MARK + encoded([COLUMNS])
    everywhere = [1] * len(key_tokens)
    for head, (scores, scaled, weights) in enumerate(zip(result.scores, result.scaled, result.weights, strict=True)):
        for row, query in enumerate(queries):
            allowed = everywhere if result.mask is None else result.mask[row].int().tolist()
            numbers = (scores[row].tolist(), scaled[row].tolist(), allowed, weights[row].tolist())
            yield encoded(
                (head + 1, query, key, query_tokens[row], token, exact(score), exact(factored), may, exact(weight))
                for key, (token, score, factored, may, weight) in enumerate(zip(key_tokens, *numbers, strict=True))
            )
