"""`python -m attention_core.experiments reverse --d_k 4 64 1024 --seeds 5 --out results.csv`, or `… language`."""

import sys
import time
from collections.abc import Sequence

from attention_core.errors import InvalidInput
from attention_core.experiments.arguments import Arguments, read
from attention_core.experiments.curves import Experiment
from attention_core.experiments.engines import ENGINES
from attention_core.experiments.grid import open_cells
from attention_core.experiments.language import LanguageExperiment
from attention_core.experiments.language import run as run_language
from attention_core.experiments.results_file import ResultsFile
from attention_core.experiments.rows import columns


def main(words: Sequence[str] | None = None) -> int:
    """Run the open cells and write each when it is done. Return 0, 2 for invalid input or 130 if interrupted."""
    try:
        arguments = read(words)
        if isinstance(arguments.experiment, LanguageExperiment):
            run_language(arguments.experiment, arguments.out, _say)
        else:
            _run_grid(arguments.experiment, arguments)
    except InvalidInput as error:
        _say(str(error))
        return 2
    except KeyboardInterrupt:
        _say("interrupted; the same command goes on from here")
        return 130
    return 0


def _run_grid(experiment: Experiment, arguments: Arguments) -> None:
    file = ResultsFile(arguments.out, columns(experiment))
    cells = open_cells(experiment, file.rows())
    total = len(experiment.curves)
    _say(
        f"{total - len(cells)} of {total} cells are in {arguments.out}; computing {len(cells)} with {arguments.engine}"
    )
    start = time.monotonic()
    for count, rows in enumerate(ENGINES[arguments.engine](cells, arguments.jobs) if cells else (), start=1):
        file.add(rows)
        seconds = time.monotonic() - start
        accuracy = sum(float(row["accuracy"]) for row in rows) / len(rows)
        what = " ".join(f"{name}={rows[0][name]}" for name in ("mechanism", "h", "d_k") if name in rows[0])
        left = seconds / count * (len(cells) - count)
        _say(f"{count}/{len(cells)} {what} accuracy={accuracy:.3f} after {seconds:.0f} s, about {left:.0f} s left")


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
