"""Schemas of the content of an invoice as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from einvoice.documents.leaves import Place
from einvoice.domain.invoice import TaxSubtotal
from einvoice.services.invoices.content import InvoiceContent
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import response_fields as a
from einvoice.web.shared.invoice_schemas import ArtefactRecord

_EXAMPLE: Mapping[str, Any] = {"number": "2026-001", "issueDate": "2026-11-21"}


class VatRow(ResponseSchema[TaxSubtotal]):
    """A row of the VAT breakdown (BG-23), as the document states it."""

    category = a.text("VAT category (BT-118)", "S", source="category.code")
    rate = a.amount("VAT rate in percent (BT-119); null without one", 21, source="category.rate")
    taxableAmount = a.amount("Taxable amount (BT-116)", 100.00, source="taxable")
    taxAmount = a.amount("VAT (BT-117)", 21.00, source="tax")
    exemptionReason = a.text(
        "Why it is exempt (BT-120); null if it is not", "Article 44", or_null=True,
        source="exemption_reason",
    )  # fmt: skip
    exemptionCode = a.text(
        "The same as a VATEX code (BT-121); null without one", "VATEX-EU-AE", or_null=True,
        source="exemption_code",
    )  # fmt: skip


class NotCarriedOver(ResponseSchema[Place]):
    """A value of the document that no member carries."""

    location = a.text("XPath of its place", "/Invoice[1]/UBLVersionID[1]", source="path")
    line = a.number("Line in the document", 4)
    value = a.text("Its text; null for an element with others below it", "2.1", or_null=True)
    count = a.number("How many elements of this name it stands for", 1)


class ContentResponse(ResponseSchema[InvoiceContent]):
    """The content of an invoice as the body of a send."""

    invoiceId = a.an_id("The invoice", source="record.id")
    direction = a.text("sent or received", "received", source="record.direction")
    syntax = a.text("Syntax of the document that was read: ubl or cii", "ubl", source="read.syntax")
    invoice = a.members(
        "As `invoice` of POST /api/invoices/send; `attachments` without `content`, in the order of "
        "the attachments below",
        _EXAMPLE,
        source="read.invoice",
    )
    routing = a.members(
        "As `routing` of a send: the ids of the parties, if they have any",
        {"senderParticipantId": "0208:0123456749"},
        source="read.routing",
    )
    options = a.members(
        "As `options` of a send: the rule of totals under which it holds, if that is not `exact`",
        {},
        source="read.options",
    )
    vatBreakdown = a.things(VatRow(), "Its VAT breakdown", source="read.taxes")
    notCarriedOver = a.things(
        NotCarriedOver(), "What of the document no member says", source="read.lost"
    )
    attachments = a.things(
        ArtefactRecord(), "Its attached files, which are artefacts of the type ATTACHMENT"
    )
    provider = a.provider()
