"""Schemas of the /v1 requests."""

from __future__ import annotations

from einvoice.services.send.submission import FORMATS
from einvoice.web.contract import Contract, Part
from einvoice.web.fields import NETWORK, PROFILE, Code, Day, Text
from einvoice.web.shared.connection_field import connection_field
from einvoice.web.shared.metadata import metadata_field
from einvoice.web.shared.party_schemas import country
from einvoice.web.submission.encoded import Encoded

_ON = "The day whose rules judge the document; default today."


class Participant(Contract):
    peppolId = Text(
        "ISO 6523 id; must be the electronic address (EndpointID) of the document.",
        max_length=140,
        example="0208:0123456749",
    )
    country = country("ISO 3166-1 alpha-2; if given, it must be that of the document.")


class ConvertQuery(Contract):
    """The wanted syntax."""

    to = Code(
        "The wanted syntax; by default CII for UBL, UBL for CII and for the body of a send. json "
        "is the body of a send, of a document in XML.",
        ("ubl", "cii", "json"),
        name="ubl, cii or json",
        example="cii",
    )


class ValidateQuery(Contract):
    """The day of the rules."""

    on = Day(_ON, example="2027-03-01")


class DocumentRequest(Contract):
    """A document with what is said about it."""

    invoice = Encoded(
        "The document in base64: XML (UBL 2.1 or CII D16B, UTF-8), or a PDF with one attached.",
        required=True,
        example="PD94bWwgdmVyc2lvbj0iMS4wIj8+PEludm9pY2U+4oCmPC9JbnZvaWNlPg==",
    )
    format = Code(
        "The syntax of the document; auto (default) detects it.",
        FORMATS,
        name="ubl, cii or auto",
        example="ubl",
    )
    network = Text(
        "The network to use; default peppol.", max_length=40, form=NETWORK, example="peppol"
    )
    connection = connection_field()
    profile = Text(
        "The profile of the network that the document is to follow; default: the one that it "
        "follows, else the first that the receiver's lookup lists.",
        max_length=40,
        form=PROFILE,
        example="peppol-bis-billing",
    )
    sender = Part(Participant, "Who sends.")
    receiver = Part(Participant, "The receiver.")
    metadata = metadata_field()


class ValidateRequest(DocumentRequest):
    """A document to validate; the other members of a submission are allowed."""

    on = Day(_ON, example="2027-03-01")


class SubmitRequest(DocumentRequest):
    """The body of POST /v1/invoices."""

    sender = Part(Participant, "Who sends.", required=True)
    receiver = Part(
        Participant,
        "The receiver; must differ from the sender. Required with its peppolId, unless the network "
        "reaches receivers without one: consumers, or buyers known by their tax number.",
    )
