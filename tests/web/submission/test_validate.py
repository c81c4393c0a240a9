"""POST /v1/invoices/validate: the traffic light, for every way to hand a document in."""

from __future__ import annotations

import base64
import json
import re
import shutil
from codecs import BOM_UTF8
from datetime import date

import pytest

from einvoice.documents import pdf
from einvoice.documents.cii import write
from einvoice.store.tables import Invoice
from einvoice.validation import texts
from tests.builders import send_body
from tests.documents.pdf.samples import ACME, an_invoice
from tests.web.caller import slug
from tests.web.submission.documents import CII_SENDER, cii, encoded, request_of, two_lines, ubl

PATH = "/v1/invoices/validate"
XML = {"Content_Type": "application/xml"}
BOM16 = "<?xml version='1.0' encoding='UTF-16'?><Invoice/>".encode("utf-16")
LAUGHS = b"""<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><Invoice>&b;</Invoice>"""
OUTSIDE = b"""<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]><Invoice>&a;</Invoice>"""


def light(answer) -> str:
    assert answer.status_code == 200, answer.text
    found: str = answer.json["trafficLight"]
    return found


def rules(answer) -> set[str]:
    return {finding["ruleId"] for finding in answer.json["findings"]}


@pytest.mark.parametrize("document", [two_lines("V-1"), cii()], ids=["ubl", "cii"])
@pytest.mark.parametrize(
    "media",
    ["application/xml", "text/xml; charset=utf-8", "application/x-www-form-urlencoded", ""],
)
@pytest.mark.parametrize("mark", [b"", BOM_UTF8, b"\r\n"], ids=["", "marked", "blank"])
def test_a_document_may_be_sent_as_xml(caller, document, media, mark):
    """Also as a form, curl's default: XML is recognised by its first character."""
    if mark.isspace():
        document = document.partition(b"?>")[2]  # nothing may stand before a declaration
    answer = caller.bearer("POST", PATH, mark + document, Content_Type=media)

    assert light(answer) == "green"


@pytest.mark.parametrize("media", ["application/xml", ""])
def test_utf_16_is_reported_as_a_wrong_encoding(caller, media):
    """Also without a media type of XML."""
    answer = caller.bearer("POST", PATH, BOM16, Content_Type=media)

    assert (light(answer), rules(answer)) == ("red", {"XML-ENCODING"})


@pytest.mark.parametrize(
    ("document", "form"), [(two_lines("V-1"), "ubl"), (cii(), "cii")], ids=["ubl", "cii"]
)
@pytest.mark.parametrize("said", [None, "auto", "the right one"])
def test_a_document_may_be_sent_in_base64(caller, document, form, said):
    body = {"invoice": encoded(document), "format": form if said == "the right one" else said}
    answer = caller.bearer("POST", PATH, body)

    assert (light(answer), answer.json["format"]) == ("green", form)


def test_base64_may_have_the_line_breaks_that_programs_write(caller):
    """`base64 file.xml` breaks its lines."""
    body = {"invoice": base64.encodebytes(two_lines("V-1")).decode()}

    assert light(caller.bearer("POST", PATH, body)) == "green"


def test_the_body_of_a_send_is_validated_without_a_reference(caller):
    """Nothing is looked up or sent, so accessPointRef may be missing."""
    body = send_body("unused")
    del body["routing"]["accessPointRef"]
    answer = caller.bearer("POST", PATH, body)

    assert light(answer) == "green"
    assert (answer.json["format"], answer.json["documentType"]) == ("ubl", "invoice")


@pytest.mark.parametrize("due", ["2026-11-20", "2026-11-21"])
def test_improbable_values_of_a_document_are_warnings(caller, due):
    """Decisions 20.3: they change no light and no finding."""
    document = re.sub(b"(DueDate>)[0-9-]+", rb"\g<1>" + due.encode(), two_lines("V-1"))
    document = re.sub(b"(IssueDate>)[0-9-]+", rb"\g<1>2026-11-21", document)

    answer = caller.bearer("POST", PATH, document, **XML)

    found = [(w["code"], w["field"]) for w in answer.json["warnings"]]
    early = [("due-date-before-issue-date", "invoice.dueDate")]
    assert found == (early if due < "2026-11-21" else [])
    assert light(answer) == "green"


