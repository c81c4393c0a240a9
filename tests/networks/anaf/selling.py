"""Companies at RO e-Factura, in the service: the plugin, an account and its invoices."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

from einvoice.domain.environments import Environment
from einvoice.domain.profiles import Profile
from einvoice.network.hookspec import hookimpl
from einvoice.network.plugin_store import PluginStore
from einvoice.services.connections import accounts, consents
from einvoice.services.connections.accounts import NewConnection
from einvoice.services.principal import Session
from einvoice.web.runtime import runtime_of
from einvoice_anaf import form
from einvoice_anaf.access_point import RoEfactura, Timing
from plugins.anaf.tests import company
from tests.builders import send_body
from tests.networks import anaf
from tests.networks.anaf.authority import Authority
from tests.web.caller import Caller

CLUJ = {"line1": "Str. Lunga 1", "city": "Cluj-Napoca", "region": "Cluj", "countryCode": "RO"}
BUCHAREST = {
    "line1": "Calea Victoriei 9", "line2": "Sector 1", "city": "București", "countryCode": "RO",
}  # fmt: skip
SUPPLIER = {"name": "Vânzător SRL", "taxId": f"RO{company.SELLER}", "address": CLUJ}
BUYER = {"name": "Cumpărător SRL", "taxId": f"RO{company.BUYER}", "address": BUCHAREST}
WORKERS_TIMING = Timing(timedelta(seconds=1), timedelta(seconds=15), timedelta(0))


class Plugin:
    """The plugin of the network, with the stand-in."""

    EINVOICE_INTERFACE = 2

    def __init__(self, service: anaf.Service) -> None:
        self.service = service

    @hookimpl
    def einvoice_access_points(self, store: PluginStore) -> Iterator[RoEfactura]:
        yield company.point_at(self.service, store)

    @hookimpl
    def einvoice_profiles(self) -> Iterator[Profile]:
        yield form.PROFILE


class WorkersPlugin(Plugin):
    """The plugin of a worker in another process, which knows the address of the stand-in only."""

    def __init__(self, url: str) -> None:
        self.url = url

    @hookimpl
    def einvoice_access_points(self, store: PluginStore) -> Iterator[RoEfactura]:
        yield RoEfactura(company.side_at(self.url), store, WORKERS_TIMING)


def plugin_at(url: str) -> WorkersPlugin:
    """The plugin of a worker (`faulty.workers`)."""
    return WorkersPlugin(url)


def connect(caller: Caller, authority: Authority, cif: str) -> str:
    """Open the connection of a company with one click."""
    app, person = caller.app, Session(caller.tenant, "ann", "ann@example.com", "owner")
    with app.app_context():
        new = NewConnection(Environment.TEST, form.NETWORK, f"RO{cif}", credentials={})
        made = accounts.create(caller.tenant, new, runtime_of(app))
        consent = consents.begin(caller.tenant, made.id, runtime_of(app), person)
        (state,) = parse_qs(urlsplit(consent.url).query)["state"]
        code = authority.consent(f"person of {cif}", cif)
        ended = consents.finish(state, consent.browser, code, runtime_of(app))
        assert ended.connection.state == "active"
        return made.id


def a_send(**invoice: Any) -> dict[str, Any]:
    changes = {"number": "RO-1", "currency": "RON", "supplier": SUPPLIER, "buyer": BUYER}
    body = send_body("", **(changes | invoice))
    body["routing"] = {
        "senderParticipantId": f"9947:RO{company.SELLER}",
        "network": form.NETWORK,
    }
    return body
