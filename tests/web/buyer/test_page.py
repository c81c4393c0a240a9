"""The buyer's page in a real browser: how it looks, that it is accessible, what it asks for.

After a change of looks that is meant: `EINVOICE_NEW_GOLDEN=1 pytest tests/web/buyer/test_page.py`,
then look at the pictures before you keep them.
"""

from __future__ import annotations

import io
from contextlib import contextmanager
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from tests.browser import accessibility, serving, visiting
from tests.web.buyer.pictures import compare
from tests.web.buyer.shop import Shop, encoded

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"
DESKTOP, PHONE = {"width": 1024, "height": 720}, {"width": 390, "height": 720}
LOOKS = {
    "desktop": {"viewport": DESKTOP},
    "phone": {"viewport": PHONE, "device_scale_factor": 2},
    "dark": {"viewport": DESKTOP, "color_scheme": "dark"},
}

pytestmark = pytest.mark.parametrize("build", ["sqlite"], indirect=True)


def logo() -> str:
    """A dark logo with a transparent background, the difficult case on a dark page."""
    image = Image.new("RGBA", (360, 96), (0, 0, 0, 0))
    draw = ImageDraw.Draw(image)
    draw.ellipse((4, 4, 92, 92), fill="#0b6e4f")
    draw.rectangle((116, 26, 352, 46), fill="#0b2f24")
    draw.rectangle((116, 56, 288, 68), fill="#0b6e4f")
    content = io.BytesIO()
    image.save(content, "PNG")
    return encoded(content.getvalue())


@pytest.fixture(scope="module")
def shop(service) -> Shop:
    return Shop(service, colour="#0b6e4f", logo=logo(), logoType="image/png")


@pytest.fixture(scope="module")
def origin(service):
    with serving(service) as address:
        yield address


@pytest.fixture(scope="module")
def visit(browser, origin):
    """`with visit(token, **context) as one`: a browser's page on a link."""

    @contextmanager
    def _visit(token: str, **context: object):
        with visiting(browser, origin, **({"locale": "en-GB"} | context)) as one:
            one.page.goto(f"{origin}/api/invoices/view/{token}")
            yield one

    return _visit


@pytest.mark.parametrize("look", LOOKS)
def test_the_page_looks_as_it_was_judged_to(visit, shop, look):
    token = shop.link(number="2026-0417", supplier_name="Acme NV", environment="live")
    with visit(token, **LOOKS[look]) as one:
        taken = Image.open(io.BytesIO(one.page.screenshot())).convert("RGB")

    assert one.said == []
    assert [asked for asked in one.asked if not asked.startswith("data:")] == [one.page.url]
    compare(taken, GOLDEN / f"{look}.png")


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("page", ["invoice", "sandbox", "bright", "gone"])
def test_the_page_has_no_accessibility_violation(visit, service, shop, page, look):
    """By all rules of axe-core."""
    token = {
        "invoice": lambda: shop.link(environment="live"),
        "sandbox": lambda: shop.link(number="RE-" + "2026-" * 18, supplier_name="شركة الخليج"),
        "bright": lambda: Shop(service, colour="#ffd400").link(),
        "gone": lambda: "x",
    }[page]()
    with visit(token, **LOOKS[look]) as one:
        wrong, passed = accessibility(one.page, iframes=True)

    assert wrong == []
    assert {"color-contrast", "document-title", "html-has-lang"} <= passed


def test_the_download_can_be_focused_by_keyboard(visit, shop):
    with visit(shop.link()) as one:
        one.page.keyboard.press("Tab")
        focused = one.page.evaluate(
            "() => [document.activeElement.className,"
            " getComputedStyle(document.activeElement).outlineStyle]"
        )

    assert focused == ["download", "solid"]


@pytest.mark.parametrize("width", [320, 390, 1024])
def test_nothing_is_cut_off_or_scrolls_sideways(visit, shop, width):
    """WCAG 1.4.10: 320 points are enough, also for a number of 100 characters in one word."""
    token = shop.link(number="9" * 100, supplier_name="Donaudampfschifffahrtsgesellschaft" * 3)
    with visit(token, viewport={"width": width, "height": 700}, locale="de") as one:
        widths = one.page.evaluate(
            "() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )

    assert widths[0] <= widths[1]


def test_print_has_no_button_and_no_dark_mode(visit, shop):
    with visit(shop.link(), color_scheme="dark") as one:
        one.page.emulate_media(media="print")
        shown = one.page.evaluate(
            "() => [getComputedStyle(document.querySelector('.download')).display,"
            " getComputedStyle(document.querySelector('main')).backgroundColor,"
            " getComputedStyle(document.querySelector('dd')).color]"
        )

    assert shown == ["none", "rgb(255, 255, 255)", "rgb(0, 0, 0)"]