def test_the_assumptions_of_a_send_are_warnings_of_its_validation(caller):
    body = send_body("unused", dueDate=None)
    del body["invoice"]["supplier"]["companyId"]

    answer = caller.bearer("POST", PATH, body)

    codes = [warning["code"] for warning in answer.json["warnings"]]
    assert codes == ["company-id-derived", "due-date-missing"]
    assert light(answer) == "green"


def test_the_response_has_the_members_of_decisions_7(caller):
    """Nothing is stored."""
    answer = caller.bearer("POST", PATH, two_lines("V-1").replace(b">PO-1<", b"> <"), **XML)

    assert list(answer.json) == [
        "trafficLight", "outcome", "syntaxErrors", "semanticErrors", "semanticWarnings", "ruleSet",
        "ruleSetChosenBy", "format", "documentType", "processingTimeMs", "ruleSetRelease",
        "ruleSetSha256", "documentSha256", "findings", "warnings", "provider",
    ]  # fmt: skip
    assert (answer.json["trafficLight"], answer.json["outcome"]) == ("red", "Block")
    assert answer.json["ruleSet"].startswith("peppol-bis-billing-3.0.")
    assert isinstance(answer.json["processingTimeMs"], int)
    assert answer.json["processingTimeMs"] > 0
    finding = answer.json["findings"][0]
    assert finding.keys() == {
        "severity", "source", "ruleId", "message", "explanation", "suggestion", "location", "line",
        "field", "businessTerms",
    }  # fmt: skip
    assert finding["explanation"]
    assert finding["suggestion"]
    assert caller.count(Invoice) == 0


def test_a_broken_rule_is_red_with_200(caller):
    wrong = two_lines("V-1").replace(b">181.50<", b">181.51<")
    answer = caller.bearer("POST", PATH, wrong, **XML)

    assert light(answer) == "red"
    assert "BR-CO-15" in rules(answer)
    assert (answer.json["syntaxErrors"], answer.json["semanticErrors"] > 0) == (0, True)


def test_a_rule_that_only_warns_is_amber(caller):
    strange = two_lines("V-1").replace(
        b"<cbc:InvoiceTypeCode>", b"<cbc:UUID>1</cbc:UUID><cbc:InvoiceTypeCode>"
    )
    strange = strange.replace(b"<cbc:UUID>1</cbc:UUID>", b"", 1).replace(
        b"<cbc:IssueDate>", b"<cbc:UUID>1</cbc:UUID><cbc:IssueDate>"
    )
    answer = caller.bearer("POST", PATH, strange, **XML)

    assert (light(answer), answer.json["outcome"]) == ("amber", "Warn")
    assert answer.json["semanticWarnings"] > 0


@pytest.mark.parametrize(
    ("document", "rule"),
    [
        (b"%PDF-1.7\n\xe2\xe3\xcf\xd3", "PDF-DAMAGED"),
        (b"%PDF-1.7 plain", "PDF-DAMAGED"),
        (BOM16, "XML-ENCODING"),
        (BOM16[2:], "XML-ENCODING"),
        (b"<?xml version='1.0' encoding='UTF-16'?><Invoice/>", "XML-ENCODING"),
        (LAUGHS, "XML-DOCTYPE"),
        (OUTSIDE, "XML-DOCTYPE"),
        (b"<Invoice>&xxe;</Invoice>", "XML-NOT-WELL-FORMED"),
        (b"<Invoice", "XML-NOT-WELL-FORMED"),
        (b"<Order/>", "XSD-UNKNOWN-DOCUMENT"),
        (b"\0" * 1000, "XML-ENCODING"),
    ],
    ids=[
        "pdf", "text", "utf-16", "utf-16 without mark", "says utf-16", "laughs", "outside",
        "entity", "cut off", "order", "zeros",
    ],
)  # fmt: skip
@pytest.mark.parametrize("way", ["raw", "base64"])
def test_a_file_that_is_not_a_document_is_red_with_its_error(caller, document, rule, way):
    """With status 200 and one syntax error."""
    raw = way == "raw"
    body = document if raw else {"invoice": encoded(document)}
    answer = caller.bearer("POST", PATH, body, **(XML if raw else {}))

    assert light(answer) == "red"
    assert rules(answer) == {rule}
    assert answer.json["syntaxErrors"] == 1
    assert (answer.json["format"], answer.json["documentType"]) == (None, None)


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"format": "cii"}, "/format"),
        ({"sender": {"peppolId": "0208:0403019261"}}, "/sender/peppolId"),
        ({"receiver": {"peppolId": "0088:9520000000011"}}, "/receiver/peppolId"),
        ({"sender": {"country": "NL"}}, "/sender/country"),
        ({"receiver": {"country": "FR"}}, "/receiver/country"),
    ],
)
def test_a_contradiction_to_the_document_is_red(caller, fields, pointer):
    """A submission of the same body would be refused."""
    answer = caller.bearer("POST", PATH, request_of(two_lines("V-1"), **fields))

    assert light(answer) == "red"
    (finding,) = answer.json["findings"]
    assert (finding["ruleId"], finding["source"]) == ("CONTRADICTS-DOCUMENT", "network")
    assert finding["explanation"].startswith(f"{pointer} is ")


