"""The preview of a mail in a browser: it loads and runs nothing, whatever a tenant writes."""

import pytest

import einvoice_loopback
from tests.browser import serving, visiting
from tests.networks.mail.conftest import Mails
from tests.web.pages.visitor import Visitor

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
HOSTILE = (
    '<img src="https://outside.example/pixel.gif"><script>document.title = "run"</script>\n\n'
    '<style>body { background: url(https://outside.example/b.gif) }</style>{link} &amp; "{buyer}"'
)


@pytest.fixture
def service(make_app, plugin):
    app = make_app(plugins=[einvoice_loopback, plugin])
    with app.app_context():
        yield Mails.of(app)


def test_the_html_of_a_mail_is_seen_as_text_and_loads_nothing(browser, service):
    """The page's policy holds in the frame, and the browser has nothing to say about it."""
    link = Visitor(service.client.application, service.tenant, log_in=False).link
    with (
        serving(service.client.application) as origin,
        visiting(browser, origin, locale="en-GB") as one,
    ):
        one.page.goto(origin + link)
        one.page.goto(f"{origin}/dashboard/settings/mail")
        one.page.locator("textarea[name=text]").fill(HOSTILE)
        one.page.get_by_role("button", name="Preview").click()
        one.page.wait_for_selector("#preview iframe")
        letter = one.page.frame_locator("#preview iframe").locator("body")
        text = letter.inner_text()
        links = letter.locator("a").evaluate_all("all => all.map(each => each.href)")
        loading = letter.locator("img, script, style, link, iframe, object").count()
        title, height = one.page.title(), letter.bounding_box()["height"]

    assert '<img src="https://outside.example/pixel.gif"><script>' in text
    assert "Example Buyer" in text
    assert loading == 0
    assert "run" not in title
    assert height > 20
    assert ["/api/invoices/view/" in each for each in links] == [True]
    assert one.outside == []
    assert one.said == []
