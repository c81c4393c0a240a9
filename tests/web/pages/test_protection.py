"""What protects every page: forms of this session, roles, headers, and pages that are not kept."""

from __future__ import annotations

import re

import pytest

from einvoice.domain.roles import Role
from einvoice.web import credentials
from einvoice.web.api import Family
from einvoice.web.dashboard import csrf, overview, pages
from einvoice.web.dashboard.forms import MAX_PARTS
from einvoice.web.dashboard.pages import LEAST, Pages
from einvoice.web.dashboard.words import words_of
from tests.web.pages.visitor import Visitor, titles


def families(app):
    return [each for each in app.blueprints.values() if isinstance(each, Pages)]


def rules(app, method):
    """The addresses of people's pages with this method, without places for ids."""
    names = {each.name for each in families(app) if each.credential is not credentials.public}
    return [
        rule.rule
        for rule in app.url_map.iter_rules()
        if rule.endpoint.partition(".")[0] in names and method in (rule.methods or ())
    ]


def filled(rule: str) -> str:
    """The address with the first of its alternatives, and an id that nothing has."""
    chosen = re.sub(r"<any\((\w+)[^>]*>", r"\1", rule)
    return re.sub(r"<[^>]+>", "0193a1c2-0000-7000-8000-000000000000", chosen)


@pytest.fixture
def visitor(app):
    return Visitor(app)


def test_every_page_needs_a_login(app):
    client = app.test_client()
    for rule in rules(app, "GET"):
        answer = client.get(filled(rule))
        assert (answer.status_code, answer.headers["Location"].partition("?")[0]) == (
            303, "/dashboard/login",
        ), rule  # fmt: skip


@pytest.mark.parametrize(
    ("given", "headers"),
    [
        ("", {}),
        ("wrong", {}),
        ("A" * 44, {}),
        ("right", {"Sec-Fetch-Site": "cross-site"}),
        ("right", {"Sec-Fetch-Site": "same-site"}),
        ("right", {"Origin": "https://evil.example"}),
        ("of another session", {}),
    ],
)
def test_a_form_that_is_not_of_this_session_is_refused(app, visitor, given, headers):
    """Every page that changes something, before it looks at anything else."""
    if given == "right":
        given = csrf.token_of(visitor.client.get_cookie("einvoice").value)
    elif given == "of another session":
        given = csrf.token_of(Visitor(app).client.get_cookie("einvoice").value)
    for rule in rules(app, "POST"):
        answer = visitor.client.post(filled(rule), data={"csrf": given}, headers=headers)
        assert answer.status_code == 403, rule
        assert "belongs to an earlier session" in answer.text
    assert rules(app, "POST")


def test_the_token_of_the_page_is_one_and_differs_each_time(visitor):
    found = {
        re.search('name="csrf" content="([^"]+)"', visitor.get("/dashboard").text)[1]
        for _ in range(3)
    }
    answers = [visitor.client.post("/dashboard/preferences", data={"csrf": each}) for each in found]

    assert len(found) == 3
    assert [answer.status_code for answer in answers] == [303, 303, 303]


def test_every_page_of_people_has_a_role(app):
    people = {each.name for each in families(app) if each.credential is pages.person}
    endpoints = {
        rule.endpoint
        for rule in app.url_map.iter_rules()
        if rule.endpoint.partition(".")[0] in people
    }

    assert endpoints
    assert endpoints == LEAST.keys()


def test_a_page_without_a_role_cannot_be_declared():
    family = Pages("dashboard_test", __name__, "/dashboard/test")
    with pytest.raises(TypeError):
        family.page("/x")
    with pytest.raises(TypeError):
        Pages("other", __name__, "/x", credential=pages.logged_in).page("/y", least=Role.VIEWER)


def test_a_role_that_is_too_low_is_neither_offered_nor_answered(app):
    viewer = Visitor(app, role=Role.VIEWER)
    for endpoint, least in LEAST.items():
        for rule in app.url_map.iter_rules(endpoint):
            if least <= Role.VIEWER or "GET" not in (rule.methods or ()):
                continue
            answer = viewer.get(filled(rule.rule))
            assert answer.status_code == 403, rule
            assert f'href="{filled(rule.rule)}"' not in viewer.get("/dashboard").text


