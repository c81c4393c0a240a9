"""A PDF with the invoice attached is sent as it is to receivers that take nothing else of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sqlalchemy as sa

import einvoice_loopback
from einvoice.documents import pdf
from einvoice.domain.identifiers import (
    BIS_INVOICE,
    BIS_INVOICE_CII,
    FRENCH_OTHER_PROCESS,
    FRENCH_PROCESS,
    PDF_INVOICE,
    ParticipantId,
)
from einvoice.network.types import Registration
from einvoice.store.core import db
from einvoice.store.tables import Invoice, Transmission
from tests.documents.pdf.samples import ACME, an_invoice
from tests.documents.test_hybrid import changed, metadata
from tests.web.caller import Caller, slug
from tests.web.submission.documents import CII_SENDER, cii, request_of

PATH = "/v1/invoices"
SPECIFICATION = b">urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0<"
PROFILES = {
    "EN 16931": b">urn:cen.eu:en16931:2017<",
    "EXTENDED": b">urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended<",
    "MINIMUM": b">urn:factur-x.eu:1p0:minimum<",
}
EN16931 = PROFILES["EN 16931"]
# The document types of receivers, by their id.
LISTS = {
    "0088:9520000000004": (PDF_INVOICE,),
    "0088:9520000000028": (PDF_INVOICE, BIS_INVOICE),
    "0088:9520000000035": (BIS_INVOICE_CII, PDF_INVOICE),
    "0088:9520000000042": (BIS_INVOICE,),
}
ONLY_PDF, ALSO_UBL, ALSO_CII, NO_PDF = LISTS


class Plugin:
    """The simulator with receivers that list what they take, of an access point for PDFs or not."""

    EINVOICE_INTERFACE = einvoice_loopback.EINVOICE_INTERFACE
    formats: tuple[str, ...] = ("ubl", "cii", "hybrid")

    @classmethod
    @einvoice_loopback.hookimpl
    def einvoice_access_points(cls, settings, inbox):
        (point,) = einvoice_loopback.einvoice_access_points(settings, inbox)
        point.capabilities = replace(point.capabilities, formats=cls.formats, needs_lookup=True)
        point.lookup = lambda receiver: Registration(LISTS[str(receiver)])
        return [point]


class WithoutPdfs(Plugin):
    formats = ("ubl", "cii")


def factur_x(receiver: str, profile: str = "EN 16931") -> bytes:
    made = cii(receiver=receiver).replace(SPECIFICATION, PROFILES[profile])
    in_pdf = pdf.render_factur_x(an_invoice(), ACME, made)
    return changed(in_pdf, metadata(b"EN 16931", profile.encode()))


def submit(caller: Caller, document: bytes, receiver: str, **fields):
    sender = {"peppolId": CII_SENDER}
    given = {"sender": sender, "format": "auto"} | fields
    body = request_of(document, receiver, **given)
    return caller.bearer("POST", PATH, body, Prefer="respond-async")


def stored(caller: Caller, invoice_id: str):
    query = (
        sa.select(
            Transmission.document_type, Transmission.process, Invoice.original_type,
            Invoice.original, Invoice.document, Invoice.network_document, Invoice.rule_pack,
        )
        .join(Invoice, Invoice.id == Transmission.invoice_id)
        .where(Invoice.id == invoice_id)
    )  # fmt: skip
    with caller.app.app_context(), db.reading() as connection:
        return connection.execute(query).one()


@pytest.fixture
def caller(build):
    return Caller(build([Plugin]))


def test_a_pdf_goes_whole_only_where_no_ordinary_type_is_listed(caller):
    """None that it can be sent as: a document of another specification is converted to UBL only."""
    types = {}
    for receiver in LISTS:
        answer = submit(caller, factur_x(receiver), receiver)
        assert answer.status_code == 202, (receiver, answer.text)
        row = stored(caller, answer.json["id"])
        types[receiver] = (row.document_type, row.network_document is not None)

    assert types == {
        ONLY_PDF: (str(PDF_INVOICE), True),
        ALSO_UBL: (str(BIS_INVOICE), False),
        ALSO_CII: (str(PDF_INVOICE), True),
        NO_PDF: (str(BIS_INVOICE), False),
    }


@pytest.mark.parametrize("profile", ["EN 16931", "EXTENDED"])
def test_the_bytes_of_the_pdf_are_stored_and_sent(caller, profile):
    """With the report on the invoice in it, whose UBL is stored beside it."""
    made = factur_x(ONLY_PDF, profile)
    answer = submit(caller, made, ONLY_PDF)
    assert answer.status_code == 202, answer.text
    row = stored(caller, answer.json["id"])

    assert (row.original, row.original_type) == (made, "application/pdf")
    assert row.network_document == made
    assert row.rule_pack.startswith("factur-x")
    assert row.process == str(FRENCH_OTHER_PROCESS)
    assert b"<cbc:ID>2026-1001</cbc:ID>" in row.document
    path = f"{PATH}/{answer.json['id']}"
    tracked = caller.bearer("GET", path).json
    listed = {item["type"]: (item["contentType"], item["name"]) for item in tracked["artefacts"]}
    assert listed["UBL"] == ("application/xml", "2026-1001.xml")
    assert listed["ORIGINAL"] == ("application/pdf", "original-2026-1001.pdf")
    assert listed["NETWORK_DOCUMENT"] == ("application/pdf", "sent-2026-1001.pdf")
    assert caller.bearer("GET", f"{path}/pdf").data.startswith(b"%PDF-")


def test_between_french_parties_it_is_sent_in_the_regulated_process(caller):
    made = cii(receiver=ONLY_PDF).replace(SPECIFICATION, EN16931)
    french = made.replace(b"<ram:CountryID>DE<", b"<ram:CountryID>FR<")
    french = french.replace(b"<ram:CountryID>BE<", b"<ram:CountryID>FR<")
    answer = submit(caller, pdf.render_factur_x(an_invoice(), ACME, french), ONLY_PDF)

    assert answer.status_code == 202, answer.text
    assert stored(caller, answer.json["id"]).process == str(FRENCH_PROCESS)


REFUSED = {
    "another profile is asked for": (factur_x, {"profile": "peppol-bis-billing"}),
    "it is no PDF": (lambda to: cii(receiver=to).replace(SPECIFICATION, EN16931), {}),
    "it is an XML of BIS": (lambda to: cii(receiver=to), {}),
}


def test_an_invoice_that_says_it_is_of_a_profile_without_lines_breaks_its_schema(caller):
    """MINIMUM and BASIC WL are no invoices of EN 16931."""
    assert slug(submit(caller, factur_x(ONLY_PDF, "MINIMUM"), ONLY_PDF)) == "validation-failed"


def test_what_is_no_factur_x_or_has_another_profile_is_not_sent_as_one(caller):
    found = {
        case: slug(submit(caller, document(ONLY_PDF), ONLY_PDF, **fields))
        for case, (document, fields) in REFUSED.items()
    }

    assert found == dict.fromkeys(REFUSED, "document-type-not-supported")


def test_an_access_point_that_takes_no_pdfs_gets_none(build):
    caller = Caller(build([WithoutPdfs]))
    answer = submit(caller, factur_x(ONLY_PDF), ONLY_PDF)

    assert slug(answer) == "document-type-not-supported"
    assert ParticipantId.parse(ONLY_PDF).value in answer.json["detail"]
