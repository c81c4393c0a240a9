"""Two French companies, their documents, and their access to the stand-in."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

from einvoice import clock
from einvoice.domain.buyers import Buyer
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import (
    Address,
    Identifier,
    Invoice,
    Item,
    Line,
    Party,
    Price,
    TaxCategory,
    TaxSubtotal,
    Totals,
)
from einvoice.network import samples
from einvoice.network.connection_testing import renewed
from einvoice.network.connections import Connection, Works
from einvoice_fr_ctc import form
from einvoice_fr_ctc.access_point import FrCtc
from einvoice_fr_ctc.configuration import DirectoryAccount, Side
from einvoice_fr_ctc.submission import Timing
from tests.memory_store import MemoryStore
from tests.networks.companies import bound as bound
from tests.networks.companies import sent as sent

SELLER, BUYER, STRANGER = "100000009", "200000008", "300000007"
TIMING = Timing(first_poll=timedelta(0), ask_after=0.05)
NOTES = (
    ("PMT", "L'indemnité forfaitaire légale pour frais de recouvrement est de 40 €."),
    ("PMD", "Pénalités de retard : trois fois le taux d'intérêt légal."),
    ("AAB", "Pas d'escompte pour paiement anticipé."),
)
_numbers = itertools.count(1)


def side_at(service, **changes) -> Side:
    seller = service.platform.companies.get(SELLER)
    directory = seller and DirectoryAccount(
        service.directory_url, service.token_url, *seller.client
    )
    given = {"environment": Environment.TEST, "private": True, "directory": directory} | changes
    return Side(**given)


def point_at(service, store=None, **changes) -> FrCtc:
    store = MemoryStore() if store is None else store
    return FrCtc(side_at(service, **changes), store, TIMING)


def credentials(service, siren) -> dict[str, str]:
    name, secret = service.platform.companies[siren].client
    return {
        "url": service.url,
        "tokenUrl": service.token_url,
        "clientId": name,
        "clientSecret": secret,
    }


def connected(point, service, siren) -> Connection:
    """The connection of a company that was opened."""
    given = credentials(service, siren)
    new = Connection(f"c-{siren}", "t1", Environment.TEST, siren, given)
    outcome = point.open(new)
    assert isinstance(outcome, Works), outcome
    return renewed(new, outcome)


def party(siren: str, name: str, **changes) -> Party:
    place = Address("1 rue de la Paix", city="Paris", postal_code="75002", country="FR")
    return Party(
        name,
        endpoint=Identifier(siren, "0225"),
        legal_id=Identifier(siren, "0002"),
        vat_id=f"FR00{siren}",
        address=place,
        **changes,
    )


def french_invoice(process: str = "S1", **changes) -> Invoice:
    """An invoice of the seller to the buyer with 20 % VAT."""
    category = TaxCategory("S", Decimal("20.00"))
    net, tax, total = Decimal("100.00"), Decimal("20.00"), Decimal("120.00")
    today = clock.today()
    fields = {
        "kind": samples.invoice().kind,
        "number": f"F{next(_numbers):06}",
        "issue_date": today,
        "due_date": today + timedelta(days=30),
        "type_code": "380",
        "currency": "EUR",
        "customization": form.EN16931_SPECIFICATION,
        "profile": process,
        "seller": party(SELLER, "Vendeur SAS"),
        "buyer": party(BUYER, "Acheteur SA"),
        "lines": (Line("1", Decimal(1), "C62", net, Item("Conseil", category), Price(net)),),
        "totals": Totals(net, net, total, total, tax),
        "taxes": (TaxSubtotal(net, tax, category),),
        "notes": NOTES,
        "payment_terms": "30 jours",
    } | changes
    return Invoice(**fields)


def envelope(invoice: Invoice | None = None, profile=form.NAMED, **changes):
    """An invoice of the seller to the buyer in an envelope."""
    made = invoice or french_invoice()
    made = replace(made, number=changes.pop("number", made.number))
    document = changes.pop("document", None) or profile.write(profile.adapt(made).invoice)
    given = {
        "number": made.number,
        "document": document,
        "document_type": profile.type_of(made.document_kind),
        "process": profile.process,
        "profile": profile.name,
        "sender": ParticipantId("0225", SELLER),
        "receiver": ParticipantId("0225", BUYER),
        "sender_country": "FR",
        "receiver_country": "FR",
        "buyer": Buyer("Acheteur SA", "FR", vat_id=f"FR00{BUYER}"),
    } | changes
    return samples.envelope(**given)


def to_consumer(**changes):
    """An invoice that is only reported: its note BAR says that it is a sale to a consumer."""
    return envelope(french_invoice(notes=(*NOTES, ("BAR", "B2C"))), **changes)


def arrive(service, count, siren=SELLER):
    """Give a company so many purchases."""
    for _ in range(count):
        made = french_invoice(seller=party(STRANGER, "Fournisseur"), buyer=party(siren, "Client"))
        service.platform.arrive(
            siren, "SupplierInvoice", "UBL", f"{made.number}.xml", form.NAMED.write(made)
        )
