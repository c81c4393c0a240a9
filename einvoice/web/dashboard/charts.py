"""Bar charts as SVG, drawn by the server. Pages show the same figures in a table, too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from einvoice.services.account.usage import UsageDay

WIDTH, HEIGHT, LEFT, BOTTOM = 720, 180, 36, 18
_GAP = 2  # between bars


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: the day below it, and its parts from the bottom up, each a class and a count."""

    day: date
    parts: Sequence[tuple[str, int]]

    @property
    def total(self) -> int:
        return sum(count for _, count in self.parts)


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle of the drawing, with the class that colours it."""

    kind: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing of WIDTH × HEIGHT: boxes, lines with their values, and days below."""

    boxes: Sequence[Box]
    lines: Sequence[tuple[float, int]]
    days: Sequence[tuple[float, date]]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT


def of_day(day: UsageDay) -> Bar:
    """The bar of a day of usage, in the classes of the legend."""
    counts = (day.delivered, day.processing, day.failed, day.received)
    return Bar(day.day, list(zip(("good", "note", "bad", "plain-bar"), counts, strict=True)))


def bars(given: Sequence[Bar]) -> Chart:
    """The chart of these bars, in their order. At least one is given."""
    top = _top(max(bar.total for bar in given))
    ground = HEIGHT - BOTTOM
    step = (WIDTH - LEFT) / len(given)
    boxes = []
    for place, bar in enumerate(given):
        y = float(ground)
        for kind, count in bar.parts:
            height = count / top * (ground - 10)
            y -= height
            if count:
                boxes.append(
                    Box(kind, round(LEFT + place * step + _GAP / 2, 2), round(y, 2),
                        round(step - _GAP, 2), round(height, 2))
                )  # fmt: skip
    lines = [(round(ground - part * (ground - 10), 2), int(top * part)) for part in (0, 0.5, 1)]
    days = [
        (round(LEFT + (place + 0.5) * step, 2), bar.day)
        for place, bar in enumerate(given)
        if place % max(1, len(given) // 5) == 0
    ]
    return Chart(boxes, lines, days)


def _top(most: int) -> int:
    """The value of the highest line: 2, 4 or 10 times a power of ten, at least 2.

    >>> [_top(most) for most in (0, 2, 3, 5, 41, 1000)]
    [2, 2, 4, 10, 100, 1000]
    """
    power = 1
    while True:
        for factor in (2, 4, 10):
            if most <= factor * power:
                return factor * power
        power *= 10
