"""The /v1 family: check documents, submit them, follow them."""

from __future__ import annotations

from flask import Response

from einvoice.domain.errors import InvalidReceiver, InvalidSender, MissingRouting, SelfInvoicing
from einvoice.services import submission
from einvoice.services.submission import Submission
from einvoice.web import credentials
from einvoice.web.api import Family
from einvoice.web.public.schemas import Send
from einvoice.web.public.views import answer, provider, read_bytes
from einvoice.web.submission.answer_schemas import ValidateResponse
from einvoice.web.submission.reading import read_for_validation
from einvoice.web.submission.schemas import Document

family = Family("submission", __name__, url_prefix="/v1", credential=credentials.bearer)
family.after_request(credentials.challenge)

_TO_VALIDATE = {
    "required": True,
    "content": {
        "application/json": {"schema": {"oneOf": [Document, Send]}},
        "application/xml": {"schema": {"type": "string"}},
    },
}


@family.route("/invoices/validate", methods=["POST"])
@family.doc(requestBody=_TO_VALIDATE)
@family.refuses(MissingRouting, InvalidSender, InvalidReceiver, SelfInvoicing)
@family.response(200, ValidateResponse())
def validate_invoice() -> Response:
    """Check a document without sending it.

    Takes a UBL or CII document as it stands (application/xml) or in base64 inside JSON, and the
    JSON body of a send (its accessPointRef may be missing). Answers 200 whatever the light, red
    included; 400 only for what holds no document. Nothing is stored.
    """
    credentials.require("invoices:send")
    wanted = read_for_validation(read_bytes())
    if isinstance(wanted, Submission):
        verdict = submission.validate(wanted)
    else:
        verdict = submission.validate_send(wanted, credentials.principal())
    return answer({**verdict.as_json(), "provider": provider()})
