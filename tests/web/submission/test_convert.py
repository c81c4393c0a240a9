"""POST /v1/invoices/convert: every form of a document, to UBL and CII, without storing anything."""

from __future__ import annotations

import json
import re
from io import BytesIO

import pikepdf
import pytest

from einvoice.documents.cii.write import document_xml as cii_xml
from einvoice.documents.reading import invoice_in
from einvoice.services.computing import sizes
from einvoice.services.send import sizes as send_sizes
from einvoice.services.send import unsent
from einvoice.store.tables import Invoice
from tests.builders import send_body
from tests.web.caller import Caller, slug
from tests.web.submission.documents import cii, encoded, request_of, two_lines, ubl

PATH = "/v1/invoices/convert"
XML = {"Content_Type": "application/xml"}
UBL, CII = two_lines("C-1"), cii()


def converted(caller, body, query="", **headers):
    answer = caller.bearer("POST", PATH + query, body, **headers)
    assert answer.status_code == 200, answer.text
    return answer.json


@pytest.mark.parametrize(
    ("document", "query", "form"),
    [
        (UBL, "", "cii"),
        (UBL, "?to=cii", "cii"),
        (UBL, "?to=ubl", "ubl"),
        (CII, "", "ubl"),
        (CII, "?to=ubl", "ubl"),
        (CII, "?to=cii", "cii"),
    ],
)
@pytest.mark.parametrize("way", ["raw", "base64"])
def test_a_document_is_converted_to_the_wanted_syntax(caller, document, query, form, way):
    """By default to the other one. It says the same, is valid, and nothing is stored."""
    body, headers = (document, XML) if way == "raw" else ({"invoice": encoded(document)}, {})
    answer = converted(caller, body, query, **headers)

    assert list(answer) == [
        "format", "documentType", "document", "validation", "warnings", "provider",
    ]  # fmt: skip
    assert (answer["format"], answer["documentType"]) == (form, "invoice")
    assert answer["validation"]["format"] == form
    assert answer["validation"]["trafficLight"] == "green"
    assert not {"not-carried-over", "filled-in"} & {w["code"] for w in answer["warnings"]}
    assert invoice_in(answer["document"].encode()) == invoice_in(document)
    assert caller.count(Invoice) == 0


@pytest.mark.parametrize(("query", "form"), [("", "ubl"), ("?to=ubl", "ubl"), ("?to=cii", "cii")])
def test_the_body_of_a_send_is_written_in_the_wanted_syntax(caller, query, form):
    """As a send would write it, with its assumptions; accessPointRef may be missing."""
    body = send_body("unused", buyerReference=None)
    del body["routing"]["accessPointRef"]
    answer = converted(caller, body, query)
    invoice = invoice_in(answer["document"].encode())

    assert answer["format"] == form
    assert invoice.number == body["invoice"]["number"]
    assert "buyer-reference-defaulted" in {warning["code"] for warning in answer["warnings"]}
    assert answer["validation"]["trafficLight"] == "green"


def test_both_syntaxes_of_a_send_say_the_same(caller):
    body = send_body("unused")
    documents = [converted(caller, body, f"?to={to}")["document"] for to in ("ubl", "cii")]

    assert invoice_in(documents[0].encode()) == invoice_in(documents[1].encode())


def test_what_is_lost_is_named_with_its_place(caller):
    """The version of UBL has no place in CII; the second preceding invoice neither."""
    document = ubl(precedingInvoice={"number": "P-1"})
    reference = document[document.index(b"<cac:BillingReference>") :]
    end = b"</cac:BillingReference>"
    reference = reference[: reference.index(end)] + end
    document = document.replace(reference, reference + reference.replace(b"P-1", b"P-2"))
    document = document.replace(
        b"<cbc:CustomizationID>", b"<cbc:UBLVersionID>2.1</cbc:UBLVersionID><cbc:CustomizationID>"
    )
    answer = converted(caller, document, **XML)

    assert answer["warnings"] == [
        {
            "code": "not-carried-over",
            "message": 'UBLVersionID "2.1" is not carried over: CII has no place for it.',
            "field": None,
            "location": "/Invoice[1]/UBLVersionID[1]",
            "line": 2,
        },
        {
            "code": "not-carried-over",
            "message": "BillingReference is not carried over: CII has no place for it.",
            "field": "invoice.precedingInvoice.number",
            "location": "/Invoice[1]/BillingReference[2]",
            "line": 2,
        },
    ]
    assert answer["validation"]["trafficLight"] == "green"


def test_rewriting_a_document_in_its_own_syntax_names_what_is_outside_of_en_16931(caller):
    document = UBL.replace(
        b"<cbc:CustomizationID>", b"<cbc:UBLVersionID>2.1</cbc:UBLVersionID><cbc:CustomizationID>"
    )
    (warning,) = converted(caller, document, "?to=ubl", **XML)["warnings"]

    assert "EN 16931 does not know it" in warning["message"]