def test_a_good_submission_is_green_here(caller):
    """The same body can be validated before it is submitted."""
    body = request_of(cii(), format="cii", sender={"peppolId": CII_SENDER, "country": "BE"})

    assert light(caller.bearer("POST", PATH, body)) == "green"


def test_wrong_totals_of_a_send_are_red(caller):
    """A send would be answered declared-totals-mismatch."""
    body = send_body("x")
    body["invoice"]["totals"]["grandTotal"] = 120
    answer = caller.bearer("POST", PATH, body)

    assert light(answer) == "red"
    assert rules(answer) == {"DECLARED-TOTALS-MISMATCH"}
    assert "121" in answer.json["findings"][0]["explanation"]


def test_a_broken_rule_of_a_send_is_placed_in_the_callers_own_fields(caller):
    answer = caller.bearer("POST", PATH, send_body("x", buyerReference="", currency="EUR"))
    body = send_body("x")
    body["invoice"]["lineItems"][0]["taxCategory"] = "E"
    wrong = caller.bearer("POST", PATH, body)

    assert light(answer) in ("green", "amber")
    assert light(wrong) == "red"
    assert any((f["field"] or "").startswith("invoice.") for f in wrong.json["findings"])


@pytest.mark.parametrize(
    ("value", "code", "words"),
    [
        (None, "required", "required"),
        (7, "wrong-type", "string"),
        ("", "blank", "blank"),
        ("  \n", "blank", "blank"),
        ("<Invoice/>", "not-base64", "is XML, not base64"),
        ("abc", "not-base64", "cut off"),
        ("ab=c", "not-base64", "padding"),
        ("ab*d", "not-base64", "character 3 is '*'"),
        ("aGk-", "not-base64", "character 4 is '-'"),
        ("data:text/xml;base64,aGk=", "not-base64", "is a data URL"),
    ],
)
def test_invalid_base64_is_refused_with_its_fault(caller, value, code, words):
    answer = caller.bearer("POST", PATH, {"invoice": value, "format": "ubl"})

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")
    (error,) = answer.json["errors"]
    assert (error["pointer"], error["code"]) == ("/invoice", code)
    assert words in error["message"]


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"format": "pdf"}, "/format"),
        ({"format": "UBL"}, "/format"),
        ({"sender": {"country": "Belgium"}}, "/sender/country"),
        ({"receiver": []}, "/receiver"),
        ({"colour": "red"}, "/colour"),
    ],
)
def test_other_faults_of_the_request_are_placed(caller, fields, pointer):
    answer = caller.bearer("POST", PATH, request_of(b"<x/>", **fields))

    assert slug(answer) == "invalid-field"
    assert [error["pointer"] for error in answer.json["errors"]] == [pointer]


@pytest.mark.parametrize(
    ("body", "media", "expected"),
    [
        (b"", "application/json", "invalid-body"),
        (b"[]", "application/json", "invalid-body"),
        (b'{"invoice": "aGk=", "invoice": "aGk="}', "application/json", "invalid-body"),
        (b"--x--", "multipart/form-data; boundary=x", "unsupported-media-type"),
    ],
)
def test_other_media_types_are_refused(caller, body, media, expected):
    assert slug(caller.bearer("POST", PATH, body, Content_Type=media)) == expected


