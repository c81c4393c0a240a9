"""Pictures of pages, compared with those of the documentation."""

from __future__ import annotations

import os
from pathlib import Path

from PIL import Image, ImageChops

NOTICED = 48  # of 255: less is how a font is smoothed
TOLERATED = 0.01  # of the pixels


def compare(taken: Image.Image, path: Path) -> None:
    if os.environ.get("EINVOICE_NEW_GOLDEN"):
        # With fewer colours small things, such as those of a legend, get others.
        taken.quantize(256).save(path, optimize=True)
    golden = Image.open(path).convert("RGB")
    assert taken.size == golden.size
    difference = ImageChops.difference(taken, golden).convert("L").point(lambda v: v > NOTICED)
    changed = sum(difference.histogram()[1:]) / (taken.width * taken.height)
    assert changed <= TOLERATED, f"{changed:.1%} of the page looks different"