def test_a_document_that_breaks_rules_is_converted_with_its_findings(caller):
    wrong = UBL.replace(b">181.50<", b">181.51<")
    answer = converted(caller, wrong, **XML)

    assert answer["validation"]["trafficLight"] == "red"
    assert "BR-CO-15" in {finding["ruleId"] for finding in answer["validation"]["findings"]}
    assert "181.51" in answer["document"]


@pytest.mark.parametrize(
    ("accept", "is_xml"),
    [
        ("application/xml", True),
        ("application/xml, application/json;q=0.5", True),
        ("application/json, application/xml;q=0.5", False),
        ("*/*", False),
        ("application/json", False),
    ],
)
def test_the_bare_document_is_the_answer_where_xml_is_accepted(caller, accept, is_xml):
    """Its light and the number of warnings are in headers."""
    wrong = UBL.replace(b">181.50<", b">181.51<")
    answer = caller.bearer("POST", PATH, wrong, Accept=accept, **XML)

    assert answer.status_code == 200
    assert (answer.mimetype == "application/xml") is is_xml
    if is_xml:
        assert answer.data == cii_xml(invoice_in(wrong))
        assert answer.headers["Conversion-Light"] == "red"
        assert answer.headers["Conversion-Warnings"] == "0"


def test_another_accepted_type_is_refused(caller):
    answer = caller.bearer("POST", PATH, UBL, Accept="application/pdf", **XML)

    assert (answer.status_code, slug(answer)) == (406, "not-acceptable")


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (b"%PDF-1.7", "the PDF is damaged"),
        (b"<Invoice", "a tag does not end"),
        (b"<Order/>", "Order is neither UBL nor CII"),
        (UBL.replace(b">181.50<", b">much<"), "is not a decimal number"),
    ],
)
@pytest.mark.parametrize(("way", "pointer"), [("raw", ""), ("base64", "/invoice")])
def test_what_cannot_be_read_is_refused_with_its_place(caller, document, words, way, pointer):
    body, headers = (document, XML) if way == "raw" else ({"invoice": encoded(document)}, {})
    answer = caller.bearer("POST", PATH, body, **headers)

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")
    (error,) = answer.json["errors"]
    assert (error["pointer"], error["code"]) == (pointer, "unreadable-document")
    assert words in error["message"]


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"format": "cii"}, "/format"),
        ({"sender": {"peppolId": "0208:0403019261"}}, "/sender/peppolId"),
        ({"receiver": {"country": "FR"}}, "/receiver/country"),
    ],
)
def test_a_contradiction_to_the_document_is_refused(caller, fields, pointer):
    answer = caller.bearer("POST", PATH, request_of(UBL, **fields))

    assert slug(answer) == "invalid-field"
    assert [error["pointer"] for error in answer.json["errors"]] == [pointer]


def test_wrong_totals_of_a_send_are_refused(caller):
    """There is no invoice to write."""
    body = send_body("x")
    body["invoice"]["totals"]["grandTotal"] = 120

    assert slug(caller.bearer("POST", PATH, body)) == "declared-totals-mismatch"


@pytest.mark.parametrize("to", ["ubl", "cii"])
def test_a_character_that_xml_cannot_carry_is_refused(caller, to):
    answer = caller.bearer("POST", f"{PATH}?to={to}", send_body("x", note="bell \x07"))

    assert slug(answer) == "invalid-field"


@pytest.mark.parametrize("query", ["?to=pdf", "?to=UBL", "?to=", "?from=ubl"])
def test_another_query_is_refused(caller, query):
    assert slug(caller.bearer("POST", PATH + query, UBL, **XML)) == "invalid-field"


def test_the_scope_is_that_of_validation(service):
    caller = Caller(service, scopes=["invoices:read"])

    assert slug(caller.bearer("POST", PATH, UBL, **XML)) == "insufficient-scope"


@pytest.mark.parametrize(
    ("body", "function"),
    [
        (UBL, "convert_document"),
        (b"<Order/>", "convert_document"),
        (json.dumps(send_body("x")).encode(), "convert_request"),
    ],
)
def test_a_large_one_is_converted_in_a_computing_process(
    caller,
    monkeypatch,
    computations,
    body,
    function,
):
    """With the same answer."""
    small = caller.bearer("POST", PATH, body)
    assert computations == []
    for bounds, name in ((sizes, "MAX_TAGS"), (sizes, "_MIN_BYTES"), (send_sizes, "MAX_LINES")):
        monkeypatch.setattr(bounds, name, 0)
    large = caller.bearer("POST", PATH, body)

    assert computations == [function]
    assert large.status_code == small.status_code
    assert large.json.get("document") == small.json.get("document")


