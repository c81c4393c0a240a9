"""A unit of a seller at the stand-in, and its documents in envelopes."""

from __future__ import annotations

from einvoice.domain.buyers import Buyer
from einvoice.domain.environments import Environment
from einvoice.network import samples
from einvoice.network.connection_testing import renewed
from einvoice.network.connections import Connection, Works
from einvoice_zatca import form
from einvoice_zatca.access_point import Fatoora
from einvoice_zatca.configuration import Side
from einvoice_zatca.requests import Template
from plugins.zatca.tests import saudi
from tests.memory_store import MemoryStore
from tests.networks.companies import bound as bound

FIELDS = {
    "organization": "Maximum Speed Tech Supply LTD",
    "branch": "Riyadh Branch",
    "unit": "TST-886431145-399999999900003",
    "address": "RRRD2929",
    "business": "Supply activities",
    "documents": "both",
}


def side_at(url: str) -> Side:
    return Side("zatca-test", Environment.TEST, url, Template.SANDBOX)


def point_at(service, store=None) -> Fatoora:
    return Fatoora(side_at(service.url), MemoryStore() if store is None else store)


def new(otp: str, name: str = "u1", **fields: str) -> Connection:
    """A unit that is not registered yet."""
    account = fields.pop("account", saudi.VAT_NUMBER)
    return Connection(name, "t1", Environment.TEST, account, {**FIELDS, "otp": otp, **fields})


def registered(point, authority, name: str = "u1", **fields: str) -> Connection:
    unit = new(authority.otp(), name, **fields)
    outcome = point.open(unit)
    assert isinstance(outcome, Works), outcome
    return renewed(unit, outcome)


def envelope(invoice=None, **changes):
    """A document of the seller, to its buyer without a participant id."""
    made = invoice or saudi.an_invoice()
    document = changes.pop("document", None) or form.PROFILE.write(form.adapt(made).invoice)
    changes.setdefault("receiver", None)
    return samples.envelope(
        number=made.number,
        document=document,
        document_type=form.TYPE,
        process=form.PROCESS,
        profile=form.PROFILE.name,
        sender_country="SA",
        receiver_country="SA",
        buyer=Buyer(made.buyer.name, "SA", vat_id=made.buyer.vat_id),
        **changes,
    )
