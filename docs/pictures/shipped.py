"""Draws the three pictures that ship for models that see: a lighthouse, a cat with a ball and a chair, a poster.

    python -m docs.pictures.shipped

Ours, under the licence of the repository. Each is drawn at four times its size, in units of its own pixels, and
reduced. Needs pillow and numpy; the same pillow draws the same bytes.
"""

import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Final

from PIL import Image

from docs.pictures.sheet import SIDE, Point, Sheet, both, curve

FOLDER: Final = Path(__file__).resolve().parents[2] / "assets/shipped/pictures"
MOST_BYTES: Final = 60_000


def lighthouse() -> Image.Image:
    """Return a lighthouse on a cliff, the sun, and a boat on the sea."""
    on = Sheet()
    horizon = 268.0
    on.fill(on.box(0, 0, SIDE, horizon + 1), (58, 124, 196), (255, 222, 178), (0, 0, 0, horizon))
    on.soft(on.ellipse(96, 92, 92, 92, blur=26), (255, 244, 200), 0.75)
    on.ball(on.ellipse(96, 92, 40, 40), (255, 246, 190), (255, 190, 60), (88, 82), 58)
    for x, y, size in ((216, 58, 1.0), (30, 176, 0.75), (180, 168, 0.6)):
        for dx, dy, across, down in ((0, 0, 40, 13), (-16, -10, 19, 14), (12, -13, 24, 18), (32, -3, 20, 12)):
            on.soft(
                on.ellipse(x + dx * size, y + dy * size, across * size, down * size, blur=1.2), (255, 255, 255), 0.9
            )
    on.fill(on.box(0, horizon, SIDE, SIDE - horizon), (112, 178, 200), (12, 66, 112), (0, horizon, 0, SIDE))
    draw = random.Random(3)
    for _ in range(90):
        y = horizon + 6 + (SIDE - horizon) * draw.random() ** 1.3
        x, near = SIDE * draw.random(), (y - horizon) / (SIDE - horizon)
        wave = curve([(x, y), (x + 6 + 20 * near, y - 1 - 3 * near), (x + 12 + 42 * near, y)])
        on.soft(on.line(wave, 0.8 + 1.8 * near), (214, 240, 246), 0.5)
    for step in range(15):
        y, half = horizon + 4 + 11 * step, 12 + 2.4 * step + 7 * (step % 2)
        on.soft(on.ellipse(96 + 5 * (-1) ** step, y, half, 1.6 + 0.12 * step), (255, 232, 170), 0.7)
    _boat(on)
    _cliff(on)
    _tower(on)
    for x, y, size in ((250, 118, 9.0), (276, 134, 7.0), (232, 142, 6.0)):
        wings = [
            (x - 2 * size, y),
            (x - size, y - size * 0.7),
            (x, y + 1),
            (x + size, y - size * 0.7),
            (x + 2 * size, y),
        ]
        on.fill(on.line(curve(wings), 1.8), (52, 62, 84))
    return on.finished()


def _boat(on: Sheet) -> None:
    on.soft(on.ellipse(150, 366, 62, 8, blur=3), (8, 40, 74), 0.55)
    hull = on.polygon(*curve([(84, 332), (94, 352), (112, 364), (190, 364), (206, 350), (216, 330)]))
    on.fill(hull, (196, 62, 48), (104, 24, 28), (0, 330, 0, 366))
    on.fill(on.line([(85, 333), (215, 331)], 4.5), (250, 240, 222))
    on.fill(on.line([(148, 332), (148, 218)], 4), (104, 70, 42))
    on.fill(on.polygon((154, 222), (154, 324), (208, 324)), (255, 252, 242), (210, 214, 222), (154, 0, 208, 0))
    on.fill(on.polygon((142, 236), (142, 324), (96, 324)), (252, 186, 82), (226, 128, 40), (142, 0, 96, 0))
    on.fill(on.polygon((150, 216), (174, 222), (150, 229)), (36, 92, 160))


