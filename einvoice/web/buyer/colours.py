"""Colours of the buyer's page with the contrast that WCAG 2.2 AA requires.

Text on the tenant's colour is black or white; one of them always has enough contrast. The edge is
the tenant's colour, darkened or lightened until it can be distinguished from the background.

>>> on("#1f3a5f"), on("#ffd400")
('#ffffff', '#000000')
>>> edge("#1f3a5f", "#ffffff"), edge("#ffd400", "#ffffff")
('#1f3a5f', '#b09200')
"""

from __future__ import annotations

MIN_EDGE_CONTRAST = 3.0  # WCAG 1.4.11: non-text contrast


def contrast(one: str, other: str) -> float:
    """The contrast ratio: 1 (equal) to 21 (black and white)."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def on(colour: str) -> str:
    """Black or white, whichever has the higher contrast to the colour: at least 4.5."""
    return max("#ffffff", "#000000", key=lambda text: contrast(text, colour))


def edge(colour: str, ground: str) -> str:
    """The colour, changed as little as MIN_EDGE_CONTRAST to the background requires."""
    away = on(ground)
    for share in range(101):
        mixed = _mixed(colour, away, share / 100)
        if contrast(mixed, ground) >= MIN_EDGE_CONTRAST:
            return mixed
    return away


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(part / 255) for part in _parts(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)


def _mixed(colour: str, other: str, share: float) -> str:
    pairs = zip(_parts(colour), _parts(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def _parts(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