def test_a_body_over_the_limit_is_refused_before_it_is_read(caller):
    """Also one of 50 MB."""
    answer = caller.bearer("POST", PATH, b"<" * (50 * 1024 * 1024), **XML)

    assert (answer.status_code, slug(answer)) == (413, "payload-too-large")
    assert "12 MiB" in answer.json["detail"]


def test_a_big_document_within_the_limit_has_a_verdict(caller):
    """9 MB of base64 for a document that is mostly one text: bounded work, no failure."""
    big = two_lines("V-1").replace(b">Consulting<", b">" + b"x" * 6_000_000 + b"<")
    answer = caller.bearer("POST", PATH, {"invoice": encoded(big)})

    assert light(answer) in ("green", "amber", "red")


def test_credit_notes_are_judged_as_such(caller):
    document = ubl(type="creditNote", precedingInvoice={"number": "V-0"})
    answer = caller.bearer("POST", PATH, json.dumps({"invoice": encoded(document)}).encode())

    assert (light(answer), answer.json["documentType"]) == ("green", "creditNote")


@pytest.fixture
def with_german(tmp_path, monkeypatch):
    """Texts in German beside the English ones: two sentences of them are translated."""
    for code in ("en", "de"):
        shutil.copytree(texts._FOLDER / "en", tmp_path / code)
    (tmp_path / "de" / "zz.toml").write_text(
        '[xml]\nmessage = "Kein XML."\n[rules.BR-CL-23]\nmessage = "Keine Einheit."\n'
        '[rules.BR-E-05]\nmessage = "Kein Satz."\n'
    )
    monkeypatch.setattr(texts, "_FOLDER", tmp_path)
    texts.languages.cache_clear()
    texts.language.cache_clear()
    yield
    texts.languages.cache_clear()
    texts.language.cache_clear()


@pytest.mark.usefixtures("with_german")
@pytest.mark.parametrize(
    ("accepted", "is_german"),
    [
        ("de", True),
        ("fr, de-AT;q=0.8, en;q=0.5", True),
        ("en, de;q=0.5", False),
        ("de;q=0, fr", False),
        ("", False),
    ],
)
def test_findings_are_in_the_language_of_the_caller(caller, accepted, is_german):
    """For bytes that are no XML, for a document, and for the body of a send."""
    send = send_body("unused")
    send["invoice"]["lineItems"][0]["taxCategory"] = "E"
    document = two_lines("V-1").replace(b'unitCode="C62"', b'unitCode="ZZZ9"')
    for body, media in (
        (b"<a", "application/xml"),
        (document, "application/xml"),
        (json.dumps(send).encode(), "application/json"),
    ):
        answer = caller.bearer("POST", PATH, body, Content_Type=media, Accept_Language=accepted)
        messages = {finding["message"] for finding in answer.json["findings"]}

        assert bool(messages & {"Kein XML.", "Keine Einheit.", "Kein Satz."}) is is_german
        assert messages


OFFENDING = b'schemeID="0208">2000000042<'  # right check digits, refused from 2027-02-24 on


def with_a_new_fault() -> bytes:
    """A document that BIS Billing 3.0.21 accepts and 3.0.22 does not."""
    return re.sub(
        rb'(<cac:PartyLegalEntity>.*?<cbc:CompanyID )schemeID="0208">\d+<',
        rb"\g<1>" + OFFENDING,
        two_lines("V-1"),
        count=1,
        flags=re.DOTALL,
    )


@pytest.mark.parametrize(
    ("on", "expected"),
    [("2027-02-23", ("green", "3.0.21")), ("2027-02-24", ("red", "3.0.22"))],
)
def test_the_rules_are_those_of_the_day_that_is_asked_for(caller, on, expected):
    """In the query for every kind of body, or beside a document in JSON."""
    document = with_a_new_fault()
    assert OFFENDING in document

    answers = [
        caller.bearer("POST", f"{PATH}?on={on}", document, **XML),
        caller.bearer("POST", f"{PATH}?on={on}", {"invoice": encoded(document)}),
        caller.bearer("POST", PATH, {"invoice": encoded(document), "on": on}),
    ]

    for answer in answers:
        found = light(answer), answer.json["ruleSet"].removeprefix("peppol-bis-billing-")
        assert found == expected
        assert rules(answer) == ({"PEPPOL-COMMON-R043"} if expected[0] == "red" else set())


