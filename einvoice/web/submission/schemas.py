"""What the /v1 routes read."""

from __future__ import annotations

from einvoice.services.send.submission import FORMATS
from einvoice.web.contract import Contract, Part
from einvoice.web.fields import Code, Text
from einvoice.web.shared.party_schemas import country
from einvoice.web.submission.encoded import Encoded

_NETWORK = (r"[a-z0-9][a-z0-9\-]{0,39}", "the name of a network, such as peppol")


class Participant(Contract):
    peppolId = Text(
        "ISO 6523 id; the document's electronic address (EndpointID) must be the same.",
        max_length=140,
        example="0208:0123456749",
    )
    country = country("ISO 3166-1 alpha-2; where given, the document must say the same.")


class PdfQuery(Contract):
    """In which form an invoice is printed."""

    format = Code(
        "pdf (default): with the document inside. factur-x: with the invoice as CII of the profile "
        "EN 16931 inside.",
        ("pdf", "factur-x"),
        name="pdf or factur-x",
        example="factur-x",
    )


class Document(Contract):
    """A document to be checked; whatever else a submission has may be there, too."""

    invoice = Encoded(
        "The XML document (UBL 2.1 or CII D16B, UTF-8) in base64.",
        required=True,
        example="PD94bWwgdmVyc2lvbj0iMS4wIj8+PEludm9pY2U+4oCmPC9JbnZvaWNlPg==",
    )
    format = Code(
        "What the document is; auto (default) finds out.",
        FORMATS,
        name="ubl, cii or auto",
        example="ubl",
    )
    network = Text(
        "The network to deliver by; default peppol.", max_length=40, form=_NETWORK, example="peppol"
    )
    sender = Part(Participant, "Who sends.")
    receiver = Part(Participant, "Who receives.")


class SubmitRequest(Document):
    """The body of POST /v1/invoices."""

    sender = Part(Participant, "Who sends.", required=True)
    receiver = Part(Participant, "Who receives; must differ from the sender.", required=True)