def test_a_document_is_large_for_a_conversion_before_it_is_for_a_validation():
    """A conversion takes longer."""
    tags = b"<a>" * (sizes.MAX_TAGS // unsent.TIMES)
    more = tags + b"<a>" * unsent.TIMES

    assert not sizes.is_large(tags, unsent.TIMES)
    assert sizes.is_large(more, unsent.TIMES)
    assert not sizes.is_large(more)


def test_a_document_becomes_the_body_of_a_send(caller):
    """Which says the same when it is sent: a dry run writes the same document back."""
    body = send_body("unused", note="Thank you", projectReference="P-1")
    source = converted(caller, body, "?to=ubl")["document"].encode()
    answer = converted(caller, source, "?to=json", **XML)
    restated = json.loads(answer["document"])

    assert answer["format"] == "json"
    assert answer["validation"]["trafficLight"] == "green"
    assert not {"not-carried-over", "totals-refused"} & {w["code"] for w in answer["warnings"]}
    assert restated["invoice"]["projectReference"] == "P-1"
    assert set(restated["routing"]) == {"senderParticipantId", "receiverParticipantId"}
    again = converted(caller, restated, "?to=ubl")["document"].encode()
    assert invoice_in(again) == invoice_in(source)


def test_what_a_body_cannot_say_is_named_with_place_and_value(caller):
    source = UBL.replace(b"<cbc:Cust", b"<cbc:UBLVersionID>2.1</cbc:UBLVersionID><cbc:Cust", 1)
    answer = converted(caller, source, "?to=json", **XML)
    [lost] = [each for each in answer["warnings"] if each["code"] == "not-carried-over"]

    assert lost["location"] == "/Invoice[1]/UBLVersionID[1]"
    assert '"2.1"' in lost["message"]
    assert "JSON" in lost["message"]


def test_the_body_of_a_send_is_json_already(caller):
    answer = caller.bearer("POST", PATH + "?to=json", send_body("unused"))

    assert answer.status_code == 400
    assert answer.json["errors"][0]["pointer"] == "/to"


def test_json_is_answered_as_json_whatever_is_accepted(caller):
    answer = caller.bearer("POST", PATH + "?to=json", UBL, Accept="application/xml", **XML)

    assert answer.status_code == 200
    assert answer.json["format"] == "json"


def of_profile(document: bytes, specification: str) -> bytes:
    """The CII document with another specification identifier."""
    written = b"urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0"
    assert written in document
    return document.replace(written, specification.encode())


def test_a_profile_that_the_other_syntax_lacks_becomes_en_16931(caller):
    """Factur-X has no UBL. What is judged is what the document then is."""
    for specification in (
        "urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic",
        "urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended",
    ):
        answer = converted(caller, of_profile(CII, specification), "?to=ubl", **XML)
        lost = [w["location"] for w in answer["warnings"] if w["code"] == "not-carried-over"]

        assert (answer["format"], answer["validation"]["trafficLight"]) == ("ubl", "green")
        assert "<cbc:CustomizationID>urn:cen.eu:en16931:2017</" in answer["document"]
        assert any("GuidelineSpecifiedDocumentContextParameter" in place for place in lost)


def test_a_profile_without_lines_is_refused_by_its_name(caller):
    for specification, name in (("minimum", "MINIMUM"), ("basicwl", "BASIC WL")):
        document = of_profile(CII, f"urn:factur-x.eu:1p0:{specification}")
        answer = caller.bearer("POST", PATH, document, **XML)

        assert answer.status_code == 400
        assert f"the profile {name} of Factur-X has no lines" in answer.json["detail"]


def test_a_pdf_without_an_invoice_is_refused_as_such(caller):
    empty, content = pikepdf.new(), BytesIO()
    empty.add_blank_page()
    empty.save(content)
    answer = caller.bearer("POST", PATH, content.getvalue(), Content_Type="application/pdf")

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")
    assert "no invoice is attached to the PDF" in answer.json["detail"]


def test_the_subject_code_of_a_note_stays_before_its_text_in_cii_of_peppol(caller):
    """Peppol takes no subject code there (R002); back in UBL the note is as it was."""
    source = UBL.replace(
        b"<cbc:DocumentCurrency", b"<cbc:Note>#AAI#Help</cbc:Note><cbc:DocumentCurrency", 1
    )

    there = converted(caller, source, "?to=cii", **XML)
    back = converted(caller, there["document"].encode(), "?to=ubl", **XML)

    assert there["validation"]["trafficLight"] == "green"
    assert there["warnings"] == []
    assert "<cbc:Note>#AAI#Help</cbc:Note>" in back["document"]


def test_the_time_zone_of_a_day_is_a_warning_that_keeps_the_day(caller):
    source = re.sub(rb"(<cbc:IssueDate>[0-9-]+)<", rb"\1+01:00<", UBL)

    [warning] = converted(caller, source, "?to=cii", **XML)["warnings"]

    assert (warning["code"], warning["location"]) == (
        "not-carried-over",
        "/Invoice[1]/IssueDate[1]",
    )
    assert warning["message"].startswith("The time zone of IssueDate")
