"""A seller with a unit at Fatoora, in the service: the plugin, the unit and its invoices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from einvoice.domain.environments import Environment
from einvoice.domain.profiles import Profile
from einvoice.network.checks import Check
from einvoice.network.hookspec import hookimpl
from einvoice.network.plugin_store import PluginStore
from einvoice.network.types import Inbox
from einvoice.rules import RuleSet
from einvoice.services.connections import accounts
from einvoice.services.connections.accounts import NewConnection
from einvoice.web.runtime import runtime_of
from einvoice_zatca import commands, doctor, form, riyadh
from einvoice_zatca.access_point import Fatoora
from einvoice_zatca.rules import RULES
from plugins.zatca.tests import saudi, unit
from tests.builders import SENDER, send_body
from tests.networks.zatca import Service
from tests.networks.zatca.authority import Authority
from tests.web.caller import Caller

RIYADH = {
    "line1": "Prince Sultan", "line2": "2322", "line3": "Al-Murabba", "city": "Riyadh",
    "postalCode": "23333", "countryCode": "SA",
}  # fmt: skip
SUPPLIER = {
    "name": "شركة توريد التكنولوجيا | Maximum Speed", "taxId": f"SA{saudi.VAT_NUMBER}",
    "companyId": "1010010000", "address": RIYADH,
}  # fmt: skip
BUSINESS = {
    "name": "Fatoora Samples LTD", "taxId": "SA399999999800003",
    "address": {**RIYADH, "line1": "1111 Salah Al-Din", "line2": "", "postalCode": "12222"},
}  # fmt: skip
CONSUMER = {"name": "Ahmad", "address": {"countryCode": "SA"}}


class Plugin:
    """The plugin of the network, with the stand-in."""

    EINVOICE_INTERFACE = 2

    def __init__(self, url: str) -> None:
        self.url = url

    @hookimpl
    def einvoice_access_points(self, store: PluginStore) -> Iterator[Fatoora]:
        yield Fatoora(unit.side_at(self.url), store)

    @hookimpl
    def einvoice_checks(self, store: PluginStore) -> Iterator[Check]:
        yield from doctor.checks(unit.side_at(self.url), store)

    @hookimpl
    def einvoice_profiles(self) -> Iterator[Profile]:
        yield form.PROFILE

    @hookimpl
    def einvoice_rule_sets(self) -> Iterator[RuleSet]:
        yield RULES

    @hookimpl
    def einvoice_commands(self, inbox: Inbox) -> Iterator[click.Command]:
        yield commands.commands(inbox, ["zatca-test"])


def plugin_at(url: str) -> Plugin:
    """The plugin of a worker in another process (`faulty.workers`)."""
    return Plugin(url)


def plugin_of(service: Service) -> Plugin:
    return Plugin(service.url)


def connect(caller: Caller, authority: Authority, suffix: str = "", **fields: str) -> str:
    """Register a unit of the seller, a further one with a suffix; the id of its connection."""
    credentials = {**unit.FIELDS, "otp": authority.otp(), **fields}
    new = NewConnection(
        Environment.TEST, form.NETWORK, f"SA{saudi.VAT_NUMBER}{suffix}", credentials=credentials
    )
    with caller.app.app_context():
        made = accounts.create(caller.tenant, new, runtime_of(caller.app))
    assert made.state == "active", made
    return made.id


def a_send(**invoice: Any) -> dict[str, Any]:
    """A send of a standard invoice over SAR 115, without a receiver's id."""
    line = {
        "description": "Book", "quantity": 1, "unitPrice": 100, "taxRate": 15,
        "taxCategory": "S",
    }  # fmt: skip
    day = riyadh.today().isoformat()
    changes = {
        "number": "SA-1", "issueDate": day, "deliveryDate": day, "currency": "SAR",
        "supplier": SUPPLIER, "buyer": BUSINESS, "lineItems": [line],
    }  # fmt: skip
    body = send_body("", **(changes | invoice))
    body["invoice"]["totals"] = {"subtotal": 100, "taxAmount": 15, "grandTotal": 115}
    body["routing"] = {"senderParticipantId": SENDER, "network": form.NETWORK}
    return body
