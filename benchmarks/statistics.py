"""Exact statistics without the n × n matrix: time and memory as multiples of attention that computes none of them.

    python benchmarks/statistics.py [--n 1024 4096 16384] [--seconds 200] [--threads 2]

What it measures is in `without_matrix`. The other benchmarks lie beside this file, and to them and whatever they load
`import statistics` would mean this one: it hands them Python's own instead.
"""

import sys
import sysconfig
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).parent.parent))  # the clone, whatever the working directory
    from without_matrix import main

    main()
else:
    own = spec_from_file_location(__name__, Path(sysconfig.get_path("stdlib"), "statistics.py"))
    assert own is not None
    assert own.loader is not None
    sys.modules[__name__] = module_from_spec(own)
    own.loader.exec_module(sys.modules[__name__])
