"""The pictures that ship are those that their script draws, in the size that models see."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from docs.pictures.shipped import FOLDER, MOST_BYTES, PICTURES, SIDE


def test_the_folder_holds_these_pictures_alone() -> None:
    assert {path.name for path in FOLDER.iterdir()} == PICTURES.keys()
    assert {Path(name).stem for name in PICTURES} == {"lighthouse", "cat", "poster"}
    for name in PICTURES:
        with Image.open(FOLDER / name) as shipped:
            assert shipped.size == (SIDE, SIDE) == (448, 448)
        assert (FOLDER / name).stat().st_size <= MOST_BYTES == 60_000


@pytest.mark.night
@pytest.mark.slow
@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_what_its_script_draws(name: str) -> None:
    """To the compression's loss: on average 2 of 255 steps, where any two of the pictures differ by 60."""
    with Image.open(FOLDER / name) as shipped:
        there = np.asarray(shipped.convert("RGB"), dtype=float)
    drawn = np.asarray(PICTURES[name](), dtype=float)
    assert np.abs(there - drawn).mean() < 2
