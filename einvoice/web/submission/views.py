"""The /v1 routes for one document: validate, submit, track, PDF."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from flask import Response, request

from einvoice.domain.bounds import listed
from einvoice.domain.delivery import SendAnswer
from einvoice.domain.errors import (
    InvalidReceiver,
    InvalidSender,
    MissingRouting,
    NetworkNotSupported,
    SelfInvoicing,
    ValidationUnavailable,
)
from einvoice.services.invoices import status
from einvoice.services.invoices.status import TrackedInvoice
from einvoice.services.send import submit, unsent
from einvoice.services.send.command import V1_SPACE, SendCommand
from einvoice.services.send.result import SendResult
from einvoice.services.send.submission import Submission
from einvoice.validation import warnings
from einvoice.web import addresses, answered_posts, credentials, paging, send_requests
from einvoice.web.admission import request_bodies
from einvoice.web.api import Family
from einvoice.web.finding_language import language_of_findings
from einvoice.web.responses import json_response, provider
from einvoice.web.runtime import runtime
from einvoice.web.shared import computations, pdf, report_pages
from einvoice.web.submission.response_schemas import (
    DocumentResponse,
    SubmitResponse,
    Submitted,
    ValidateResponse,
)
from einvoice.web.submission.schemas import SubmitRequest, ValidateQuery
from einvoice.web.submission.v1_bodies import DOCUMENT_BODY, read_for_validation, read_submission

family = Family(
    "submission", __name__, url_prefix="/v1", credential=credentials.bearer, tag="Documents"
)
family.after_request(send_requests.add_headers)

_QUERY, _SUBMITTED = ValidateQuery(), SubmitResponse()


@family.route("/invoices/validate", methods=["POST"])
@answered_posts.takes_no_key
@family.doc(
    requestBody=DOCUMENT_BODY,
    parameters=[{"in": "query", "schema": ValidateQuery}],
    responses={200: {"content": {report_pages.HTML: {"schema": {"type": "string"}}}}},
)
@family.reads_headers("Accept-Language")
@family.refuses(
    MissingRouting,
    InvalidSender,
    InvalidReceiver,
    SelfInvoicing,
    ValidationUnavailable,
    *computations.REFUSALS,
)
@family.response(200, ValidateResponse())
def validate_document() -> Response:
    """Validate a document without sending it.

    Accepts a UBL or CII document as XML (application/xml), a PDF that has one attached (Factur-X,
    ZUGFeRD; application/pdf), either in base64 inside JSON, and the JSON body of a send
    (accessPointRef is optional). A document is judged by the rules of its own kind; with `network`
    or `profile`, as what the network is sent. Answers 200 for every traffic light, red included;
    400 only for a body without a document. Nothing is stored. Findings are in the first language
    of Accept-Language that the service has. `on`, in the query or beside a document in JSON, is the
    day whose rules apply. With `Accept: text/html` the report is a page to read and to print, with
    the findings and the invoice.
    """
    credentials.require("invoices:send")
    on = paging.read_query(_QUERY).get("on")
    principal = credentials.principal()
    needs = send_requests.routing_needs(principal)
    given = request_bodies.request_body()
    wanted = read_for_validation(given, receiver_required=needs.receiver)
    language = language_of_findings()
    as_page = _wants_page()
    if isinstance(wanted, Submission):
        document = replace(wanted, language=language, on=on or wanted.on)
        checked = unsent.validate(document, principal, runtime())
    else:
        checked = unsent.validate_send(
            wanted, principal, runtime(), language, on, body=given, with_invoice=as_page
        )
    if as_page:
        name = checked.invoice.number if checked.invoice else "–"
        return report_pages.page_response(
            [report_pages.entry_of(name, checked, language)], language
        )
    worded = warnings.in_words((each.as_data() for each in checked.verdict.warnings), language)
    body = {**checked.as_json(), **listed("warnings", worded), "provider": provider()}
    return json_response(body)


def _wants_page() -> bool:
    best = request.accept_mimetypes.best_match([addresses.JSON, report_pages.HTML])
    return best == report_pages.HTML


# Refusals of a submission.
REFUSALS = (
    *send_requests.REFUSALS,
    NetworkNotSupported,
    ValidationUnavailable,
)


@family.route("/invoices", methods=["POST"])
@family.doc(
    requestBody={"required": True, "content": {"application/json": {"schema": SubmitRequest}}}
)
@family.reads_headers("Idempotency-Key", "Prefer", "Accept-Language")
@family.refuses(*REFUSALS)
@family.alt_response(202, schema=_SUBMITTED, description="On its way.")
@family.response(200, _SUBMITTED, description="Delivered.")
def submit_document() -> Response:
    """Submit a UBL or CII document, or a PDF with one attached, for delivery.

    Answers 200 if the network delivers it within the wait (header Prefer), else 202 with the
    Location for its status. CII is sent to receivers that accept it, else converted to UBL.
    """
    command = send_requests.command(runtime().settings.v1_wait, V1_SPACE, until_settled=True)
    needs = send_requests.routing_needs(command.principal)
    read = partial(read_submission, receiver_required=needs.receiver)
    return _response_of(submit.submit(command, read, runtime()), command)


def _response_of(result: SendResult, command: SendCommand) -> Response:
    tracked = status.brief(result.invoice_id or "", command.principal, command.language)
    body = _SUBMITTED.write(Submitted(result, tracked, command.key))
    response = json_response(body, 200 if result.answer is SendAnswer.DELIVERED else 202)
    if response.status_code == 202:
        response.headers["Location"] = f"/v1/invoices/{result.invoice_id}"
    return send_requests.with_replay_headers(response, result)


@family.route("/invoices/<invoice_id>")
@family.reads_headers("Accept-Language")
@family.response(200, DocumentResponse())
def get_document(invoice_id: str) -> TrackedInvoice:
    """Get an invoice with status, validation, history, artefacts and responses.

    Includes invoices of the tenant that were sent by the public API, and received ones, as the list
    does.
    """
    credentials.require("invoices:read")
    return status.track(invoice_id, credentials.principal(), language_of_findings())


@family.route("/invoices/<invoice_id>/pdf")
@family.doc(**pdf.DOCUMENTED)
@family.refuses(*pdf.REFUSALS)
@family.response(200, description="The PDF (PDF/A-3), with the document inside.")
def get_document_pdf(invoice_id: str) -> Response:
    """Get a sent or received invoice as a PDF; a sent one with the branding of its tenant.

    The PDF embeds the document as sent, or with format=factur-x the invoice as CII. The pages of
    an invoice that is not Delivered are marked as not yet delivered.
    """
    credentials.require("artefacts:read")
    wanted, principal = pdf.pdf_format(), credentials.principal()
    return pdf.pdf_response(status.brief(invoice_id, principal).record, principal.tenant_id, wanted)
