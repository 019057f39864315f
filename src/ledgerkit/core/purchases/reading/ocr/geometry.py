"""Lines of a photograph made level: what stood on one line of the paper has one height again."""

from collections.abc import Sequence
from statistics import median

Point = tuple[float, float]
Corners = Sequence[Point]
"""Corners of a piece of text: top left, top right, bottom right, bottom left."""

_LEAST_PIECES = 4
_FLAT = 2.5
"""Ratio of width to height from which a piece of text shows the slope of its line."""


def levelled(pieces: Sequence[Corners]) -> list[tuple[int, int, int, int]]:
    """Return left, top, right and bottom of each piece, in pixels, after the slope of the lines is taken away.

    The slope of a line may depend on its height on the page, as in a photograph taken at an angle.
    """
    slope_at = _slopes([piece for piece in pieces if _width(piece) > _FLAT * _height(piece)])
    boxes = []
    for piece in pieces:
        (left_x, left_y), (right_x, right_y) = _middle(piece[0], piece[3]), _middle(piece[1], piece[2])
        middle_x, middle_y = (left_x + right_x) / 2, (left_y + right_y) / 2
        level_y = middle_y - slope_at(middle_y) * middle_x
        half = _height(piece) / 2
        boxes.append((round(left_x), round(level_y - half), round(right_x), round(level_y + half)))
    return boxes


class _Line:
    """Straight line through points, by Theil and Sen: half of the points may be anywhere."""

    def __init__(self, points: Sequence[Point]) -> None:
        slopes = [
            (y2 - y1) / (x2 - x1) for n, (x1, y1) in enumerate(points) for x2, y2 in points[n + 1 :] if abs(x2 - x1) > 1
        ]
        self._gradient = median(slopes) if slopes else 0.0
        self._offset = median(y - self._gradient * x for x, y in points) if points else 0.0

    def __call__(self, x: float) -> float:
        return self._offset + self._gradient * x


def _slopes(pieces: Sequence[Corners]) -> _Line:
    """Return the slope of a line of text by its height on the page, in pixels down for one to the right."""
    points = []
    for piece in sorted(pieces, key=_width)[-60:]:
        (left_x, left_y), (right_x, right_y) = _middle(piece[0], piece[3]), _middle(piece[1], piece[2])
        points.append(((left_y + right_y) / 2, (right_y - left_y) / max(right_x - left_x, 1.0)))
    if len(points) < _LEAST_PIECES:
        return _Line([(0.0, median(slope for _, slope in points))] if points else [])
    return _Line(points)


def _middle(first: Point, second: Point) -> Point:
    return (first[0] + second[0]) / 2, (first[1] + second[1]) / 2


def _width(piece: Corners) -> float:
    return abs(piece[1][0] - piece[0][0])


def _height(piece: Corners) -> float:
    return (abs(piece[3][1] - piece[0][1]) + abs(piece[2][1] - piece[1][1])) / 2
