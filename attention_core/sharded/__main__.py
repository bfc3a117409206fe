"""`python -m attention_core.sharded`, alone or under torchrun: what goes wrong is said in a sentence, no traceback."""

import os
import sys
from collections.abc import Sequence

from attention_core.errors import InvalidInput
from attention_core.sharded.command_line import parse
from attention_core.sharded.ranks import FailedElsewhere, RankLost, started
from attention_core.sharded.run import run


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status: 0, 2 for an input that cannot be used, 1 for a rank that was lost, 130 for Ctrl-C."""
    options = parse(arguments)
    try:
        with started(options.device, options.timeout) as ranks:
            run(options, ranks)
    except FailedElsewhere:
        return 2  # the rank where it happened says what
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
    # Not sys.exit: ranks that failed leave their process group standing (ranks.started), and the interpreter's end may
    # then abort in one of its threads ("terminate called without an active exception", once in 60 runs).
    os._exit(status)
