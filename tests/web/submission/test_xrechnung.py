"""XRechnungen submitted as XML go to German public buyers as they are."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from einvoice.domain.identifiers import (
    XRECHNUNG_CUSTOMIZATION,
    XRECHNUNG_INVOICE,
    XRECHNUNG_INVOICE_CII,
)
from einvoice.store.core import db
from einvoice.store.tables import Transmission
from tests.oracle.sources import ROOT
from tests.web.caller import slug
from tests.web.submission.documents import request_of

BUYER = "0204:04011000-12345-03"
SUPPLIER = "9930:de123456788"
EXTENSION = f"{XRECHNUNG_CUSTOMIZATION}#conformant#urn:xeinkauf.de:kosit:extension:xrechnung_3.0"


def document(form: str) -> bytes:
    """The sample, from an address that a participant can have."""
    text = (ROOT / f"tests/samples/xrechnung_{form}.xml").read_text()
    return text.replace(
        'schemeID="EM">rechnung@lieferant.example', 'schemeID="9930">de123456788'
    ).encode()


def submitted(caller, form: str, content: bytes, **fields):
    sender = {"peppolId": SUPPLIER, "country": "DE"}
    body = request_of(content, BUYER, format=form, sender=sender, **fields)
    return caller.bearer("POST", "/v1/invoices", body, Prefer="respond-async")


@pytest.mark.parametrize(
    ("form", "document_type"), [("ubl", XRECHNUNG_INVOICE), ("cii", XRECHNUNG_INVOICE_CII)]
)
def test_an_xrechnung_is_judged_by_its_rules_and_sent_unchanged(caller, form, document_type):
    answer = submitted(caller, form, document(form))

    assert answer.status_code == 202, answer.text
    assert answer.json["validation"]["ruleSet"] == "xrechnung-3.0.2-schematron-2.6.0"
    assert answer.json["validation"]["trafficLight"] == "green"
    assert answer.json["warnings"] == []
    with caller.app.app_context(), db.reading() as connection:
        sent = sa.select(Transmission.document_type).where(
            Transmission.invoice_id == answer.json["id"]
        )
        assert connection.scalars(sent).one() == str(document_type)


def test_wrong_check_digits_of_the_leitweg_id_are_a_warning(caller):
    """The rules require any text, the buyer its own Leitweg-ID."""
    content = document("ubl").replace(
        b"<cbc:BuyerReference>04011000", b"<cbc:BuyerReference>04012000"
    )
    answer = submitted(caller, "ubl", content)

    assert answer.status_code == 202, answer.text
    assert [(warning["code"], warning["field"]) for warning in answer.json["warnings"]] == [
        ("leitweg-id-check-digits-wrong", "invoice.buyerReference")
    ]


def test_a_document_of_the_extension_has_its_own_document_type(caller):
    """Which the receiver does not list: it is not sent as a plain XRechnung."""
    content = document("ubl").decode().replace(XRECHNUNG_CUSTOMIZATION, EXTENSION)
    answer = submitted(caller, "ubl", content.encode())

    assert slug(answer) == "document-type-not-supported"


def test_a_missing_contact_is_refused_with_its_field(caller):
    before, _, rest = document("ubl").decode().partition("<cac:Contact>")
    answer = submitted(caller, "ubl", (before + rest.partition("</cac:Contact>")[2]).encode())

    assert slug(answer) == "validation-failed"
    assert "BR-DE-2" in answer.text
    assert "invoice.supplier.contact" in answer.text


def test_an_xrechnung_becomes_bis_billing_if_that_is_asked_for(caller):
    """With its specification, judged by its rules."""
    answer = submitted(caller, "ubl", document("ubl"), profile="peppol-bis-billing")

    assert answer.status_code == 202, answer.text
    assert answer.json["validation"]["ruleSet"].startswith("peppol-bis-billing-")
    assert "converted-for-network" in [each["code"] for each in answer.json["warnings"]]
