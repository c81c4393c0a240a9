"""`GET /v1/compliance/countries` (decisions 15)."""

from __future__ import annotations

import pytest

from tests.web.caller import Caller, slug

PATH = "/v1/compliance/countries"


@pytest.fixture
def ask(caller: Caller):
    def _ask(query: str = "", **headers: str):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        given = {"Authorization": f"Bearer {caller.key}"} | named
        return caller.client.get(f"{PATH}{query}", headers=given)

    return _ask


def mandates(answer) -> dict[str, dict]:
    return {m["mandateId"]: m for item in answer.json["items"] for m in item["mandates"]}


def test_every_country_is_listed_by_code(ask):
    answer = ask()
    codes = [item["countryCode"] for item in answer.json["items"]]

    assert answer.status_code == 200
    assert codes == sorted(codes)
    assert len(codes) >= 64
    assert answer.json["provider"] == "eInvoice"


def test_a_mandate_has_the_documented_members(ask):
    """Those of decisions 15, voluntary and confidence; unknown values are null."""
    reported = mandates(ask("?countryCode=BE"))["BE-B2B-PEPPOL"]

    assert reported == reported | {
        "type": "B2B",
        "status": "in-force",
        "voluntary": False,
        "effectiveDate": "2026-01-01",
        "network": "peppol",
        "formats": ["Peppol BIS Billing 3.0"],
        "schemes": ["0208", "9925"],
        "supported": True,
        "checkedAt": "2026-08-22",
        "confidence": reported["confidence"],
    }
    assert reported["sourceUrl"].startswith("https://")
    assert len(reported) == 13


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("?countryCode=RO", {"RO-B2G-RO-EFACTURA", "RO-B2B-RO-EFACTURA"}),
        ("?countryCode=FR&network=fr-ctc", {"FR-B2B-FR-CTC"}),
        ("?network=ksef", {"PL-B2G-KSEF", "PL-B2B-KSEF"}),
        ("?countryCode=FR&network=ksef", set()),
        ("?countryCode=ZZ", set()),
        ("?network=no-such-network", set()),
    ],
)
def test_filters_narrow_countries_and_mandates(ask, query, expected):
    """Without a match the list is empty; countries without a matching mandate are left out."""
    answer = ask(query)

    assert set(mandates(answer)) == expected
    assert all(item["mandates"] for item in answer.json["items"])


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("?countryCode=be", "/countryCode"),
        ("?countryCode=BEL", "/countryCode"),
        ("?network=Peppol", "/network"),
        ("?land=BE", "/land"),
    ],
)
def test_a_wrong_filter_is_named(ask, query, pointer):
    answer = ask(query)

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")
    assert [error["pointer"] for error in answer.json["errors"]] == [pointer]


def test_a_mandate_without_an_access_point_is_not_supported(ask):
    """Romania's network needs a plugin; the Netherlands have no B2B mandate."""
    reported = mandates(ask())

    assert reported["RO-B2B-RO-EFACTURA"]["supported"] is False
    assert reported["NL-B2B"]["supported"] is False
    assert reported["NL-B2G-PEPPOL"]["supported"] is True
    assert {
        name: reported[f"{name}-B2B-PEPPOL"]["supported"] for name in ("AE", "OM", "SK", "JP")
    } == {"AE": True, "OM": True, "SK": True, "JP": False}


def test_the_response_is_cacheable_for_a_day_and_revalidated(ask):
    """304 by ETag, with rate limit headers; another query has another ETag."""
    first = ask()
    tag = first.headers["ETag"]
    again = ask(If_None_Match=tag)
    other = ask("?countryCode=BE", If_None_Match=tag)

    assert "max-age=86400" in first.headers["Cache-Control"]
    assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
    assert "max-age=86400" in again.headers["Cache-Control"]
    assert "X-RateLimit-Remaining" in again.headers
    assert (other.status_code, other.headers["ETag"] != tag) == (200, True)
    assert ask().headers["ETag"] == tag


def test_it_requires_a_credential_of_programs(caller):
    """The route takes the same credentials as the rest of /v1 (decisions 19.11, 20.4)."""
    answer = caller.client.get(PATH)
    by_header = caller.get(PATH)

    assert (answer.status_code, slug(answer)) == (401, "token-required")
    assert by_header.status_code == 200