def _cliff(on: Sheet) -> None:
    edge = [(448, 228), (410, 214), (360, 212), (312, 218), (286, 230), (280, 262), (290, 296), (272, 336), (282, 372)]
    foot: list[Point] = [(258, 410), (262, 448), (448, 448)]
    rock = on.polygon(*curve([*edge, (258, 410)]), *foot)
    on.fill(rock, (172, 136, 104), (74, 56, 50), (262, 250, 448, 420))
    for x, top, low, width in ((316, 244, 340, 30), (352, 262, 430, 42), (394, 240, 380, 34), (424, 300, 448, 40)):
        facet = on.polygon((x, top), (x + width, top + 22), (x + width * 0.6, low), (x - 12, low - 26))
        on.soft(both(facet, rock), (52, 36, 36), 0.28)
        light = on.polygon((x - 14, top + 6), (x, top), (x - 12, low - 26), (x - 24, low - 40))
        on.soft(both(light, rock), (240, 206, 164), 0.3)
    turf = curve([(448, 226), (410, 208), (360, 206), (312, 212), (280, 228)])
    under = curve([(284, 240), (306, 236), (330, 246), (352, 236), (384, 250), (410, 238), (448, 254)])
    on.fill(on.polygon(*turf, *under), (126, 180, 76), (56, 112, 52), (0, 206, 0, 252))
    for x, y, across in ((266, 438, 26), (300, 446, 30), (252, 416, 12)):
        on.ball(on.ellipse(x, y, across, across * 0.55), (150, 122, 104), (60, 48, 48), (x - 8, y - 8), across * 1.5)
    on.soft(on.line(curve([(232, 444), (246, 428), (262, 408), (274, 376)]), 4, blur=1.5), (240, 250, 252), 0.8)


def _tower(on: Sheet) -> None:
    left, right, top, low = (344.0, 356.0), (412.0, 400.0), 78.0, 216.0
    on.soft(on.polygon((360, 214), (448, 226), (448, 240), (380, 224), blur=3), (24, 52, 30), 0.5)
    tower = on.polygon((left[1], top), (right[1], top), (right[0], low), (left[0], low))
    on.fill(tower, (255, 252, 246), (176, 180, 196), (346, 0, 412, 0))
    for band in (0, 2, 4):
        y0, y1 = (top + (low - top) * (band + step) / 5 for step in (0, 1))
        stripe = both(on.box(330, y0, 100, y1 - y0), tower)
        on.fill(stripe, (226, 60, 50), (134, 22, 30), (346, 0, 412, 0))
    for y in (120.0, 174.0):
        on.fill(on.box(370, y, 10, 16, radius=5), (40, 52, 78))
    on.fill(on.box(371, 194, 15, 22, radius=3), (66, 44, 38))
    on.soft(on.ellipse(378, 56, 60, 34, blur=14), (255, 240, 150), 0.55)
    on.fill(on.box(360, 38, 36, 34), (255, 238, 140), (255, 198, 70), (0, 38, 0, 72))
    for x in (360.0, 371.0, 383.0, 394.0):
        on.fill(on.box(x, 38, 2.5, 34), (54, 58, 74))
    on.fill(on.box(346, 70, 64, 9, radius=3), (70, 76, 96), (32, 36, 52), (346, 0, 410, 0))
    for x in range(349, 410, 9):
        on.fill(on.box(x, 58, 1.8, 13), (54, 58, 74))
    on.fill(on.box(347, 57, 62, 2.4), (54, 58, 74))
    dome = on.dome(378, 39, 24, 25)
    on.fill(dome, (222, 58, 50), (120, 20, 28), (354, 0, 402, 0))
    on.fill(on.line([(378, 16), (378, 6)], 2.4), (54, 58, 74))


def cat() -> Image.Image:
    """Return a cat beside a ball, before a chair, on a patterned floor."""
    on = Sheet()
    floor = 250.0
    on.fill(on.box(0, 0, SIDE, floor), (190, 220, 214), (222, 236, 226), (0, 0, 0, floor))
    for x in range(0, SIDE, 56):
        on.soft(on.box(x, 0, 22, floor), (255, 255, 255), 0.4)
    _tiles(on, floor)
    on.fill(on.box(0, floor - 14, SIDE, 15), (250, 246, 236), (206, 196, 178), (0, floor - 14, 0, floor + 1))
    _chair(on)
    _cat(on)
    on.soft(on.ellipse(322, 410, 62, 12, blur=6), (30, 20, 20), 0.55)
    ball = on.ellipse(312, 362, 50, 50)
    on.ball(ball, (255, 120, 96), (150, 16, 30), (294, 340), 84)
    stripe = curve([(262, 344), (292, 366), (332, 368), (364, 344)])
    on.ball(both(on.line(stripe, 17), ball), (255, 255, 250), (176, 160, 166), (294, 340), 90)
    on.soft(on.ellipse(292, 334, 12, 8, blur=3), (255, 255, 255), 0.85)
    return on.finished()


