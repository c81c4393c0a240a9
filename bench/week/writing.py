"""The bodies that programs send, and the documents that suppliers hand over, by the plan."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from email.message import EmailMessage
from email.policy import SMTP
from functools import partial
from typing import Any

from bench.week.plan import Arrival, Form, Incoming, Shape
from einvoice import clock
from einvoice.cli.demo_countries import BELGIAN, STORIES, Story
from einvoice.documents import pdf
from einvoice.documents.ubl.write import document_xml
from einvoice.domain.derive import derive
from einvoice.domain.identifiers import ParticipantId
from einvoice.network import samples
from einvoice.web.shared.send_bodies import read_send
from einvoice_fr_ctc.names import NETWORK as FRANCE
from tests.builders import SEND
from tests.documents.pdf.samples import ACME, an_invoice
from tests.networks.anaf import selling as romanian
from tests.networks.fr import company as french_company
from tests.networks.fr import selling as french
from tests.networks.ksef import selling as polish
from tests.networks.mail.test_corpus import apple, forwarded, gmail, odd_charset
from tests.networks.zatca import selling as saudi
from tests.web.submission.documents import CII_SENDER, cii

BUYERS = "http"  # the buyers' network
BUYER = "0088:9520000000998"
MAIL_BUYERS = "buyers.example"  # the domain of buyers on no network
SIMULATED = "0088:9520000000004"
# Parties of who sends over Peppol to itself.
NATIONAL_STORIES: Mapping[Shape, Story] = {
    Shape.SLOVAK: STORIES["SK"], Shape.EMIRATI: STORIES["AE"], Shape.OMANI: STORIES["OM"]
}  # fmt: skip
OVER_PEPPOL = {**NATIONAL_STORIES, Shape.TRADER: BELGIAN}
FOREIGN_BUYER = BELGIAN.buyer  # at the foreign access point
FRENCH_BUYER = f"0225:{french_company.BUYER}"
SENDER, SUPPLIER = "0208:0123456749", "0208:0123456749"
# Buyers of the simulator that respond, and `response.status` of the invoice then.
RESPONDERS = {
    "0088:9520000000103": "rejected",
    "0088:9520000000110": "accepted",
    "0088:9520000000196": "received",
    "0088:9520000000202": "inProcess",
    "0088:9520000000219": "conditionallyAccepted",
    "0088:9520000000226": "paid",
    "0088:9520000000233": "undeliverable",
}
# A Belgian number that Peppol BIS refuses from release 3.0.22 on, which is in force on 2027-02-24.
REFUSED_LATER = "0208:2000000042"
SHAPES = (gmail, apple, forwarded, odd_charset)  # of mails with a bill
WHITE_BYTES = 300_000
_UNKNOWN = "urn:cen.eu:en16931:2017#compliant#urn:example:nobody:knows:1.0"


def responder(number: str) -> str:
    """The buyer of an answered send, which its number chooses."""
    return sorted(RESPONDERS)[sum(number.encode()) % len(RESPONDERS)]


def receiver(shape: Shape, form: Form, number: str) -> str | None:
    """The receiver that a send has to look up; None: none."""
    match shape, form:
        case Shape.FRENCH, Form.CONSUMER:
            return BUYER
        case Shape.FRENCH, _:
            return FRENCH_BUYER
        case _ if shape in OVER_PEPPOL:
            return OVER_PEPPOL[shape].buyer
        case ((Shape.ROMANIAN | Shape.POLISH | Shape.SAUDI), _):
            return None
        case _, Form.ANSWERED:
            return responder(number)
        case _, (Form.UBL | Form.CII | Form.FACTUR_X | Form.BATCH | Form.MAIL):
            return None
    return BUYER


def lookup_of(participant: str) -> dict[str, str]:
    """The query of the lookup of a receiver; the buyers' network says that it has everybody."""
    networks = {BUYER: BUYERS, FRENCH_BUYER: FRANCE}
    networks |= {story.buyer: "peppol" for story in OVER_PEPPOL.values()}
    named = {"network": networks[participant]} if participant in networks else {}
    return {"participantId": participant, **named}


def body(
    shape: Shape, form: Form, numbers: tuple[str, ...], reference: str | None
) -> dict[str, Any]:
    """The request of a send."""
    number = numbers[0]
    if form is Form.CONSUMER:
        return _to_a_consumer(number, reference or "")
    if shape in NATIONAL:
        made = NATIONAL[shape](number, reference or "")
        return _worse(made) if form is Form.BAD else made
    match form:
        case Form.UBL:
            return _submitted(_ubl(number), "ubl", SENDER)
        case Form.CII:
            return _submitted(cii(receiver=SIMULATED, number=number), "cii", CII_SENDER)
        case Form.FACTUR_X:
            return _submitted(_factur_x(number), "auto", CII_SENDER)
        case Form.BATCH:
            return {"invoices": [_entry(each) for each in numbers]}
        case Form.ANSWERED:
            return a_send(number, reference or "", responder(number))
        case Form.MAIL:
            return _mailed(number)
    made = a_send(number, reference or "")
    if form is Form.ANNOUNCED:
        made["invoice"]["supplier"] = made["invoice"]["supplier"] | {"companyId": REFUSED_LATER}
    return _worse(made) if form is Form.BAD else made


def a_send(number: str, reference: str, to: str = BUYER) -> dict[str, Any]:
    """A send of an invoice of today."""
    today = clock.today().isoformat()
    invoice = dict(SEND["invoice"]) | {"number": number, "issueDate": today, "dueDate": today}
    routing = {
        "senderParticipantId": SENDER,
        "receiverParticipantId": to,
        "accessPointRef": reference,
    }
    return {"invoice": invoice, "routing": routing}