@pytest.mark.parametrize(
    ("language", "title", "detail"),
    [
        ("en", "Your role is not sufficient", "the role “Member”; yours is “Viewer”"),
        ("de", "Ihre Rolle reicht nicht aus", "die Rolle „Mitglied“; Ihre ist „Lesend“"),
    ],
)
def test_a_role_that_is_too_low_is_named_in_the_language_of_the_page(app, language, title, detail):
    viewer = Visitor(app, role=Role.VIEWER)
    answer = viewer.get("/dashboard/invoices/new", Accept_Language=language)

    assert answer.status_code == 403
    assert titles(answer) == [title]
    assert detail in answer.text


@pytest.mark.parametrize("path", ["/dashboard", "/dashboard/login", "/dashboard/logged-out"])
def test_pages_are_not_kept_framed_or_mixed_with_other_hosts(visitor, path):
    headers = visitor.get(path).headers

    assert headers["Cache-Control"] == "no-store"
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


def test_pages_have_no_inline_script_or_style(visitor):
    page = visitor.get("/dashboard").text

    assert re.findall(r"<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=|javascript:", page) == []


def test_assets_are_kept_for_a_year_under_the_name_of_their_content(visitor):
    page = visitor.get("/dashboard").text
    found = set(re.findall(r'(?:src|href)="(/dashboard/assets/[^"#]+)', page))

    assert len(found) == 4
    for address in found:
        answer = visitor.get(address)
        assert answer.status_code == 200
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert visitor.get(address.replace("/assets/", "/assets/0")).status_code == 404


def test_the_first_load_is_at_most_30_kib(visitor):
    page = visitor.get("/dashboard").text
    found = set(re.findall(r'(?:src|href)="(/dashboard/assets/[^"#]+)', page))
    sizes = [len(visitor.get(each, Accept_Encoding="gzip").data) for each in ["/dashboard", *found]]

    assert len(sizes) == 5
    assert sum(sizes) <= 30 * 1024


@pytest.mark.parametrize("path", ["/dashboard/nothing", "/dashboard/invoices/x/y/z"])
def test_an_address_without_a_page_is_not_found(visitor, path):
    assert visitor.get(path).status_code == 404


def test_a_fault_of_ours_is_a_page_with_the_id_of_its_request(app, monkeypatch):
    """It says nothing of the cause."""

    def broken(*_, **__):
        raise RuntimeError("secret cause")

    visitor = Visitor(app)
    monkeypatch.setattr(overview.usage, "days", broken)
    answer = visitor.get("/dashboard")

    assert answer.status_code == 500
    assert titles(answer) == ["An error of this service"]
    assert answer.headers["X-Request-Id"] in answer.text
    assert "secret cause" not in answer.text


def test_the_language_is_the_browser_s_until_one_is_chosen(visitor):
    assert titles(visitor.get("/dashboard", Accept_Language="sv,en;q=0.5")) == ["Översikt"]
    visitor.post("/dashboard/preferences", {"language": "fr", "back": "/dashboard"})
    assert titles(visitor.get("/dashboard", Accept_Language="sv")) == ["Vue d’ensemble"]
    visitor.post("/dashboard/preferences", {"language": "xx"})
    assert titles(visitor.get("/dashboard", Accept_Language="sv")) == ["Vue d’ensemble"]


def test_a_chosen_language_is_there_after_the_next_login(app, visitor):
    """In this browser, also on the pages before the login; one that there is not is ignored."""
    visitor.post("/dashboard/preferences", {"language": "ro"})
    visitor.post("/dashboard/logout")
    before = visitor.get("/dashboard/login", Accept_Language="sv")
    visitor.get(visitor.link)
    after = titles(visitor.get("/dashboard", Accept_Language="sv"))
    other = Visitor(app)
    other.client.set_cookie("einvoice-language", "xx")

    assert '<html lang="ro">' in before.text
    assert after == [words_of("ro")["nav.overview"]]
    assert titles(other.get("/dashboard", Accept_Language="sv")) == ["Översikt"]


