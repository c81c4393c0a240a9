"""The Peppol network: the test network for sandbox keys, the production network for live keys.

Both are one implementation; `stages` holds what differs. Like any plugin it imports
einvoice.network and the packages below it, not the service.

Each hook imports what it offers: `einvoice validate` asks for rule sets and profiles alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from click import Command

from einvoice.network.checks import Check
from einvoice.network.duties import Duty
from einvoice.network.endpoints import Endpoint
from einvoice.network.hookspec import hookimpl
from einvoice.network.plugin_store import PluginStore
from einvoice.network.settings import Setting
from einvoice.network.types import Inbox

if TYPE_CHECKING:
    from einvoice_peppol.access_point import Peppol
    from einvoice_peppol.configuration import Network
    from einvoice_peppol.exchanges import Exchanges

EINVOICE_INTERFACE = 2


@hookimpl
def einvoice_settings() -> Iterator[Setting]:
    """The settings of both networks."""
    from einvoice_peppol import configuration
    from einvoice_peppol.stages import STAGES

    for stage in STAGES.values():
        yield from configuration.settings_of(stage)


@hookimpl
def einvoice_access_points(settings: Mapping[str, Any], store: PluginStore) -> Iterator[Peppol]:
    """An access point for each network that is configured: peppol-test, peppol."""
    from einvoice_peppol import publishing
    from einvoice_peppol.access_point import Peppol

    for network in _networks(settings, store):
        entries = publishing.entries_of(network, store)
        exchanges = _exchanges(network, store)
        if entries is None:
            yield Peppol(network, exchanges)
        else:
            yield publishing.PublishingPeppol(network, entries, exchanges)


@hookimpl
def einvoice_endpoints(
    settings: Mapping[str, Any], inbox: Inbox, store: PluginStore
) -> Iterator[Endpoint]:
    """Where other access points send, /networks/peppol-test/ and /networks/peppol/, and where they
    look up participants in our own SMP, /networks/peppol-test-smp/ and /networks/peppol-smp/."""
    from einvoice_peppol import own_smp, publishing
    from einvoice_peppol.receiving import MAX_BODY_BYTES, PER_MINUTE, Receiver

    for network in _networks(settings, store):
        receiver = Receiver(network, inbox, _exchanges(network, store))
        yield Endpoint(
            network.stage.name,
            receiver.answer,
            max_bytes=MAX_BODY_BYTES,
            per_minute=PER_MINUTE,
            spooled=True,
        )
        entries = publishing.entries_of(network, store)
        if isinstance(entries, own_smp.OwnSmp):
            name = f"{network.stage.name}-smp"
            yield Endpoint(
                name,
                entries.answer,
                max_bytes=1,
                per_minute=own_smp.PER_MINUTE,
                host=entries.host,
            )


@hookimpl
def einvoice_checks(settings: Mapping[str, Any]) -> Iterator[Check]:
    """Certificate, endpoint and clock of each network."""
    from einvoice_peppol import doctor

    for network in _networks(settings):
        yield from doctor.checks(network)


@hookimpl
def einvoice_duties(
    settings: Mapping[str, Any], inbox: Inbox, store: PluginStore
) -> Iterator[Duty]:
    """The monthly reports, of the networks that require them, and our entry at an SMP."""
    from einvoice_peppol import own_smp, provider_entry, publishing
    from einvoice_peppol.monthly import MonthlyReports
    from einvoice_peppol.reporting import Ledger

    for network in _networks(settings):
        entries = publishing.entries_of(network, store)
        if entries is not None:
            yield provider_entry.duty(network, entries)
        if isinstance(entries, own_smp.OwnSmp):
            yield from entries.duties()
        if network.stage.reports:
            ledger = Ledger(store, network.stage.name)
            yield MonthlyReports(network, ledger, inbox, store).duty()


@hookimpl
def einvoice_commands(
    settings: Mapping[str, Any], inbox: Inbox, store: PluginStore
) -> Iterator[Command]:
    """`einvoice peppol`."""
    from einvoice_peppol import commands

    yield commands.group({each.stage.name: each for each in _networks(settings)}, store, inbox)


def _exchanges(network: Network, store: PluginStore) -> Exchanges:
    from einvoice_peppol.exchanges import Exchanges
    from einvoice_peppol.reporting import Ledger

    return Exchanges(network, Ledger(store, network.stage.name))


def _networks(settings: Mapping[str, Any], store: PluginStore | None = None) -> Iterator[Network]:
    """The configured networks. Raises InvalidConfiguration."""
    from einvoice_peppol import configuration
    from einvoice_peppol.stages import STAGES

    for stage in STAGES.values():
        network = configuration.configured(stage, settings, store)
        if network is not None:
            yield network