def _tiles(on: Sheet, floor: float) -> None:
    on.fill(on.box(0, floor, SIDE, SIDE - floor), (226, 194, 148), (240, 214, 172), (0, floor, 0, SIDE))
    rows = [floor + (SIDE - floor) * (step / 6) ** 1.5 for step in range(7)]
    far, near, middle = 46.0, 104.0, SIDE / 2
    for row, (y0, y1) in enumerate(pairwise(rows)):
        w0, w1 = (far + (near - far) * (y - floor) / (SIDE - floor) for y in (y0, y1))
        for column in range(-6, 6):
            if (row + column) % 2:
                corners = ((column, w0, y0), (column + 1, w0, y0), (column + 1, w1, y1), (column, w1, y1))
                tile = on.polygon(*((middle + at * width, y) for at, width, y in corners))
                on.fill(tile, (150, 98, 66), (186, 126, 84), (0, floor, 0, SIDE))
    on.soft(on.box(0, floor, SIDE, 26, blur=8), (70, 40, 24), 0.35)


def _chair(on: Sheet) -> None:
    light, dark = (76, 126, 186), (30, 62, 112)
    on.soft(on.polygon((300, 324), (420, 316), (448, 344), (330, 350), blur=6), (40, 22, 14), 0.45)
    for x, y, low in ((316, 196, 304), (408, 196, 304)):
        on.fill(on.box(x, y, 10, low - y, radius=4), dark)
    for x in (306.0, 414.0):
        on.fill(on.box(x, 54, 13, 152, radius=6), light, dark, (x, 0, x + 13, 0))
    for y in (66.0, 104.0, 142.0):
        on.fill(on.box(312, y, 108, 20, radius=7), light, dark, (0, y, 0, y + 24))
    on.fill(
        on.polygon((310, 196), (424, 196), (438, 226), (294, 226)), (246, 196, 92), (220, 150, 48), (0, 196, 0, 226)
    )
    on.fill(on.box(292, 224, 148, 13, radius=5), light, dark, (0, 222, 0, 240))
    for x in (298.0, 420.0):
        on.fill(on.box(x, 234, 13, 96, radius=5), light, dark, (x, 0, x + 13, 0))


FUR, SHADE, CREAM, STRIPE = (244, 168, 84), (176, 92, 36), (255, 244, 226), (150, 74, 30)


def _cat(on: Sheet) -> None:
    on.soft(on.ellipse(160, 414, 118, 16, blur=7), (30, 20, 20), 0.5)
    tail = curve([(206, 396), (256, 392), (264, 346), (244, 304), (258, 268)])
    on.fill(on.line(tail, 24), FUR, SHADE, (216, 300, 284, 400))
    on.fill(on.ellipse(257, 267, 12, 13), CREAM)
    body = on.polygon(
        *curve(
            [(150, 190), (104, 256), (80, 340), (86, 408), (150, 416), (226, 408), (230, 340), (198, 256), (150, 190)]
        )
    )
    on.ball(body, FUR, SHADE, (128, 280), 150)
    for y, reach in ((288.0, 30), (318.0, 36), (348.0, 38)):
        for side in (-1, 1):
            outer = 150 + side * (64 + (y - 288) * 0.3)
            band = curve([(outer + side * 12, y - 8), (outer - side * reach / 2, y), (outer - side * reach, y + 10)])
            on.soft(both(on.line(band, 8), body), STRIPE, 0.85)
    on.ball(on.ellipse(151, 318, 33, 66), CREAM, (236, 206, 166), (146, 300), 84)
    for side in (-1, 1):
        on.ball(on.ellipse(150 + side * 58, 388, 34, 26), FUR, SHADE, (150 + side * 58 - 8, 372), 54)
        leg = on.box(150 + side * 22 - 14, 330, 28, 78, radius=13)
        on.fill(leg, (250, 180, 98), (204, 118, 54), (150 + side * 22 - 14, 0, 150 + side * 22 + 16, 0))
        on.ball(on.ellipse(150 + side * 24, 406, 20, 11), CREAM, (214, 184, 150), (146 + side * 24, 401), 26)
        for toe in (-6, 6):
            on.fill(on.line([(150 + side * 24 + toe, 404), (150 + side * 24 + toe, 413)], 1.6), (150, 104, 70))
    for side in (-1, 1):
        ear = ((150 + side * 72, 96), (150 + side * 64, 176), (150 + side * 18, 138))
        on.fill(on.polygon(*ear), FUR, SHADE, (86, 90, 214, 180))
        on.fill(on.polygon((150 + side * 66, 112), (150 + side * 60, 158), (150 + side * 34, 140)), (242, 150, 142))
    head = on.ellipse(150, 186, 74, 62)
    on.ball(head, (252, 184, 102), SHADE, (130, 164), 112)
    for x, low in ((-20, 150), (0, 156), (20, 150)):
        on.soft(both(on.line([(150 + x, 120), (150 + x * 0.8, low)], 8), head), STRIPE, 0.85)
    for side in (-1, 1):
        for y in (190.0, 206.0):
            stripe = curve([(150 + side * 78, y - 6), (150 + side * 62, y), (150 + side * 52, y + 2)])
            on.soft(both(on.line(stripe, 6), head), STRIPE, 0.8)
        on.ball(on.ellipse(150 + side * 17, 216, 22, 17), CREAM, (240, 214, 178), (146 + side * 17, 210), 28)
        eye = on.ellipse(150 + side * 30, 180, 15, 17)
        on.fill(eye, (40, 28, 20))
        on.ball(on.ellipse(150 + side * 30, 180, 13, 15), (196, 230, 96), (84, 140, 44), (148 + side * 30, 176), 20)
        on.fill(on.ellipse(150 + side * 30, 180, 5, 13), (18, 16, 14))
        on.fill(on.ellipse(146 + side * 30, 173, 3.4, 3.8), (255, 255, 255))
    on.fill(on.polygon((140, 201), (160, 201), (150, 212)), (226, 104, 110))
    mouth = curve([(130, 222), (142, 226), (150, 213), (158, 226), (170, 222)])
    on.fill(on.line(mouth, 2.4), (110, 56, 34))
    for side in (-1, 1):
        for rise in (-9, 0, 9):
            whisker = curve(
                [
                    (150 + side * 34, 216 + rise * 0.4),
                    (150 + side * 76, 212 + rise),
                    (150 + side * 104, 214 + rise * 1.7),
                ]
            )
            on.soft(on.line(whisker, 1.6), (255, 255, 255), 0.95)


