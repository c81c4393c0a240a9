"""Bills that are not as they should be keep what can be read of them."""

from __future__ import annotations

import time
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from einvoice.documents.salvage import salvaged
from einvoice.domain.identifiers import BIS_INVOICE, BIS_INVOICE_CII
from einvoice.domain.invoice import DocumentKind
from einvoice.network.access_points import PEPPOL
from einvoice.services import forms
from einvoice.services.inbound import document_content
from einvoice.validation import check, judge, report_of
from tests.builders import CII

DAY = date(2026, 11, 21)
UBL = (Path(__file__).parents[1] / "samples" / "good_ubl.xml").read_text()
NAMED = UBL.replace("2026-1001", "2026-Zoë", 1)


def read(document: bytes, of_type=BIS_INVOICE) -> document_content.ReadDocument:
    return document_content.read_on(document, of_type, DAY, forms.installed().of(PEPPOL))


def declared(text: str, encoding: str, name: str = "") -> bytes:
    return text.replace('encoding="UTF-8"', f'encoding="{name or encoding}"', 1).encode(encoding)


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("iso-8859-1", "ISO-8859-1"),
        ("iso-8859-15", "iso-8859-15"),
        ("cp1252", "windows-1252"),
        ("utf-8", "utf8"),
    ],
)
def test_a_bill_in_another_encoding_is_read_and_judged_with_a_warning(encoding, name):
    """itplr-kosit/validator#92; Python's ElementTree writes encoding='utf8'."""
    found = read(declared(NAMED, encoding, name))

    assert [each.rule_id for each in found.report.findings] == ["XML-NOT-UTF-8"]
    assert (found.report.light, found.head.number) == ("amber", "2026-Zoë")
    assert (found.head.payable is not None, bool(found.head.seller_name)) == (True, True)
    assert found.ubl.startswith(b'<?xml version="1.0" encoding="UTF-8"?>')
    assert "2026-Zoë" in found.ubl.decode()
    assert check(found.ubl, on=DAY).findings == ()


def test_validation_says_which_encoding_was_read():
    [finding] = check(declared(NAMED, "iso-8859-1"), on=DAY).findings

    assert finding.severity == "warning"
    assert "iso-8859-1" in finding.message


def test_other_encodings_stay_what_they_are():
    for document, rule in (
        (NAMED.encode("utf-16"), "XML-ENCODING"),
        (declared(UBL, "utf-8", "koi8-r"), "XML-ENCODING"),
        (NAMED.encode("iso-8859-1"), "XML-ENCODING"),
        (declared(NAMED, "iso-8859-1", "utf8"), "XML-ENCODING"),
    ):
        assert [each.rule_id for each in check(document, on=DAY).findings] == [rule]


AMOUNT = "<cbc:PayableAmount"
CUT = UBL[: UBL.index("</cac:LegalMonetaryTotal>")]
DAMAGED = {
    "a line before the declaration": f"\n{UBL}".encode(),
    "a mark twice": "\ufeff\ufeff".encode() + UBL.encode(),
    "words before it": b"Content-Type: text/xml\r\n\r\n" + UBL.encode(),
    "a declaration that does not end": UBL.replace("?>", ">", 1).encode(),
    "an ampersand": UBL.replace("garden furniture", "garden & furniture", 1).encode(),
    "an unknown entity": UBL.replace("garden", "&auml;", 1).encode(),
    "a control character": UBL.replace("garden", "gar\x02den", 1).encode(),
    "Latin bytes": UBL.replace("garden", "Gärten", 1).encode("iso-8859-1"),
    "no end": CUT.encode(),
    "UTF-16": UBL.encode("utf-16"),
    "a DOCTYPE": UBL.replace("<Invoice", "<!DOCTYPE Invoice><Invoice", 1).encode(),
}


