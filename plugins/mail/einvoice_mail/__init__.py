"""E-mail as a network: invoices to receivers that no other network reaches.

The access points are `mail` (live) and `mail-test` (sandbox). Like any plugin it imports
einvoice.network and the packages below it, not the service. Each hook imports what it offers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from einvoice.domain.environments import Environment
from einvoice.domain.profiles import Profile
from einvoice.network.hookspec import hookimpl
from einvoice.network.plugin_store import PluginStore
from einvoice.network.settings import Setting

if TYPE_CHECKING:
    from einvoice_mail.access_point import MailAccessPoint

EINVOICE_INTERFACE = 2


@hookimpl
def einvoice_settings() -> Iterator[Setting]:
    """The settings beside those of the service."""
    from einvoice_mail import configuration

    yield from configuration.settings()


@hookimpl
def einvoice_profiles() -> Iterator[Profile]:
    """EN 16931, and XRechnung for sends that name it."""
    from einvoice_mail.profiles import MAIL_EN16931, MAIL_XRECHNUNG

    yield MAIL_EN16931
    yield MAIL_XRECHNUNG


@hookimpl
def einvoice_access_points(
    settings: Mapping[str, Any], store: PluginStore
) -> Iterator[MailAccessPoint]:
    """`mail-test` where the operator has named an address, and `mail` with mail servers."""
    from einvoice_mail import configuration
    from einvoice_mail.access_point import MailAccessPoint
    from einvoice_mail.rates import Rates
    from einvoice_mail.sandbox import SandboxAccessPoint
    from einvoice_mail.suppression import Suppression

    for each in configuration.configured(settings):
        kind = MailAccessPoint if each.environment is Environment.LIVE else SandboxAccessPoint
        rates = Rates(store, each.name, each.per_hour, each.per_minute)
        yield kind(each, rates, Suppression(store, each.name))