def poster() -> Image.Image:
    """Return a page of large text with a chart of bars."""
    on = Sheet((250, 246, 236))
    ink, blue = (34, 40, 60), (24, 86, 148)
    on.fill(on.box(0, 0, SIDE, 92), (24, 86, 148), (18, 60, 108), (0, 0, 0, 92))
    on.write((224, 47), "SCHOOL GARDEN", 46, (255, 255, 255), "mm")
    on.write((28, 102), "Water used in one week", 29, ink)
    on.write((28, 138), "Thursday was the driest day.", 24, (88, 94, 112))
    base, left = 370.0, 66.0
    for litres in (0, 10, 20):
        y = base - 7.3 * litres
        on.fill(on.line([(left, y), (424, y)], 1.6), (196, 190, 176))
        on.write((left - 8, y), str(litres), 21, ink, "rm")
    on.write((left - 44, base - 7.3 * 25.4), "litres", 20, (88, 94, 112), "lm")
    days = (("Mon", 12, blue), ("Tue", 18, blue), ("Wed", 9, blue), ("Thu", 21, (214, 86, 40)), ("Fri", 15, blue))
    for at, (day, litres, colour) in enumerate(days):
        x, top = left + 16 + 70 * at, base - 7.3 * litres
        edge = tuple(round(0.72 * part) for part in colour)
        on.fill(on.box(x, top, 46, base - top), colour, (edge[0], edge[1], edge[2]), (x, 0, x + 46, 0))
        on.write((x + 23, top - 5), str(litres), 23, ink, "ms")
        on.write((x + 23, base + 10), day, 24, ink, "ma")
    on.fill(on.line([(left, base), (424, base)], 3), ink)
    on.write((224, 428), "Please close the tap!", 25, (180, 60, 24), "mm")
    return on.finished()


PICTURES: Final[dict[str, Callable[[], Image.Image]]] = {
    "lighthouse.jpg": lighthouse,
    "cat.jpg": cat,
    "poster.png": poster,
}


def main() -> None:
    """Draw all of them into the folder of what ships."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, draw in PICTURES.items():
        path = FOLDER / name
        if path.suffix == ".png":
            draw().quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)
        else:
            draw().save(path, quality=90, optimize=True, subsampling=0)
        if path.stat().st_size > MOST_BYTES:
            raise SystemExit(f"{name} has {path.stat().st_size:,} bytes, more than {MOST_BYTES:,}")


if __name__ == "__main__":
    main()
