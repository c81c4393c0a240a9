"""Bytes of a listed artefact never change (decisions 30.4)."""

from __future__ import annotations

import json

import pytest
import sqlalchemy as sa

from einvoice.store.core import db
from einvoice.store.tables import Invoice
from einvoice.validation.report_forms import CURRENT_FORM, StoredReport, rendered
from tests.web.caller import Caller
from tests.web.submission.documents import request_of, two_lines
from tests.web.test_artefacts import DELIVERED, content, listed


def amber(number: str) -> dict:
    """A submission with an element that the core invoice does not know."""
    unused = b"</cbc:ID><cbc:UUID>1</cbc:UUID>"
    return request_of(two_lines(number).replace(b"</cbc:ID>", unused, 1))


def submitted(caller: Caller) -> str:
    headers = {"Prefer": "respond-async"}
    return str(caller.bearer("POST", "/v1/invoices", amber("L-1"), **headers).json["id"])


def in_a_batch(caller: Caller) -> str:
    answer = caller.bearer("POST", "/v1/invoices/batch", {"invoices": [amber("L-1")]})
    return str(answer.json["results"][0]["id"])


def set_form(invoice: str, form: int | None) -> None:
    """As another release has stored it."""
    with db.writing() as connection:
        change = sa.update(Invoice).where(Invoice.id == invoice).values(report_form=form)
        connection.execute(change)


@pytest.mark.parametrize("send", [Caller.sent, submitted, in_a_batch])
def test_the_report_of_a_new_document_names_the_form_of_this_release(caller, send):
    invoice = send(caller)
    item = listed(caller, invoice)["VALIDATION_REPORT"]

    assert content(caller, invoice, item).json["reportForm"] == CURRENT_FORM


def test_the_report_of_an_earlier_release_has_the_bytes_that_it_had(caller):
    """With the digest of these bytes, in each language."""
    invoice = submitted(caller)
    with caller.app.app_context():
        set_form(invoice, None)
        with db.reading() as connection:
            row = connection.execute(sa.select(Invoice).where(Invoice.id == invoice)).one()
    for language in ("en", "de"):
        path = f"/api/invoices/{invoice}/artefacts"
        headers = {"Accept_Language": language}
        item = caller.get(f"{path}?type=VALIDATION_REPORT", **headers).json["items"][0]
        found = caller.get(f"{path}/{item['artefactId']}", **headers)
        expected = rendered(
            StoredReport(
                1, row.rule_pack, row.rule_set_chosen_by, "ubl", "invoice", row.findings,
                json.loads(found.data)["validatedAt"],
            ),
            language,
        )  # fmt: skip

        assert found.data == expected
        assert item["sizeBytes"] == len(expected)
        assert b"reportForm" not in found.data
        assert b"UBL-CR-005" in found.data


def test_the_report_of_a_later_release_is_listed_when_that_release_is_back(caller):
    """After the service has gone back one release."""
    invoice = caller.sent()
    item = listed(caller, invoice)["VALIDATION_REPORT"]
    with caller.app.app_context():
        set_form(invoice, CURRENT_FORM + 1)
    assert listed(caller, invoice).keys() == {"UBL", "ORIGINAL"}
    assert content(caller, invoice, item).status_code == 404

    with caller.app.app_context():
        set_form(invoice, CURRENT_FORM)
    assert listed(caller, invoice)["VALIDATION_REPORT"] == item


def test_a_document_is_listed_once_its_pdf_is_embedded(caller):
    """Its bytes are final then; everything that was listed before is as it was."""
    invoice = caller.sent(DELIVERED, embedPdf=True)
    before = listed(caller, invoice)
    caller.work()
    after = listed(caller, invoice)

    assert before.keys() == {"VALIDATION_REPORT", "ORIGINAL"}
    assert {kind: after[kind] for kind in before} == before
    assert b"EmbeddedDocumentBinaryObject" in content(caller, invoice, after["UBL"]).data
