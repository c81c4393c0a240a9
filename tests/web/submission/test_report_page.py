"""The report of POST /v1/invoices/validate as a page, and its twin in JSON."""

from __future__ import annotations

import hashlib
import json
from io import BytesIO

import pikepdf
import pytest
from click.testing import CliRunner

from einvoice.cli.validate import validate
from einvoice.documents import pdf
from einvoice.documents.cii import write as cii
from tests.builders import send_body
from tests.documents.pdf.samples import ACME, an_invoice
from tests.web.caller import slug
from tests.web.submission.documents import encoded, two_lines

PATH = "/v1/invoices/validate"
HTML = {"Accept": "text/html"}
XML = {"Content_Type": "application/xml"}
GOOD = two_lines("P-1")
RED = GOOD.replace(b">181.50<", b">181.51<")


def test_the_page_is_the_report_for_who_asks_for_it(caller):
    """By Accept; JSON where both are taken equally."""
    found = {}
    for accept in ("text/html", "application/json", "*/*", "text/html, */*;q=0.1",
                   "application/json, text/html"):  # fmt: skip
        answer = caller.bearer("POST", PATH, RED, Accept=accept, **XML)
        assert answer.status_code == 200
        found[accept] = answer.mimetype

    assert found == {
        "text/html": "text/html",
        "application/json": "application/json",
        "*/*": "application/json",
        "text/html, */*;q=0.1": "text/html",
        "application/json, text/html": "application/json",
    }
    refused = caller.bearer("POST", PATH, RED, Accept="text/csv", **XML)
    assert (refused.status_code, slug(refused)) == (406, "not-acceptable")
    assert "text/html" in refused.json["detail"]


def test_the_page_has_what_the_json_has_and_the_invoice(caller):
    report = caller.bearer("POST", PATH, RED, **XML).json
    answer = caller.bearer("POST", PATH, RED, **HTML, **XML)

    for member in ("ruleSet", "ruleSetRelease", "ruleSetSha256", "documentSha256"):
        assert report[member] in answer.text, member
    for finding in report["findings"]:
        assert finding["ruleId"] in answer.text
        assert finding["suggestion"].replace("'", "&#39;") in answer.text
    assert report["documentSha256"] == hashlib.sha256(RED).hexdigest()
    assert "Consulting" in answer.text
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "<script" not in answer.text


def test_each_form_of_a_document_has_a_page(caller):
    """XML in base64, a PDF (by its own digest), a send, with wrong totals too, and no document."""
    invoice = an_invoice()
    hybrid = pdf.render_factur_x(
        invoice, ACME, cii.document_xml(invoice, "urn:cen.eu:en16931:2017")
    )
    empty = BytesIO()
    document = pikepdf.new()
    document.add_blank_page()
    document.save(empty)
    send = send_body("none", number="P-9")
    wrong = json.loads(json.dumps(send))
    wrong["invoice"]["totals"] = {"subtotal": 1.0, "taxAmount": 0.21, "grandTotal": 1.21}
    cases = {
        "base64": ({"invoice": encoded(GOOD)}, hashlib.sha256(GOOD).hexdigest()),
        "PDF": ({"invoice": encoded(hybrid)}, hashlib.sha256(hybrid).hexdigest()),
        "send": (send, "P-9"),
        "wrong send": (wrong, "DECLARED-TOTALS-MISMATCH"),
        "empty PDF": ({"invoice": encoded(empty.getvalue())}, "PDF-WITHOUT-INVOICE"),
    }

    for name, (body, expected) in cases.items():
        answer = caller.bearer("POST", PATH, body, **HTML)
        assert (answer.status_code, answer.mimetype) == (200, "text/html"), name
        assert expected in answer.text, name


def test_the_digest_of_a_send_is_that_of_its_body(caller):
    """The document that it would become is written anew each time, and kept by nobody."""
    body = json.dumps(send_body("none", number="P-9")).encode()
    answers = [caller.bearer("POST", PATH, body) for _ in range(2)]

    digest = hashlib.sha256(body).hexdigest()
    assert [each.json["documentSha256"] for each in answers] == [digest, digest]


@pytest.mark.parametrize(("accepted", "expected"), [("de", "Prüfbericht"), ("fi", "Validation")])
def test_the_page_is_in_the_language_of_the_findings(caller, accepted, expected):
    answer = caller.bearer("POST", PATH, RED, **HTML, **XML, Accept_Language=accepted)

    assert f"<h1>{expected}" in answer.text
    assert answer.headers["Content-Language"] == ("de" if accepted == "de" else "en")


def test_a_refusal_is_a_problem_document_whoever_asks(caller):
    answer = caller.bearer("POST", PATH, {"invoice": "no base64!"}, **HTML)

    assert (answer.status_code, answer.mimetype) == (400, "application/problem+json")


def test_the_command_line_writes_the_members_that_the_schema_has(caller, tmp_path):
    """Besides those of a file; and the service writes no other either."""
    schemas = caller.client.get("/openapi.json").json["components"]["schemas"]
    known = schemas["ValidateResponse"]["properties"]
    finding = schemas["ValidationFinding"]["properties"].keys()
    (tmp_path / "red.xml").write_bytes(RED.replace(b'unitCode="', b'unitCode="no', 1))
    ran = CliRunner().invoke(validate, ["--json", str(tmp_path / "red.xml")])
    by_command = json.loads(ran.stdout)
    by_service = caller.bearer("POST", PATH, (tmp_path / "red.xml").read_bytes(), **XML).json

    assert by_command.keys() - known.keys() == {"file"}
    assert by_service.keys() <= known.keys()
    assert known.keys() - by_service.keys() == {"truncated"}
    for report in (by_command, by_service):
        assert {name for each in report["findings"] for name in each} <= finding
        assert "value" in {name for each in report["findings"] for name in each}
    same = ("findings", "ruleSetSha256", "ruleSetRelease", "documentSha256", "trafficLight")
    assert [by_command[name] for name in same] == [by_service[name] for name in same]