@pytest.mark.parametrize("document", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_bill_keeps_its_number_seller_and_amounts(document):
    found = read(document)

    assert (found.report.light, found.ubl) == ("red", b"")
    whole = read(UBL.encode()).head
    assert found.head.number == "2026-1001"
    assert (found.head.seller_name, found.head.payable) == (whole.seller_name, whole.payable)
    assert (found.head.currency, found.head.issue_date) == ("EUR", date(2026, 11, 2))


def test_what_is_cut_off_is_not_guessed():
    """A number without its end would be another one."""
    cut = UBL[: UBL.index("2026-1001") + 7]
    amount = UBL[: UBL.index(AMOUNT) + len(AMOUNT) + 20]

    assert salvaged(cut.encode()).number is None
    assert salvaged(amount.encode()).payable is None
    assert salvaged(amount.encode()).number == "2026-1001"


def test_a_damaged_cii_bill_keeps_its_number():
    document = CII.replace(b"<?xml", b" <?xml", 1)
    head = read(document, BIS_INVOICE_CII).head

    assert (head.number, head.kind) == ("2026-1001", DocumentKind.INVOICE)
    assert isinstance(head.payable, Decimal)


@pytest.mark.parametrize(
    "document", [b"", b"PK\x03\x04", b"<html/>", b"<Invoice><ID>1</ID>", b"<Order>", b"\0" * 999]
)
def test_nothing_is_found_in_what_is_no_bill(document):
    assert salvaged(document) is None


@pytest.mark.parametrize("unit", ["<a>", "&", "<Invoice ", "<a b='", "</a>", "<!--", "\x01", "é"])
def test_a_hostile_bill_takes_time_in_proportion(unit):
    begins = "<Invoice xmlns='urn:oasis:names:specification:ubl:schema:xsd:Invoice-2'>"

    def cost(size: int) -> float:
        document = (begins + unit * (size // len(unit)) + ">").encode()
        begun = time.process_time()
        salvaged(document)
        return time.process_time() - begun

    assert cost(1_000_000) < 20 * cost(100_000) + 0.5


# -- specifications that are known by name ---------------------------------------------------------

BIS = "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0"
SPECIFICATIONS = {
    "urn:peppol:pint:billing-1@za-1": "Peppol PINT (ZA)",
    "urn:peppol:pint:billing-1@zz-1": "Peppol PINT (ZZ)",
    "urn:peppol:pint:selfbilling-1": "Peppol PINT",
    "urn:fdc:anskaffelser.no:2019:ehf:spec:payment-request:3.0": "EHF (Norway)",
    "OIOUBL-2.02": "OIOUBL (Denmark)",
    "urn:fdc:oioubl.dk:trns:billing:invoice:3.0": "OIOUBL (Denmark)",
    "urn:www.cenbii.eu:transaction:biitrns010:ver2.0:extended:urn:www.peppol.eu:bis:peppol4a:ver2.0":
        "CEN BII, the former Peppol BIS",
    "urn:fdc:peppol:jp:billing:3.0": "Peppol PINT (JP)",
}  # fmt: skip


@pytest.mark.parametrize(("identifier", "name"), SPECIFICATIONS.items())
def test_a_known_specification_is_amber_by_name(identifier, name):
    """268 of 268 public files of PINT were red by rules that are not theirs."""
    report = check(UBL.replace(BIS, identifier, 1).encode(), on=DAY)

    [finding] = report.findings
    assert (report.light, finding.rule_id) == ("amber", "NOT-JUDGED-KNOWN")
    assert f"follows {name}, which is known and not judged here" in finding.message
    assert "schema was checked" in finding.message
    assert "billing:3.0" not in (finding.suggestion or "")


def test_zatca_is_known_by_its_process_where_nothing_else_is_said():
    head = UBL.index("<cbc:CustomizationID>")
    body = UBL[:head] + UBL[UBL.index("<cbc:ProfileID>") :]
    document = body.replace("urn:fdc:peppol.eu:2017:poacc:billing:01:1.0", "reporting:1.0", 1)

    [finding] = check(document.encode(), on=DAY).findings
    assert "follows ZATCA (Saudi Arabia)" in finding.message


def test_the_schema_of_a_known_specification_is_checked():
    document = UBL.replace(BIS, "urn:peppol:pint:billing-1@zz-1", 1)
    broken = document.replace("<cbc:IssueDate>", "<cbc:IssueDate>soon ", 1)

    assert check(broken.encode(), on=DAY).light == "red"


@pytest.mark.parametrize("identifier", ["urn:peppol:pint", "OIOUBL", "urn:example", ""])
def test_an_identifier_that_is_not_known_is_judged_as_before(identifier):
    report = check(UBL.replace(BIS, identifier, 1).encode(), on=DAY)

    assert report.light == "red"
    assert "PEPPOL-EN16931-R004" in {each.rule_id for each in report.findings}


def test_a_rule_set_that_is_asked_for_judges_whatever_the_document_says():
    document = UBL.replace(BIS, "urn:peppol:pint:billing-1@zz-1", 1).encode()
    report = report_of(judge(document, on=DAY, asked="peppol-bis-billing"))

    assert "PEPPOL-EN16931-R004" in {each.rule_id for each in report.findings}
