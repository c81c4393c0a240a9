"""POST /v1/invoices/convert: a document or the body of a send in UBL or CII."""

from __future__ import annotations

from dataclasses import replace

from flask import Response, request

from einvoice.domain.errors import (
    DeclaredTotalsMismatch,
    FieldError,
    InvalidField,
    InvalidReceiver,
    InvalidSender,
    MissingRouting,
    SelfInvoicing,
    UnreadableDocument,
    ValidationUnavailable,
)
from einvoice.services.send import unsent
from einvoice.services.send.conversion import Conversion
from einvoice.services.send.submission import Submission
from einvoice.web import answered_posts, credentials, paging, send_requests
from einvoice.web.addresses import JSON
from einvoice.web.admission import request_bodies
from einvoice.web.api import Family
from einvoice.web.finding_language import language_of_findings
from einvoice.web.runtime import runtime
from einvoice.web.shared import computations
from einvoice.web.submission.response_schemas import ConvertResponse
from einvoice.web.submission.schemas import ConvertQuery
from einvoice.web.submission.v1_bodies import DOCUMENT_BODY, read_for_validation

family = Family(
    "conversion", __name__, url_prefix="/v1", credential=credentials.bearer, tag="Documents"
)
family.after_request(credentials.challenge)

_XML = "application/xml"
_QUERY = ConvertQuery()
_HEADERS = {
    name: {"$ref": f"#/components/headers/{name}"}
    for name in ("Conversion-Light", "Conversion-Warnings")
}


@family.route("/invoices/convert", methods=["POST"])
@answered_posts.takes_no_key
@family.doc(
    requestBody=DOCUMENT_BODY,
    parameters=[{"in": "query", "schema": ConvertQuery}],
    responses={200: {"content": {_XML: {"schema": {"type": "string"}}}, "headers": _HEADERS}},
)
@family.reads_headers("Accept-Language")
@family.refuses(
    MissingRouting,
    InvalidSender,
    InvalidReceiver,
    SelfInvoicing,
    DeclaredTotalsMismatch,
    ValidationUnavailable,
    *computations.REFUSALS,
)
@family.response(200, ConvertResponse())
def convert_document() -> Response | Conversion:
    """Convert a document to the other syntax or to the body of a send, or that to UBL or CII.

    Accepts the bodies of POST /v1/invoices/validate, and stores nothing. The answer has the
    document, the verdict on it, and a warning for each term that the other syntax cannot express
    or that it requires in addition. With `Accept: application/xml` it is the document alone. A
    document that breaks rules is converted, and its verdict is red; one that cannot be read is 400.
    `to=json` makes the body of POST /api/invoices/send, without `accessPointRef`: its verdict is
    that on the document it becomes, and what it cannot say is a warning with place and value.
    """
    credentials.require("invoices:send")
    to = paging.read_query(_QUERY).get("to")
    found = _converted(request_bodies.request_body(), to)
    report = found.verdict.report
    if found.body is None and request.accept_mimetypes.best_match([JSON, _XML]) == _XML:
        answer = Response(found.content, content_type=_XML)
        answer.headers["Conversion-Light"] = report.light.value
        answer.headers["Conversion-Warnings"] = str(len(found.warnings))
        return answer
    return found


def _converted(body: bytes, to: str | None) -> Conversion:
    principal = credentials.principal()
    needs = send_requests.routing_needs(principal)
    wanted = read_for_validation(body, receiver_required=needs.receiver)
    language = language_of_findings()
    if not isinstance(wanted, Submission):
        if to == "json":
            message = "json is what the body of a send is already: name ubl or cii"
            raise InvalidField([FieldError("/to", "contradicts-document", message)])
        return unsent.convert_send(wanted, to or "ubl", principal, runtime(), language)
    try:
        return unsent.convert(replace(wanted, language=language), to, principal, runtime())
    except UnreadableDocument as fault:
        pointer = "" if wanted.content is body else "/invoice"
        message = f"holds no invoice: {fault.detail}"
        raise InvalidField([FieldError(pointer, "unreadable-document", message)]) from None