def _entry(number: str) -> dict[str, Any]:
    """A send of a batch, which looks up its receiver itself."""
    made = a_send(number, "")
    del made["routing"]["accessPointRef"]
    made["routing"]["network"] = BUYERS
    return made | {"idempotencyKey": number}


def _mailed(number: str) -> dict[str, Any]:
    """A send to a buyer on no network."""
    made = a_send(number, "")
    routing = {"senderParticipantId": SENDER, "network": "mail", "email": f"{number}@{MAIL_BUYERS}"}
    return made | {"routing": routing}


def _worse(made: dict[str, Any]) -> dict[str, Any]:
    """The send with a total that is wrong."""
    totals = made["invoice"]["totals"]
    wrong = totals | {"grandTotal": totals["grandTotal"] + 1}
    return made | {"invoice": made["invoice"] | {"totals": wrong}}


def _ubl(number: str) -> bytes:
    wanted = read_send(json.dumps(a_send(number, "none", SIMULATED)).encode())
    return document_xml(derive(wanted["invoice"], wanted["routing"]).invoice)


def _factur_x(number: str) -> bytes:
    return pdf.render_factur_x(an_invoice(), ACME, cii(receiver=SIMULATED, number=number))


def _submitted(document: bytes, form: str, sender: str) -> dict[str, Any]:
    """A finished document, to a buyer of the simulator."""
    return {
        "format": form,
        "sender": {"peppolId": sender},
        "receiver": {"peppolId": SIMULATED},
        "invoice": base64.b64encode(document).decode(),
    }


def _romanian(number: str, _: str) -> dict[str, Any]:
    today = clock.today().isoformat()
    return romanian.a_send(number=number, issueDate=today, dueDate=today)


def _polish(number: str, _: str) -> dict[str, Any]:
    return polish.a_send(number, dueDate=clock.today().isoformat())


def _saudi(number: str, _: str) -> dict[str, Any]:
    return saudi.a_send(number=number)


def _to_a_consumer(number: str, reference: str) -> dict[str, Any]:
    """A sale of the French company that goes another way than through its platform."""
    made = a_send(number, reference)
    consumer = {"name": "Jeanne Martin", "address": french.BUYER["address"]}
    invoice = made["invoice"] | {"supplier": french.SUPPLIER, "buyer": consumer}
    text = json.dumps(invoice).replace("21.0", "20.0").replace("121.0", "120.0")
    return made | {"invoice": json.loads(text)}


class _Buyer:
    """The caller of `french.a_send`, whose buyer is looked up already."""

    def __init__(self, reference: str) -> None:
        self._reference = reference

    def reference(self, _: str) -> str:
        return self._reference


def _french(number: str, reference: str) -> dict[str, Any]:
    today = clock.today().isoformat()
    caller: Any = _Buyer(reference)
    return french.a_send(caller, number=number, issueDate=today, dueDate=today)


def _over_peppol(story: Story, number: str, reference: str) -> dict[str, Any]:
    today = clock.today().isoformat()
    made = story.send(reference)
    dated = {"number": number, "issueDate": today, "dueDate": today}
    return made | {"invoice": made["invoice"] | dated}


NATIONAL: Mapping[Shape, Callable[[str, str], dict[str, Any]]] = {
    Shape.ROMANIAN: _romanian,
    Shape.POLISH: _polish,
    Shape.FRENCH: _french,
    Shape.SAUDI: _saudi,
    **{shape: partial(_over_peppol, story) for shape, story in OVER_PEPPOL.items()},
}


# -- documents that arrive -------------------------------------------------------------------------


def incoming(one: Incoming, participant: str) -> bytes:
    """The document that arrives."""
    if one.kind is Arrival.CII:
        return cii(receiver=participant, number=one.number)
    return _changed(one.kind, _bill(one.number, participant))


def other(one: Incoming, participant: str) -> bytes:
    """Another document, under the id of the message before."""
    return _bill(f"{one.number}o", participant)


def letter(one: Incoming, participant: str) -> bytes:
    """The mail that arrives: with a bill, in the shape of a client, or without one."""
    shape = SHAPES[sum(one.number.encode()) % len(SHAPES)]
    if one.kind is Arrival.MAILED:
        return shape(f"{one.number}.xml", _bill(one.number, participant))
    message = EmailMessage(policy=SMTP)
    message["From"], message["Subject"] = "orders@seller.example", one.number
    message.set_content("Your order has been shipped.")
    return message.as_bytes()


def _bill(number: str, participant: str) -> bytes:
    to = ParticipantId.parse(participant)
    return samples.inbound(number=number, receiver=to).document


def _changed(kind: Arrival, document: bytes) -> bytes:
    match kind:
        case Arrival.ODD:
            return _odd(document)
        case Arrival.UNKNOWN_FORM:
            return document.replace(_customization(document), _UNKNOWN.encode())
        case Arrival.INVALID:
            return document.replace(b">121.00</cbc:PayableAmount>", b">122.00</cbc:PayableAmount>")
        case Arrival.BROKEN:
            return document[: len(document) * 2 // 3]
    return document


def _customization(document: bytes) -> bytes:
    return document.split(b"<cbc:CustomizationID>")[1].split(b"<")[0]


def _odd(document: bytes) -> bytes:
    """The same invoice with a byte order mark, comments, CDATA and much white space."""
    white = b"<!-- printed by hand -->" + b"\n" * WHITE_BYTES
    head, root, rest = document.partition(b"<Invoice")
    rest = rest.replace(b">Sample seller<", b"><![CDATA[Sample seller]]><")
    return (
        b"\xef\xbb\xbf"
        + head
        + b"<!-- a comment -->"
        + root
        + rest.replace(b"</Invoice>", white + b"</Invoice>")
    )
