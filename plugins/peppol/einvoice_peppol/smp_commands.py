"""`einvoice peppol smp`: the SMP where our participants are published."""

from __future__ import annotations

from collections.abc import Mapping

import click

from einvoice.domain.errors import InvalidParticipant
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId
from einvoice.network.plugin_store import PluginStore
from einvoice.network.types import DirectoryUnavailable
from einvoice_peppol import mls, provider_entry, publishing
from einvoice_peppol.configuration import Network
from einvoice_peppol.locator import Locator, LocatorAway, LocatorRefused, Unregistered
from einvoice_peppol.own_smp import OwnSmp
from einvoice_peppol.provider_entry import NotListed
from einvoice_peppol.publishing import Entries


def group(networks: Mapping[str, Network], store: PluginStore) -> click.Group:
    """The commands for the networks with an SMP, by their names."""
    with_smp = {name: each for name, each in networks.items() if each.publisher is not None}
    chosen = click.option(
        "--network", type=click.Choice(sorted(with_smp)), default=min(with_smp, default=None)
    )

    @click.group()
    def smp() -> None:
        """The SMP where our participants are published."""

    @smp.command()
    @chosen
    def register(network: str | None) -> None:
        """Register our own SMP at the SML, or its new address, and publish our provider id.

        It may be repeated. At an SMP of somebody else only the provider id is published.
        """
        own, entries = _of(with_smp, network, store)
        if isinstance(entries, OwnSmp) and own.publisher is not None:
            click.echo(_registered(entries.locator, own.publisher.address))
        spid = mls.spid_of(own.seat)
        try:
            done = provider_entry.settle(own, entries)
        except (NotListed, DirectoryUnavailable) as fault:
            raise click.ClickException(str(fault)) from fault
        click.echo(f"{spid}: published" if done else f"{spid}: is published already")

    @smp.command()
    @click.argument("participant")
    @click.argument("document_type")
    @click.argument("address")
    @click.argument("certificate_uid")
    @chosen
    def redirect(
        participant: str,
        document_type: str,
        address: str,
        certificate_uid: str,
        network: str | None,
    ) -> None:
        """Answer for a DOCUMENT_TYPE (scheme::value) of a published PARTICIPANT with a redirect.

        ADDRESS is that of its metadata at another SMP, CERTIFICATE_UID names the subject of that
        SMP's certificate. Publishing the participant again keeps it. Of our own SMP only.
        """
        _, entries = _of(with_smp, network, store)
        if not isinstance(entries, OwnSmp):
            raise click.ClickException("the SMP is somebody else's: it is set there")
        scheme, separator, value = document_type.partition("::")
        if not separator:
            raise click.BadParameter("a document type is scheme::value")
        try:
            kind = DocumentTypeId(scheme, value)
            entries.redirect(ParticipantId.parse(participant), kind, address, certificate_uid)
        except (LookupError, InvalidParticipant) as fault:
            raise click.ClickException(str(fault)) from fault

    return smp


def _of(
    networks: Mapping[str, Network], name: str | None, store: PluginStore
) -> tuple[Network, Entries]:
    own = None if name is None else networks[name]
    entries = None if own is None else publishing.entries_of(own, store)
    if own is None or entries is None:
        raise click.ClickException("no Peppol network has an SMP: set EINVOICE_PEPPOL_LIVE_SMP")
    return own, entries


def _registered(locator: Locator, address: str) -> str:
    """Register the SMP, or change its address; what was done."""
    try:
        known = locator.read_smp().logical_address.rstrip("/")
    except Unregistered:
        known = None
    except (LocatorAway, LocatorRefused) as fault:
        raise click.ClickException(str(fault)) from fault
    if known == address:
        return f"{address}: the SML has it"
    try:
        if known is None:
            locator.create_smp(address)
        else:
            locator.update_smp(address)
    except (LocatorAway, LocatorRefused) as fault:
        raise click.ClickException(str(fault)) from fault
    return f"{address}: registered" if known is None else f"{address}: registered for {known}"
