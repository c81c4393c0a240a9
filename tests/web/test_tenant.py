"""The account's profile: what it changes for sends and on paper, and what it refuses."""

from __future__ import annotations

import struct
import zlib

import pytest

from einvoice.domain.branding import Branding
from einvoice.domain.images import Image, read_image
from einvoice.domain.roles import Role
from einvoice.services.account import profile, tenants
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard

IBAN = "BE68539007547034"


def png(width: int = 2, height: int = 2, extra: bytes = b"") -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        checksum = struct.pack(">I", zlib.crc32(name + data))
        return struct.pack(">I", len(data)) + name + data + checksum

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress(b"".join(b"\0" + b"\x10\x20\x30" * width for _ in range(height)))
    body = chunk(b"IHDR", head) + chunk(b"tEXt", b"a\0" + extra) + chunk(b"IDAT", rows)
    return b"\x89PNG\r\n\x1a\n" + body + chunk(b"IEND", b"")


JPEG = (
    b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
    b"\xff\xc0\x00\x11\x08\x00\x05\x00\x07\x03\x01\x22\x00\x02\x11\x01\x03\x11\x01"
    b"\xff\xda\x00\x0c\x03\x01\x00\x02\x11\x03\x11\x00\x3f\x00\x00\xff\xd9"
)


@pytest.fixture
def ann(service) -> Dashboard:
    return Dashboard(service, role=Role.ADMIN)


_CHOICE = {"supplierCountry": "BE", "buyerCountry": "BE", "network": "peppol"}


def test_a_new_account_has_a_name_and_nothing_else(ann):
    reported = ann.get("/api/tenant").json
    unset = ("displayName", "colour", "logo", "iban", "bic", "accountName", "website", "email",
             "phone")  # fmt: skip

    assert reported["tenantId"] == ann.tenant
    assert [reported[name] for name in unset] == [None] * len(unset)
    assert reported["addressLines"] == []
    assert reported["networkChoices"] == []
    for switch in ("strictIdempotency", "rejectDuplicateNumbers", "embedPdf"):
        assert reported[switch] is False


def test_a_change_is_stored_and_null_removes(ann):
    changes = {
        "name": "Acme NV", "displayName": "Acme", "colour": "#0B5FFF", "bic": "KREDBEBB",
        "addressLines": ["Street 1", "9000 Gent"], "iban": "BE68 5390 0754 7034",
        "accountName": "Acme", "website": "https://acme.example", "email": "a@acme.example",
        "phone": "+32 1", "strictIdempotency": True, "rejectDuplicateNumbers": True,
        "embedPdf": True,
        "networkChoices": [
            {"supplierCountry": "RO", "buyerCountry": "RO", "network": "peppol"},
        ],
    }  # fmt: skip
    reported = ann.patch("/api/tenant", changes).json
    assert {name: reported[name] for name in changes} == changes | {"iban": IBAN}
    assert ann.patch("/api/tenant", {"iban": None, "embedPdf": False}).json["iban"] is None

    after = ann.get("/api/tenant").json
    assert (after["iban"], after["embedPdf"], after["colour"]) == (None, False, "#0B5FFF")


def test_the_branding_of_pdfs_is_that_of_the_profile(ann):
    """The keys of the profile are those of domain/branding."""
    changes = {"displayName": "Acme", "colour": "#0b5fff", "iban": IBAN, "phone": "+32 1"}
    ann.patch("/api/tenant", changes | {"addressLines": ["Street 1"]})
    ann.call("PUT", "/api/tenant/logo", data=png())
    with ann.app.app_context():
        look = Branding.of("x", tenants.get(ann.tenant).profile)

    assert (look.name, look.colour, look.iban, look.phone) == ("Acme", "#0b5fff", IBAN, "+32 1")
    assert (look.address_lines, look.logo, look.logo_type) == (("Street 1",), png(), "image/png")


def test_the_bank_account_of_the_profile_is_used_by_the_next_send(service, ann):
    caller = Caller(service, tenant=ann.tenant)
    ann.patch("/api/tenant", {"iban": IBAN})
    path = f"/api/invoices/{caller.sent()}/artefacts"
    item = caller.get(f"{path}?type=UBL").json["items"][0]

    assert IBAN in caller.get(f"{path}/{item['artefactId']}").text


def test_a_switch_applies_to_the_next_send(service, ann):
    caller = Caller(service, tenant=ann.tenant)
    body = caller.body(number="same")
    assert caller.send(body).status_code == 200
    ann.patch("/api/tenant", {"rejectDuplicateNumbers": True})

    assert slug(caller.send(body)) == "duplicate-invoice"


