"""An invoice as the network mail gets it, and access points with their stores in memory."""

from dataclasses import replace

from einvoice.domain.environments import Environment
from einvoice.mail import Deadlines, Mailbox, Outgoing, smarthosts
from einvoice.mail.invoice_mails import InvoiceMail
from einvoice.network import samples
from einvoice_mail.access_point import MailAccessPoint
from einvoice_mail.configuration import Configuration
from einvoice_mail.operation import Operation
from einvoice_mail.rates import Rates
from einvoice_mail.sandbox import SandboxAccessPoint
from einvoice_mail.suppression import Suppression
from tests.memory_store import MemoryStore

BUYER = "buyer@example.org"
DEADLINES = Deadlines(30, 30, 30, 60)


def a_mail(**changes):
    values = {
        "number": "2026-17",
        "seller": "Muster GmbH",
        "buyer": "Example BV",
        "language": "nl",
        "date": "24 november 2026",
        "amount": "€ 121,00",
        "due": "24 december 2026",
        "link": "https://e.example/view/abc",
        "pdf": b"%PDF-1.7 pages",
        "has_xml": True,
        "xml": b"<Invoice/>",
        "reply_to": "billing@muster.example",
    }
    return InvoiceMail(**{**values, **changes})


def an_envelope(email=BUYER, *, mail=None, **changes):
    return replace(samples.envelope(**changes), receiver_email=email, mail=mail or a_mail())


def an_access_point(url="", environment=Environment.LIVE, signer=None, **changes):
    """`url`: of its mail server; a sandbox may have none."""
    sender = Mailbox("invoices@operator.example")
    outgoing = Outgoing(
        smarthosts(url), sender, "bounces@operator.example", signer, deadlines=DEADLINES
    )
    configuration = Configuration(environment, outgoing, **changes)
    store, name = MemoryStore(), configuration.name
    kind = MailAccessPoint if environment is Environment.LIVE else SandboxAccessPoint
    rates = Rates(store, name, configuration.per_hour, configuration.per_minute)
    return kind(configuration, rates, Suppression(store, name), Operation(store))