@pytest.mark.parametrize(
    ("chosen", "tags", "used"),
    [
        (None, "en-GB,de;q=0.5", "en-GB"),
        ("en", "de-AT,en-GB;q=0.5,en-US;q=0.4", "en-GB"),
        ("de", "en-GB,de-AT;q=0.5", "de-AT"),
        ("fr", "de-CH", "fr"),
    ],
)
def test_dates_and_amounts_are_those_of_the_browser_s_region(visitor, chosen, tags, used):
    """For the language of the page, whether it was chosen or not."""
    if chosen:
        visitor.post("/dashboard/preferences", {"language": chosen})
    page = visitor.get("/dashboard", Accept_Language=tags)

    assert f'<html lang="{used}">' in page.text


def test_the_environment_is_chosen_once_and_an_address_may_name_another(visitor):
    def is_sandbox(address: str) -> bool:
        return '<aside class="sandbox"' in visitor.get(address).text

    before = is_sandbox("/dashboard")
    visitor.post("/dashboard/preferences", {"environment": "live"})

    assert before
    assert not is_sandbox("/dashboard")
    assert is_sandbox("/dashboard?environment=test")
    assert not is_sandbox("/dashboard?environment=nowhere")


def test_a_notice_is_one_of_ours(visitor):
    assert "Saved." in visitor.get("/dashboard?notice=saved").text
    for other in ("<b>x</b>", "nothing", "../nav.overview"):
        page = visitor.client.get("/dashboard", query_string={"notice": other})
        assert 'role="status"' not in page.text


@pytest.mark.parametrize(("count", "status"), [(MAX_PARTS, 303), (MAX_PARTS + 1, 413)])
def test_a_form_has_a_bounded_number_of_fields(visitor, count, status):
    fields = {"environment": "live"} | {f"x.{number}": "1" for number in range(count - 2)}

    assert visitor.post("/dashboard/preferences", fields).status_code == status


def test_families_of_pages_are_not_in_the_api_s_document(app):
    for each in app.blueprints.values():
        if isinstance(each, Family) and each.name.startswith("dashboard_"):
            assert each.undocumented
    document = app.test_client().get("/openapi.json").json
    assert [path for path in document["paths"] if path.startswith("/dashboard")] == []


@pytest.mark.parametrize(
    ("address", "page"),
    [
        ("/dashboard/invoices/a-b/share", "/dashboard/invoices/a-b"),
        ("/dashboard/invoices/new/check", "/dashboard/invoices/new"),
        ("/dashboard/developers/keys/a-b/rotate", "/dashboard/developers/keys"),
        ("/dashboard/logout", "/dashboard"),
    ],
)
def test_the_address_of_a_form_leads_to_the_page_above_it(visitor, address, page):
    """It stays in the browser when a form is refused or shows a secret."""
    answer = visitor.get(address)

    assert (answer.status_code, answer.headers["Location"]) == (303, page)


@pytest.mark.parametrize("address", ["/dashboard", "/api/customers/import"])
def test_other_methods_that_an_address_does_not_take_are_refused(visitor, address):
    answer = visitor.client.put(address)

    assert answer.status_code == 405
    assert answer.json["type"].endswith("/errors/method-not-allowed")


@pytest.mark.parametrize(
    ("address", "as_page"),
    [
        ("/dashboard/nothing", True),
        ("/dashboard/nothing/", True),
        ("/api/dashboard/nothing", False),
        ("/nothing", False),
    ],
)
def test_an_address_without_a_page_is_a_page_only_below_the_dashboard(app, address, as_page):
    answer = app.test_client().get(address)

    assert answer.status_code == 404
    if as_page:
        assert "There is no page at this address." in answer.text
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Content-Security-Policy"]
    else:
        assert answer.json["type"].endswith("/errors/not-found")
