"""RO e-Factura, the clearance network of the Romanian tax authority (ANAF).

Like any plugin it imports einvoice.network and the packages below it, not the service.

Each hook imports what it offers: `einvoice validate` asks for rule sets and profiles alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from einvoice.domain.profiles import Profile
from einvoice.network.checks import Check
from einvoice.network.hookspec import hookimpl
from einvoice.network.plugin_store import PluginStore
from einvoice.network.settings import Setting

if TYPE_CHECKING:
    from einvoice_anaf.access_point import RoEfactura

EINVOICE_INTERFACE = 2


@hookimpl
def einvoice_settings() -> Iterator[Setting]:
    """The settings of both environments."""
    from einvoice_anaf import configuration

    yield from configuration.settings_of()


@hookimpl
def einvoice_access_points(settings: Mapping[str, Any], store: PluginStore) -> Iterator[RoEfactura]:
    """An access point for each environment that is switched on: anaf-test, anaf-live."""
    from einvoice_anaf import configuration
    from einvoice_anaf.access_point import RoEfactura

    for side in configuration.sides(settings):
        yield RoEfactura(side, store)


@hookimpl
def einvoice_checks(settings: Mapping[str, Any], store: PluginStore) -> Iterator[Check]:
    """Clock, signers, calls of today, files that were not trusted."""
    from einvoice_anaf import configuration, doctor

    for side in configuration.sides(settings):
        yield from doctor.checks(side, store)


@hookimpl
def einvoice_profiles() -> Iterator[Profile]:
    """The form of documents: CIUS-RO."""
    from einvoice_anaf import form

    yield form.PROFILE
