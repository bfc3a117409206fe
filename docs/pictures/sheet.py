"""A sheet on which a picture is drawn from masks and colours, at a multiple of its size."""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

SIDE: Final = 448
TIMES: Final = 4

Point = tuple[float, float]
Colour = tuple[int, int, int]
Box = tuple[float, float, float, float]


class Sheet:
    """A square sheet in units of the finished picture's pixels, drawn at `TIMES` that size."""

    def __init__(self, ground: Colour = (255, 255, 255)) -> None:
        self.image = Image.new("RGB", (SIDE * TIMES, SIDE * TIMES), ground)

    def mask(self, draw: Callable[[ImageDraw.ImageDraw], object], blur: float = 0) -> Image.Image:
        """Return what `draw` fills with 255."""
        mask = Image.new("L", self.image.size, 0)
        draw(ImageDraw.Draw(mask))
        return mask.filter(ImageFilter.GaussianBlur(blur * TIMES)) if blur else mask

    def fill(self, mask: Image.Image, first: Colour, last: Colour | None = None, along: Box = (0, 0, 0, SIDE)) -> None:
        """Colour a mask, from `first` to `last` along a line from (x, y) to (x, y)."""
        self.image.paste(first if last is None else self._gradient(first, last, along), (0, 0), mask)

    def soft(self, mask: Image.Image, colour: Colour, share: float) -> None:
        """Colour a mask with a share of its strength, as a shadow or a light."""
        self.image.paste(colour, (0, 0), mask.point([round(share * value) for value in range(256)]))

    def ball(self, mask: Image.Image, light: Colour, dark: Colour, centre: Point, reach: float) -> None:
        """Colour a mask as a round body whose lightest place is `centre`, and darkest `reach` away."""
        y, x = np.mgrid[: self.image.height, : self.image.width] / TIMES
        share = np.clip(np.hypot(x - centre[0], y - centre[1]) / reach, 0, 1) ** 1.5
        self.image.paste(_mixed(share, light, dark), (0, 0), mask)

    def _gradient(self, first: Colour, last: Colour, along: Box) -> Image.Image:
        x0, y0, x1, y1 = along
        y, x = np.mgrid[: self.image.height, : self.image.width] / TIMES
        length = (x1 - x0) ** 2 + (y1 - y0) ** 2
        return _mixed(np.clip(((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length, 0, 1), first, last)

    def polygon(self, *points: Point, blur: float = 0) -> Image.Image:
        """Return the mask of a polygon."""
        return self.mask(lambda on: on.polygon([_scaled(point) for point in points], fill=255), blur)

    def ellipse(self, x: float, y: float, across: float, down: float, blur: float = 0) -> Image.Image:
        """Return the mask of an ellipse by its centre and its half axes."""
        box = _box((x - across, y - down, x + across, y + down))
        return self.mask(lambda on: on.ellipse(box, fill=255), blur)

    def dome(self, x: float, y: float, across: float, up: float) -> Image.Image:
        """Return the mask of the upper half of an ellipse by its centre and its half axes."""
        box = _box((x - across, y - up, x + across, y + up))
        return self.mask(lambda on: on.pieslice(box, 180, 360, fill=255))

    def box(self, x: float, y: float, width: float, height: float, radius: float = 0, blur: float = 0) -> Image.Image:
        """Return the mask of a rectangle, with round corners."""
        place = _box((x, y, x + width, y + height))
        return self.mask(lambda on: on.rounded_rectangle(place, radius * TIMES, fill=255), blur)

    def line(self, points: Sequence[Point], width: float, blur: float = 0) -> Image.Image:
        """Return the mask of a line with round joints and ends."""

        def draw(on: ImageDraw.ImageDraw) -> None:
            on.line([_scaled(point) for point in points], fill=255, width=round(width * TIMES))
            for x, y in points:  # pillow's own joints have gaps in thick curves
                on.ellipse(_box((x - width / 2, y - width / 2, x + width / 2, y + width / 2)), fill=255)

        return self.mask(draw, blur)

    def write(self, at: Point, text: str, size: float, colour: Colour, anchor: str = "la") -> None:
        """Write in the font that pillow brings."""
        font = ImageFont.load_default(size * TIMES)
        ImageDraw.Draw(self.image).text(_scaled(at), text, colour, font, anchor)

    def finished(self) -> Image.Image:
        """Return the picture at its own size."""
        return self.image.resize((SIDE, SIDE), Image.Resampling.LANCZOS)


def _scaled(point: Point) -> Point:
    return point[0] * TIMES, point[1] * TIMES


def _box(box: Box) -> Box:
    x0, y0, x1, y1 = (TIMES * value for value in box)
    return x0, y0, x1, y1


def _mixed(share: np.ndarray, first: Colour, last: Colour) -> Image.Image:
    mixed = np.array(first) + share[..., None] * (np.array(last) - np.array(first))
    return Image.fromarray(mixed.round().astype(np.uint8))


def both(one: Image.Image, other: Image.Image) -> Image.Image:
    """Return what is in both masks."""
    return ImageChops.multiply(one, other)


def curve(points: Sequence[Point], steps: int = 24) -> list[Point]:
    """Return a smooth line through points (Catmull-Rom)."""
    ends = [points[0], *points, points[-1]]
    found: list[Point] = []
    for a, b, c, d in zip(ends, ends[1:], ends[2:], ends[3:], strict=False):
        for step in range(steps):
            t = step / steps
            x, y = (
                0.5 * (2 * b[i] + (c[i] - a[i]) * t + (2 * a[i] - 5 * b[i] + 4 * c[i] - d[i]) * t**2)
                + 0.5 * (3 * b[i] - a[i] - 3 * c[i] + d[i]) * t**3
                for i in (0, 1)
            )
            found.append((x, y))
    return [*found, points[-1]]
