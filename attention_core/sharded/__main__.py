"""`python -m attention_core.sharded`, alone or under torchrun. Errors are one sentence, without a traceback."""

import os
import sys
from collections.abc import Sequence

from attention_core.errors import InvalidInput
from attention_core.sharded.command_line import parse
from attention_core.sharded.ranks import FailedElsewhere, RankLost, started
from attention_core.sharded.run import run


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 0, 2 for invalid input, 1 for a lost rank, 130 for Ctrl-C."""
    options = parse(arguments)
    try:
        with started(options.device, options.timeout) as ranks:
            run(options, ranks)
    except FailedElsewhere:
        return 2  # the failed rank prints the reason
    except (InvalidInput, RankLost) as error:
        sys.stderr.write(f"{error}\n")
        return 2 if isinstance(error, InvalidInput) else 1
    except KeyboardInterrupt:
        sys.stderr.write("Stopped. The same command continues from the blocks that are written.\n")
        return 130
    return 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # Not sys.exit: failed ranks leave their process group open (ranks.started), and the interpreter's exit may then
    # abort in one of its threads ("terminate called without an active exception", once in 60 runs).
    os._exit(status)
