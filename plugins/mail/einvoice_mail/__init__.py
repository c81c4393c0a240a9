"""E-mail as a network: invoices to receivers that no other network reaches.

The access points are `mail` (live) and `mail-test` (sandbox). Like any plugin it imports
einvoice.network and the packages below it, not the service. Each hook imports what it offers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from einvoice.domain.environments import Environment
from einvoice.domain.profiles import Profile
from einvoice.network.checks import Check
from einvoice.network.duties import Duty
from einvoice.network.hookspec import hookimpl
from einvoice.network.plugin_store import PluginStore
from einvoice.network.settings import Setting
from einvoice.network.types import AccessPoint, Inbox

if TYPE_CHECKING:
    import click

    from einvoice_mail.configuration import Configuration
    from einvoice_mail.incoming import Incoming
    from einvoice_mail.receiver import Office

EINVOICE_INTERFACE = 2


@hookimpl
def einvoice_settings() -> Iterator[Setting]:
    """The settings beside those of the service."""
    from einvoice_mail import configuration

    yield from configuration.settings()


@hookimpl
def einvoice_profiles() -> Iterator[Profile]:
    """EN 16931; XRechnung and Peppol BIS for sends and tenants that choose them."""
    from einvoice_mail.profiles import MAIL_BIS, MAIL_EN16931, MAIL_XRECHNUNG

    yield MAIL_EN16931
    yield MAIL_XRECHNUNG
    yield MAIL_BIS


@hookimpl
def einvoice_access_points(
    settings: Mapping[str, Any], store: PluginStore
) -> Iterator[AccessPoint]:
    """`mail-test` where the operator has named an address, and `mail` with mail servers; with a
    domain for received mails `mail-in` and `mail-in-test`."""
    from einvoice_mail import configuration
    from einvoice_mail.access_point import MailAccessPoint
    from einvoice_mail.operation import Operation
    from einvoice_mail.rates import Rates
    from einvoice_mail.sandbox import SandboxAccessPoint
    from einvoice_mail.suppression import Suppression

    for each in configuration.configured(settings):
        kind = MailAccessPoint if each.environment is Environment.LIVE else SandboxAccessPoint
        rates = Rates(store, each.name, each.per_hour, each.per_minute)
        yield kind(each, rates, Suppression(store, each.name), Operation(store))
    yield from _incoming(settings, store)


@hookimpl
def einvoice_duties(settings: Mapping[str, Any], store: PluginStore) -> Iterator[Duty]:
    """Addresses that were held long enough are forgotten."""
    from datetime import timedelta

    from einvoice_mail import configuration
    from einvoice_mail.suppression import Suppression

    if any(configuration.configured(settings)):
        yield Duty("forget-held", timedelta(days=1), Suppression(store, "").forget)


@hookimpl
def einvoice_checks(settings: Mapping[str, Any], store: PluginStore) -> Iterator[Check]:
    """Whether DNS has what mails need, and what has arrived is read."""
    from functools import partial

    from einvoice_mail import configuration, imap_notes, records, servers, spool
    from einvoice_mail.operation import Operation

    domain, ways = configuration.in_domain(settings), list(configuration.configured(settings))
    if domain is not None or any(each.environment is Environment.LIVE for each in ways):
        yield Check("receive", partial(Operation(store).check, needed=domain is not None))
    if domain is not None:
        yield Check("mx", partial(records.checked_domain, domain))
        yield Check("received", partial(spool.checked, configuration.spool_of(settings)))

    mailbox = configuration.imap_of(settings)
    if mailbox is not None:
        notes = imap_notes.Notes(store)
        authorities = str(settings.get("EINVOICE_MAIL_CA_FILE") or "")
        yield Check("mailbox", partial(imap_notes.checked, mailbox, notes, authorities))
    for each in ways:
        if each.environment is Environment.LIVE:
            yield Check("servers", partial(servers.checked, each.outgoing))
            yield Check("dns", partial(records.checked, each.outgoing))


@hookimpl
def einvoice_commands(
    settings: Mapping[str, Any], inbox: Inbox, store: PluginStore
) -> Iterator[click.Command]:
    """`einvoice mail receive`, where the operator has named an address."""
    from einvoice_mail import configuration
    from einvoice_mail.commands import commands
    from einvoice_mail.imap import ImapPoller
    from einvoice_mail.imap_notes import Notes
    from einvoice_mail.operation import Operation

    ways = list(configuration.configured(settings))
    if ways:
        office = _office(ways, settings, inbox, store)
        mailbox = configuration.imap_of(settings)
        header = str(settings.get("EINVOICE_MAIL_IN_IMAP_HEADER") or "Delivered-To")
        authorities = ways[0].outgoing.ca_file
        notes = Notes(store)
        yield commands(
            office,
            Operation(store),
            None if mailbox is None else ImapPoller(office, mailbox, header, notes, authorities),
        )


def _office(
    ways: Sequence[Configuration], settings: Mapping[str, Any], inbox: Inbox, store: PluginStore
) -> Office:
    """Receivers of mails: for addresses of tenants, and of notices about sent mails."""
    from einvoice_mail import configuration
    from einvoice_mail.forwarding import Forwarding
    from einvoice_mail.notices import Desk
    from einvoice_mail.operation import Operation
    from einvoice_mail.rates import Counter
    from einvoice_mail.receiver import DEFAULT_PER_SENDER, Office
    from einvoice_mail.suppression import Suppression

    desks = {
        each.name: Desk(
            inbox,
            each.name,
            Suppression(store, each.name),
            Forwarding(each.outgoing) if each.outgoing.servers else None,
            Operation(store),
        )
        for each in ways
    }
    outgoing = ways[0].outgoing
    return Office(
        configuration.in_domain(settings),
        tuple(_incoming(settings, store)),
        desks,
        outgoing.bounces,
        configuration.spool_of(settings),
        sender=outgoing.sender.address,
        counter=Counter(store, "mail-in"),
        per_sender=int(settings.get("EINVOICE_MAIL_IN_PER_SENDER") or DEFAULT_PER_SENDER),
    )


def _incoming(settings: Mapping[str, Any], store: PluginStore) -> Iterator[Incoming]:
    """The access points whose connections are addresses; none without a domain."""
    from einvoice_mail import configuration
    from einvoice_mail.incoming import Incoming

    domain = configuration.in_domain(settings)
    relay = str(settings.get("EINVOICE_MAIL_IN_RELAY") or "")
    for environment in Environment if domain else ():
        yield Incoming(
            environment, domain or "", configuration.spool_of(settings), store, relay,
            has_mailbox=bool(settings.get("EINVOICE_MAIL_IN_IMAP")),
        )  # fmt: skip
