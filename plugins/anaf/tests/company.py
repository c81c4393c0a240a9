"""Two Romanian companies, their documents, and their access to the stand-in."""

from __future__ import annotations

import itertools
import time
from dataclasses import replace
from datetime import timedelta

from einvoice.domain.buyers import Buyer
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import Invoice
from einvoice.network import samples
from einvoice.network.connection_testing import renewed
from einvoice.network.connections import Connection, Works
from einvoice_anaf import form
from einvoice_anaf.access_point import RoEfactura, Timing
from einvoice_anaf.configuration import Side
from plugins.anaf.tests.romanian import romanian_invoice
from tests.memory_store import MemoryStore
from tests.networks import anaf
from tests.networks.companies import bound as bound
from tests.networks.companies import sent as sent
from tests.networks.companies import settled as settled
from tests.networks.stand_ins import Answer

SELLER, BUYER = "18547290", "14399840"
TIMING = Timing(first_poll=timedelta(0), search=timedelta(seconds=0.3), margin=timedelta(0))
_numbers = itertools.count(1)


def side_at(url: str, **changes) -> Side:
    given = {
        "environment": Environment.TEST,
        "url": f"{url}{anaf.BASE}",
        "authorise_url": "https://logincert.anaf.example/anaf-oauth2/v1/authorize",
        "token_url": f"{url}{anaf.OAUTH}/token",
        "revoke_url": f"{url}{anaf.OAUTH}/revoke",
        "client_id": "client-1",
        "client_secret": "client-secret-1",
    } | changes
    return Side(**given)


def point_at(service, store=None, timing=TIMING) -> RoEfactura:
    signers = (service.authority.signer.certificate,)
    store = MemoryStore() if store is None else store
    return RoEfactura(side_at(service.url, signers=signers), store, timing)


def connected(point, authority, cif, *further) -> Connection:
    """The connection of a company after the consent of a person, with rights for others too."""
    new = Connection(f"c-{cif}", "t1", Environment.TEST, f"RO{cif}")
    code = authority.consent(f"person of {cif}", cif, *further)
    outcome = point.authorised(new, code, "https://example.com/callback")
    assert isinstance(outcome, Works), outcome
    return renewed(new, outcome)


def envelope(invoice: Invoice | None = None, **changes):
    """An invoice of the seller to the buyer in an envelope."""
    number = changes.pop("number", None) or f"RO-{next(_numbers)}"
    made = replace(invoice or romanian_invoice(), number=number)
    document = changes.pop("document", None) or form.PROFILE.write(form.adapt(made).invoice)
    given = {
        "number": number,
        "document": document,
        "document_type": form.PROFILE.type_of(made.document_kind),
        "process": form.PROCESS,
        "profile": form.PROFILE.name,
        "sender": ParticipantId("9947", f"RO{SELLER}"),
        "receiver": ParticipantId("9947", f"RO{BUYER}"),
        "sender_country": "RO",
        "receiver_country": "RO",
        "buyer": Buyer("Sample buyer", "RO", tax_id=f"RO{BUYER}", vat_id=f"RO{BUYER}"),
    } | changes
    return samples.envelope(**given)


def arrive(authority, count, cif=SELLER):
    """Let the other company send so many invoices to this one; their upload indices."""
    authority.consent("another person", BUYER)
    indices = []
    for _ in range(count):
        made = romanian_invoice(number=f"P-{next(_numbers)}")
        swapped = replace(made, seller=made.buyer, buyer=replace(made.seller, vat_id=f"RO{cif}"))
        document = form.PROFILE.write(form.adapt(swapped).invoice)
        query = {"standard": "UBL", "cif": BUYER}
        assert b'"0"' in authority.upload("another person", "upload", query, document).body
        indices.append(list(authority.uploads)[-1])
    authority.settle()
    time.sleep(0.002)  # the list ends before this moment
    return indices


def replaced(monkeypatch, service, call, answer):
    """Let the stand-in answer a call with something else, as often as there are answers."""
    real, answers = anaf._Handler._authorised, [answer] if isinstance(answer, tuple) else answer

    def answering(handler, method, name, query, body):
        if name == call and answers:
            status, content = answers.pop(0)
            return Answer(status, content, "application/xml")
        return real(handler, method, name, query, body)

    monkeypatch.setattr(anaf._Handler, "_authorised", answering)
