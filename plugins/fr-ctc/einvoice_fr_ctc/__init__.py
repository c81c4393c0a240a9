"""France: approved platforms (plateformes agréées) with the standard interface XP Z12-013.

Like any plugin it imports einvoice.network and the packages below it, not the service.

Each hook imports what it offers: `einvoice validate` asks for rule sets and profiles alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from einvoice.domain.profiles import Profile
from einvoice.network.endpoints import Endpoint
from einvoice.network.hookspec import hookimpl
from einvoice.network.plugin_store import PluginStore
from einvoice.network.settings import Setting
from einvoice.network.types import Inbox
from einvoice.rules import RuleSet

if TYPE_CHECKING:
    from einvoice_fr_ctc.access_point import FrCtc

EINVOICE_INTERFACE = 2


@hookimpl
def einvoice_settings() -> Iterator[Setting]:
    """The settings of both environments."""
    from einvoice_fr_ctc import configuration

    yield from configuration.settings_of()


@hookimpl
def einvoice_access_points(settings: Mapping[str, Any], store: PluginStore) -> Iterator[FrCtc]:
    """An access point for each environment that is switched on: fr-ctc-test, fr-ctc."""
    from einvoice_fr_ctc import configuration
    from einvoice_fr_ctc.access_point import FrCtc

    for side in configuration.sides(settings):
        yield FrCtc(side, store)


@hookimpl
def einvoice_endpoints(
    settings: Mapping[str, Any], store: PluginStore, inbox: Inbox
) -> Iterator[Endpoint]:
    """Where platforms call: /networks/fr-ctc-test/ and /networks/fr-ctc/, with a secret."""
    from einvoice_fr_ctc import configuration
    from einvoice_fr_ctc.hooks import Hooks, Receiver

    for side in configuration.sides(settings):
        yield Receiver(Hooks(store, side.name), side.name, inbox).endpoint()


@hookimpl
def einvoice_rule_sets() -> Iterator[RuleSet]:
    """The rules for messages of the life cycle: BR-FR-CDV."""
    from einvoice_fr_ctc.cdar import rules

    yield rules.RULES


@hookimpl
def einvoice_profiles() -> Iterator[Profile]:
    """The forms of documents: EN 16931 with each business process of BR-FR."""
    from einvoice_fr_ctc import form

    yield from form.PROFILES
