"""The tenant sees how its invoices will look, and only its own look."""

from __future__ import annotations

from io import BytesIO

import pikepdf
import pytest

from einvoice.domain.roles import Role
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard

PREVIEW = "/api/tenant/branding/preview.pdf"


def language(content: bytes) -> str:
    with pikepdf.open(BytesIO(content)) as document:
        return str(document.Root.Lang)


def test_a_viewer_gets_the_sample_as_pdf(service) -> None:
    answer = Dashboard(service, role=Role.VIEWER).get(PREVIEW)

    assert (answer.status_code, answer.content_type) == (200, "application/pdf")
    assert answer.headers["Content-Disposition"] == 'inline; filename="preview.pdf"'
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert language(answer.data) == "en-GB"


def test_the_preview_has_the_branding_of_the_tenant(service) -> None:
    one, other = Dashboard(service), Dashboard(service)
    before = one.get(PREVIEW).data

    assert (
        one.patch("/api/tenant", {"colour": "#aa0000", "iban": "BE68539007547034"}).status_code
        == 200
    )

    assert one.get(PREVIEW).data != before
    assert b"%PDF" in other.get(PREVIEW).data


@pytest.mark.parametrize(
    ("country", "expected"), [("DE", "de-DE"), ("SE", "sv-SE"), ("NO", "en-NO")]
)
def test_the_buyer_s_country_determines_the_language(service, country, expected) -> None:
    assert language(Dashboard(service).get(f"{PREVIEW}?country={country}").data) == expected


@pytest.mark.parametrize("query", ["country=XX", "country=", "colour=%23ff0000"])
def test_an_invalid_query_is_refused(service, query) -> None:
    answer = Dashboard(service).get(f"{PREVIEW}?{query}")

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")


def test_an_api_key_is_not_a_person(service, caller: Caller) -> None:
    answer = caller.bearer("GET", PREVIEW)

    assert (answer.status_code, slug(answer)) == (401, "invalid-token")
