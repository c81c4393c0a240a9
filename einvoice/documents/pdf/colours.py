"""Derives the colours of the page from the tenant's colour, with the contrast of WCAG AA.

>>> of("#ffdd00")["accent"]
'#877500'
>>> of("#0b5fff")["accent"]
'#0b5fff'
"""

from __future__ import annotations

from typing import Final

READABLE: Final = 4.5  # WCAG 2.2, contrast of text
_TINT: Final = 0.07


def of(colour: str) -> dict[str, str]:
    """The accent for text and lines, and a light tint for areas behind dark text."""
    return {"accent": _hex(_readable(_rgb(colour))), "tint": _hex(_tinted(_rgb(colour)))}


RGB = tuple[float, float, float]


def _rgb(colour: str) -> RGB:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue


def _hex(rgb: RGB) -> str:
    return "#" + "".join(f"{round(part * 255):02x}" for part in rgb)


def _tinted(rgb: RGB) -> RGB:
    red, green, blue = (1 - _TINT * (1 - part) for part in rgb)
    return red, green, blue


def _readable(rgb: RGB) -> RGB:
    """The colour, darkened until its contrast on white is READABLE."""
    while contrast_on_white(rgb) < READABLE:
        red, green, blue = (part * 0.97 for part in rgb)
        rgb = red, green, blue
    return rgb


def contrast_on_white(rgb: RGB) -> float:
    red, green, blue = (_linear(part) for part in rgb)
    return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