@pytest.mark.parametrize("on", ["tomorrow", "2027-02-30"])
def test_a_day_that_is_none_is_refused(caller, on):
    for answer in (
        caller.bearer("POST", f"{PATH}?on={on}", two_lines("V-1"), **XML),
        caller.bearer("POST", PATH, {"invoice": encoded(two_lines("V-1")), "on": on}),
    ):
        assert (answer.status_code, slug(answer)) == (400, "invalid-field")


def test_the_body_of_a_send_is_judged_for_the_day_too(caller):
    body = send_body("unused")
    body["invoice"]["supplier"]["companyId"] = "0208:2000000042"

    found = [caller.bearer("POST", f"{PATH}?on={on}", body) for on in ("2027-02-23", "2027-02-24")]

    assert [light(answer) for answer in found] == ["green", "red"]


def test_a_send_is_warned_of_what_the_next_release_refuses(caller, monkeypatch):
    """A document or the fields of one; from the first day of the release on it is refused."""
    body = caller.body()
    body["invoice"]["supplier"]["companyId"] = "0208:2000000042"
    monkeypatch.setattr("einvoice.clock.today", lambda: date(2027, 2, 23))

    answers = [
        caller.send(body),
        caller.bearer("POST", "/v1/invoices", request_of(with_a_new_fault())),
    ]

    for answer in answers:
        assert answer.status_code in (200, 202), answer.text
        [warning] = [w for w in answer.json["warnings"] if w["code"] == "PEPPOL-COMMON-R043"]
        assert warning["message"].startswith("From 2027-02-24: A Belgian enterprise number")
    monkeypatch.setattr("einvoice.clock.today", lambda: date(2027, 2, 24))
    assert slug(caller.send(body)) == "validation-failed"


PDF = {"Content_Type": "application/pdf"}


def as_pdf() -> bytes:
    invoice = an_invoice()
    return pdf.render_factur_x(
        invoice, ACME, write.document_xml(invoice, "urn:cen.eu:en16931:2017")
    )


@pytest.mark.parametrize("way", ["raw", "no media type", "base64"])
def test_a_pdf_is_opened_and_judged_by_its_profile(caller, way):
    """What is inside is named; nothing is compared with the rules of a network."""
    made = as_pdf()
    if way == "base64":
        answer = caller.bearer("POST", PATH, {"invoice": encoded(made)})
    else:
        answer = caller.bearer(
            "POST", PATH, made, **(PDF if way == "raw" else {"Content_Type": ""})
        )

    assert (light(answer), answer.json["ruleSet"]) == ("green", "factur-x-1.09.2")
    assert answer.json["ruleSetChosenBy"] == "document"
    assert rules(answer) == {"PDF-PROFILE"}


def test_a_pdf_without_an_invoice_is_red(caller):
    answer = caller.bearer("POST", PATH, b"%PDF-1.7 pages only", **PDF)

    assert (light(answer), rules(answer)) == ("red", {"PDF-DAMAGED"})


def test_a_document_is_judged_by_its_own_rules_unless_a_network_is_named(caller):
    """With a network, as what the network is sent instead."""
    on = "2026-11-21"
    document = cii().replace(CII_SPECIFICATION, b">urn:cen.eu:en16931:2017<")
    body = {"invoice": encoded(document)}

    alone, for_network = (
        caller.bearer("POST", f"{PATH}?on={on}", content)
        for content in (body, body | {"network": "peppol"})
    )

    assert alone.json["ruleSet"] == "en16931-1.3.16"
    assert for_network.json["ruleSet"] == "peppol-bis-billing-3.0.21"


CII_SPECIFICATION = b">urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0<"


def test_a_pdf_is_sent_as_the_network_takes_it(caller):
    """The CII in it becomes a UBL document of Peppol."""
    made = cii().replace(CII_SPECIFICATION, b">urn:cen.eu:en16931:2017<")
    in_pdf = pdf.render_factur_x(an_invoice(), ACME, made)

    answer = caller.bearer(
        "POST", "/v1/invoices", request_of(in_pdf, sender={"peppolId": CII_SENDER}, format="auto")
    )

    assert answer.status_code in (200, 202), answer.text
