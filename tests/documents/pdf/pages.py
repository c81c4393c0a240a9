"""The golden pages: small grey images for comparison. `make golden` draws them again.

Two renderings of the same page may differ at the edges of letters; a changed page differs in larger
areas. So both are scaled down before they are compared, and a few pixels may differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Final

from PIL import Image, ImageChops

from einvoice.documents import pdf
from einvoice.documents.pdf import engine
from tests.documents.pdf.samples import GOLDEN

FOLDER: Final = Path(__file__).parent / "golden"
PPI: Final = 60
_COARSE: Final = 2  # pixels in each direction that are compared as one
_NOTICEABLE: Final = 40  # of 255
FEW: Final = 0.0002  # the share of pixels that may differ noticeably: about 17 of a page


def pages() -> Iterator[tuple[str, Image.Image]]:
    """Each golden page as the current code draws it."""
    for name, (invoice, branding, _) in GOLDEN.items():
        drawn = engine.page_images(pdf.content(invoice, branding), branding.logo, PPI)
        for number, png in enumerate(drawn, 1):
            yield f"{name}-{number}", Image.open(BytesIO(png)).convert("L")


def difference(one: Image.Image, other: Image.Image) -> float:
    """The share of pixels that differ noticeably; 1 if the sizes differ."""
    if one.size != other.size:
        return 1.0
    size = (one.width // _COARSE, one.height // _COARSE)
    coarse = [image.resize(size, Image.Resampling.BOX) for image in (one, other)]
    counts = ImageChops.difference(*coarse).histogram()
    return sum(counts[_NOTICEABLE:]) / sum(counts)


def draw() -> None:
    """Write the golden pages; look at them before you commit them."""
    for old in FOLDER.glob("*.png"):
        old.unlink()
    for name, picture in pages():
        picture.quantize(16).save(FOLDER / f"{name}.png", optimize=True)


if __name__ == "__main__":
    draw()
