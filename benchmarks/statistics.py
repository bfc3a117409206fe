"""Exact statistics without the n × n matrix: time and memory as multiples of plain attention's.

    python benchmarks/statistics.py [--n 1024 4096 16384] [--seconds 200] [--threads 2]

The measurement is in `without_matrix`. For the other benchmarks in this folder `import statistics` finds this file, so
it gives them Python's own module instead.
"""

import sys
import sysconfig
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).parent.parent))  # the clone, for any working directory
    from without_matrix import main

    main()
else:
    own = spec_from_file_location(__name__, Path(sysconfig.get_path("stdlib"), "statistics.py"))
    assert own is not None
    assert own.loader is not None
    sys.modules[__name__] = module_from_spec(own)
    own.loader.exec_module(sys.modules[__name__])
