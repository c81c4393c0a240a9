"""Companies at an approved platform, in the service: the plugin, an account and its invoices."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from einvoice.domain.environments import Environment
from einvoice.domain.profiles import Profile
from einvoice.network.endpoints import Endpoint
from einvoice.network.hookspec import hookimpl
from einvoice.network.plugin_store import PluginStore
from einvoice.network.types import Inbox
from einvoice.rules import RuleSet
from einvoice.services.connections import accounts
from einvoice.services.connections.accounts import NewConnection
from einvoice.web.runtime import runtime_of
from einvoice_fr_ctc import form
from einvoice_fr_ctc.access_point import FrCtc
from einvoice_fr_ctc.cdar import rules
from einvoice_fr_ctc.hooks import Hooks, Receiver
from einvoice_fr_ctc.names import NETWORK
from tests.builders import send_body
from tests.networks import fr
from tests.networks.fr import company
from tests.web.caller import Caller

PARIS = {"line1": "1 rue de la Paix", "city": "Paris", "postalCode": "75002", "countryCode": "FR"}
SUPPLIER = {"name": "Vendeur SAS", "taxId": "FR32100000009", "address": PARIS}
BUYER = {"name": "Acheteur SA", "taxId": "FR00200000008", "address": PARIS}
NOTES = [{"subjectCode": code, "text": text} for code, text in company.NOTES]
HOOKS = "http://127.0.0.1:1/networks"


class Plugin:
    """The plugin of the network, with the stand-in."""

    EINVOICE_INTERFACE = 2

    __name__ = "einvoice_fr_ctc"  # whose forms a computing process restores

    def __init__(self, service: fr.Service) -> None:
        self.service = service

    @hookimpl
    def einvoice_access_points(self, store: PluginStore) -> Iterator[FrCtc]:
        yield company.point_at(self.service, store, hooks=HOOKS)

    @hookimpl
    def einvoice_endpoints(self, store: PluginStore, inbox: Inbox) -> Iterator[Endpoint]:
        name = company.side_at(self.service).name
        yield Receiver(Hooks(store, name), name, inbox).endpoint()

    @hookimpl
    def einvoice_rule_sets(self) -> Iterator[RuleSet]:
        yield rules.RULES

    @hookimpl
    def einvoice_profiles(self) -> Iterator[Profile]:
        yield from form.PROFILES


def connect(caller: Caller, service: fr.Service, siren: str, **more: str) -> str:
    """Open the connection of a company. `more`: further values of it."""
    with caller.app.app_context():
        given = company.credentials(service, siren) | more
        new = NewConnection(Environment.TEST, NETWORK, siren, credentials=given)
        made = accounts.create(caller.tenant, new, runtime_of(caller.app))
        assert made.state == "active", made.reason
        return made.id


def a_send(caller: Caller, receiver: str = company.BUYER, **invoice: Any) -> dict[str, Any]:
    """A send of the seller; the receiver is looked up first."""
    participant = f"0225:{receiver}"
    changes = {
        "number": "F-1",
        "currency": "EUR",
        "profile": "fr-s1",
        "supplier": SUPPLIER,
        "buyer": BUYER,
        "notes": NOTES,
    }
    body = send_body(caller.reference(participant), **(changes | invoice))
    french = json.dumps(body["invoice"]).replace("21.0", "20.0").replace("121.0", "120.0")
    body["invoice"] = json.loads(french)
    body["routing"] |= {
        "senderParticipantId": f"0225:{company.SELLER}",
        "receiverParticipantId": participant,
        "network": NETWORK,
    }
    return body
