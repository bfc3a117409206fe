"""The memory that a picture of a stranger takes, of the whole process: its price is never less, and at most twice."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
READ = """
import io, os, sys
from PIL import Image
from tests.process_resources import forget_peak, peak
from visualiser.server.admission import cost
from visualiser.upload.pictures import canonical_picture, picture_pixels, read_picture

def written(mode, width, height):
    made = io.BytesIO()
    Image.new(mode, (width, height), 0).save(made, format="PNG")
    return made.getvalue()

canonical_picture(read_picture(written("L", 8, 8)).pixels)
body = written(sys.argv[1], 4500, 3000)
forget_peak(os.getpid())
before = peak(os.getpid())
canonical_picture(read_picture(body).pixels)
print(cost.picture(picture_pixels(body), len(body)).memory / 1e6 / (peak(os.getpid()) - before))
"""


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["I;16", "L", "P", "RGB", "RGBA", "LA"])
def test_a_pngs_price_is_its_memory(mode: str) -> None:
    ended = subprocess.run([sys.executable, "-c", READ, mode], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert 1.0 <= float(ended.stdout) <= 2.0
