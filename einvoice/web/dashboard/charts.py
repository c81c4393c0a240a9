"""Bar charts as SVG, drawn by the server. Pages show the same figures in a table, too.

A place on the ground line, such as a day, has one or several bars side by side, each of parts on
top of each other. Its text is shown when one points at it, and a press opens its address.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_CEILING, Decimal

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 720, 180, 40, 18, 8
MIN_HEIGHT = 3.0  # of a part that is not 0
MAX_STEPS = 4  # between the lines
_GAP = 2  # between places

Part = tuple[str, int | Decimal]  # the class that colours it, and its value


@dataclass(frozen=True, slots=True)
class Place:
    """The values at one place.

    day      below it
    text     its figures in words
    address  of the list that it counts; None: a press opens nothing
    bars     side by side, each of parts from the bottom up
    """

    day: date
    text: str
    address: str | None
    bars: Sequence[Sequence[Part]]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle of the drawing, with the class that colours it."""

    kind: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Group:
    """The drawing of a place: its boxes, and the whole area that is pointed at."""

    place: Place
    x: float
    width: float
    boxes: Sequence[Box]


@dataclass(frozen=True, slots=True)
class DayLabel:
    """A day below the ground line, and which part of the text is at x."""

    x: float
    day: date
    anchor: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing: groups, lines with their values, and days below."""

    groups: Sequence[Group]
    lines: Sequence[tuple[float, Decimal]]
    days: Sequence[DayLabel]
    width: int
    height: int = HEIGHT
    left: int = LEFT
    top: int = TOP
    ground: int = HEIGHT - BOTTOM


def bars(places: Sequence[Place], *, width: int = WIDTH, labels: int = 5) -> Chart:
    """The chart of these places, in their order. At least one is given.

    labels  how many of the days are named at most, but for one
    """
    most = Decimal(max(sum(v for _, v in bar) for place in places for bar in place.bars))
    step = step_of(most)
    top = max(step, (most / step).to_integral_value(ROUND_CEILING) * step)
    ground = HEIGHT - BOTTOM
    scale = (ground - TOP) / float(top)
    each = (width - LEFT) / len(places)
    groups = [
        Group(place, round(LEFT + number * each, 2), round(each, 2),
              _boxes(place, LEFT + number * each, each, scale))
        for number, place in enumerate(places)
    ]  # fmt: skip
    count = int(top / step)
    lines = [(round(ground - float(step * n) * scale, 2), step * n) for n in range(count + 1)]
    return Chart(groups, lines, _days(places, each, labels), width)


def step_of(most: Decimal) -> Decimal:
    """The distance between two lines: 1, 2 or 5 times a power of ten, at least 1.

    >>> [str(step_of(Decimal(most))) for most in (0, 3, 7, 45, 100, 201000)]
    ['1', '1', '2', '20', '50', '100000']
    """
    power = Decimal(1)
    while True:
        for factor in (1, 2, 5):
            if most <= factor * power * MAX_STEPS:
                return factor * power
        power *= 10


def _boxes(place: Place, x: float, width: float, scale: float) -> list[Box]:
    """The rectangles of a place."""
    found = []
    each = (width - _GAP) / len(place.bars)
    for number, parts in enumerate(place.bars):
        y = float(HEIGHT - BOTTOM)
        for kind, value in parts:
            if value <= 0:
                continue
            height = max(MIN_HEIGHT, float(value) * scale)
            y -= height
            left = x + _GAP / 2 + number * each
            found.append(
                Box(kind, round(left, 2), round(y, 2), round(each - 0.5, 2), round(height, 2))
            )
    return found


def _days(places: Sequence[Place], each: float, labels: int) -> list[DayLabel]:
    """Some of the days, the last one among them, whose text ends where its place does."""
    last = len(places) - 1
    every = max(1, len(places) // labels)
    return [
        DayLabel(
            round(LEFT + (number + (1.0 if number == last else 0.5)) * each, 2),
            place.day,
            "end" if number == last else "middle",
        )
        for number, place in enumerate(places)
        if (last - number) % every == 0
    ]