def test_totals_are_compared_as_the_account_says_unless_a_send_says_otherwise(service, ann):
    caller = Caller(service, tenant=ann.tenant)
    lines = [{"description": "Hours", "quantity": 7.75, "unitPrice": 83.33, "taxRate": 21}]
    totals = {"subtotal": 645.81, "taxAmount": 135.62, "grandTotal": 781.43}
    body = caller.body(number="R-1", lineItems=lines, totals=totals)
    refused = caller.send(body)
    assert (slug(refused), refused.json["holdsUnder"]) == ("declared-totals-mismatch", "rounded")
    assert ann.patch("/api/tenant", {"totals": "rounded"}).json["totals"] == "rounded"

    assert caller.send(body).status_code == 200
    exact = caller.send(body | {"options": {"totals": "exact"}})
    assert slug(exact) == "declared-totals-mismatch"
    assert ann.patch("/api/tenant", {"totals": None}).json["totals"] == "exact"
    assert caller.send(body | {"options": {"totals": "rounded"}}).status_code == 200


@pytest.mark.parametrize(
    ("change", "pointer", "code"),
    [
        ({"iban": "BE68539007547035"}, "/iban", "invalid-iban"),
        ({"bic": "KRED"}, "/bic", "invalid-bic"),
        ({"colour": "blue"}, "/colour", "wrong-form"),
        ({"colour": "#12345"}, "/colour", "wrong-form"),
        ({"name": None}, "/name", "required"),
        ({"embedPdf": None}, "/embedPdf", "required"),
        ({"embedPdf": "yes"}, "/embedPdf", "wrong-type"),
        ({"addressLines": ["x"] * 7}, "/addressLines", "too-many"),
        ({"networkChoices": [_CHOICE, _CHOICE]}, "/networkChoices/1", "duplicate"),
        (
            {"networkChoices": [_CHOICE | {"network": "Peppol!"}]},
            "/networkChoices/0/network",
            "wrong-form",
        ),
        (
            {"networkChoices": [_CHOICE | {"network": "mars"}]},
            "/networkChoices/0/network",
            "unknown-network",
        ),
        (
            {"networkChoices": [_CHOICE | {"buyerCountry": "XX"}]},
            "/networkChoices/0/buyerCountry",
            "unknown-code",
        ),
        ({"website": "javascript:alert(1)"}, "/website", "wrong-form"),
        ({"email": "no-address"}, "/email", "wrong-form"),
        ({"logo": "aGk="}, "/logo", "unknown-field"),
        ({"tenantId": "other"}, "/tenantId", "unknown-field"),
    ],
)
def test_an_invalid_change_is_refused_as_a_whole(ann, change, pointer, code):
    before = ann.get("/api/tenant").json
    answer = ann.patch("/api/tenant", {"phone": "1"} | change)

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")
    assert (answer.json["errors"][0]["pointer"], answer.json["errors"][0]["code"]) == (
        pointer,
        code,
    )
    assert ann.get("/api/tenant").json == before


def test_an_unknown_network_of_a_choice_is_refused_with_the_known_ones(ann):
    """A misspelt choice is not lost silently; the network of either environment can be chosen."""
    refused = ann.patch("/api/tenant", {"networkChoices": [_CHOICE | {"network": "mars"}]})
    known = [
        ann.patch("/api/tenant", {"networkChoices": [_CHOICE | {"network": name}]}).status_code
        for name in ("peppol", "simulator")
    ]

    assert refused.json["errors"][0]["message"] == (
        "mars is no network of this service: peppol, simulator"
    )
    assert known == [200, 200]


@pytest.mark.parametrize("picture", [png(), JPEG], ids=["png", "jpeg"])
def test_a_logo_is_returned_unchanged(ann, picture):
    answer = ann.call("PUT", "/api/tenant/logo", data=picture)
    assert answer.status_code == 200, answer.text
    assert answer.json["sizeBytes"] == len(picture)
    reported = ann.get("/api/tenant").json["logo"]
    got = ann.get("/api/tenant/logo")
    assert (got.data, got.content_type) == (picture, reported["contentType"])
    assert ann.delete("/api/tenant/logo").status_code == 204

    assert ann.get("/api/tenant").json["logo"] is None
    assert slug(ann.get("/api/tenant/logo")) == "not-found"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "unsupported-media-type"),
        (b"GIF89a" + b"x" * 50, "unsupported-media-type"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "unsupported-media-type"),
        (png()[:-1], "unsupported-media-type"),
        (png()[:40] + b"\xff" + png()[41:], "unsupported-media-type"),
        (JPEG[:-2], "unsupported-media-type"),
        (png(0, 5), "unsupported-media-type"),
        (png(5, 0), "unsupported-media-type"),
        (png(4000, 1), None),
        (png(4001, 1), "payload-too-large"),
        (png(extra=b"x" * (profile.MAX_LOGO_BYTES - len(png()))), None),
        (png(extra=b"x" * (profile.MAX_LOGO_BYTES - len(png()) + 1)), "payload-too-large"),
    ],
    ids=range(12),
)
def test_a_logo_must_be_a_complete_image_of_limited_size(ann, content, expected):
    """Determined by its content, not by Content-Type."""
    answer = ann.call("PUT", "/api/tenant/logo", data=content, Content_Type="image/png")

    assert (None if answer.status_code == 200 else slug(answer)) == expected


def test_the_size_of_an_image_is_read_from_its_header():
    assert read_image(JPEG) == Image("image/jpeg", 7, 5)
    assert read_image(png(3, 9)) == Image("image/png", 3, 9)
