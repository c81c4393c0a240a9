"""A company that sells through KSeF, in the service: the plugin, its account and its invoices."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

from pypdf import PdfReader

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.profiles import Profile
from einvoice.network.hookspec import hookimpl
from einvoice.network.plugin_store import PluginStore
from einvoice.network.types import AccessPoint
from einvoice.rules import RuleSet
from einvoice.services.connections import accounts
from einvoice.services.connections.accounts import ConnectionRecord, NewConnection
from einvoice.web.runtime import runtime_of
from einvoice_ksef.fa3.form import PROFILE
from einvoice_ksef.fa3.rules import RULES
from einvoice_ksef.pef import form as pef
from plugins.ksef.tests import company
from tests.builders import send_body
from tests.web.caller import Caller

WARSAW = {
    "line1": "ul. Kwiatowa 1",
    "city": "Warszawa",
    "postalCode": "00-001",
    "countryCode": "PL",
}
SUPPLIER = {"name": "Sprzedawca", "taxId": f"PL{company.SELLER}", "address": WARSAW}
BUYER = {"name": "Nabywca", "taxId": f"PL{company.BUYER}", "address": WARSAW}


class Plugin:
    """The plugin of both networks, with the stand-in; `provider`: whether PEF is offered."""

    EINVOICE_INTERFACE = 2

    def __init__(
        self,
        url: str,
        patience: timedelta = timedelta(0),
        *,
        provider: bool = False,
        **settings: bool,
    ) -> None:
        self.url, self.patience, self.settings = url, patience, settings
        self.provider = provider

    @hookimpl
    def einvoice_access_points(self, store: PluginStore) -> Iterator[AccessPoint]:
        yield company.point_at(self.url, store, self.patience, **self.settings)
        if self.provider:
            yield company.pef_point_at(self.url, store)

    @hookimpl
    def einvoice_rule_sets(self) -> Iterator[RuleSet]:
        yield RULES
        yield pef.RULES

    @hookimpl
    def einvoice_profiles(self) -> Iterator[Profile]:
        yield PROFILE
        yield pef.PROFILE


def plugin_at(url: str) -> Plugin:
    """The plugin of a worker in another process (`faulty.workers`)."""
    return Plugin(url, timedelta(seconds=2))


def connect(
    caller: Caller, credentials: dict[str, str], nip: str = company.SELLER, network: str = "ksef"
) -> ConnectionRecord:
    """Open the connection of a company."""
    app = caller.app
    with app.app_context():
        new = NewConnection(Environment.TEST, network, nip, credentials=credentials)
        return accounts.create(caller.tenant, new, runtime_of(app))


def a_send(number: str, **invoice: Any) -> dict[str, Any]:
    today = clock.now().date().isoformat()
    changes = {"currency": "PLN", "supplier": SUPPLIER, "buyer": BUYER, "issueDate": today}
    body = send_body("", **(changes | {"number": number} | invoice))
    for line in body["invoice"]["lineItems"]:
        line["taxRate"] = 23.0
    body["invoice"]["totals"] = {"subtotal": 100.0, "taxAmount": 23.0, "grandTotal": 123.0}
    body["routing"] = {"senderParticipantId": f"9945:{company.SELLER}", "network": "ksef"}
    return body


def sent(caller: Caller, number: str, **invoice: Any) -> str:
    """The id of an invoice that was accepted."""
    answer = caller.send(a_send(number, **invoice))
    assert answer.status_code == 200, answer.text
    invoice_id: str = answer.json["invoiceId"]
    return invoice_id


def worked(caller: Caller, move: Callable[..., None], times: int = 4) -> None:
    """Let a worker do what is due, a few times in some minutes."""
    for _ in range(times):
        caller.work()
        move(seconds=20)


def status_of(caller: Caller, invoice: str) -> str:
    status: str = caller.get(f"/api/invoices/{invoice}").json["networkStatus"]
    return status


def words_of(pdf: bytes) -> str:
    return "".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages)
