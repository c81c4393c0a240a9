"""The hooks a plugin may implement. A hook returns the objects that the plugin offers.

A plugin is a distribution with an entry point in the group `einvoice` that names a module or
object holding the `@hookimpl` functions and `EINVOICE_INTERFACE`, the interface it was written
for: a number, written out. Two access points of one name, a misspelt hook or another interface
version stop the start.

A hook may get further arguments later; a plugin receives only those that it names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import click
import pluggy

from einvoice.domain.profiles import Profile
from einvoice.network.checks import Check
from einvoice.network.duties import Duty
from einvoice.network.endpoints import Endpoint
from einvoice.network.plugin_store import PluginStore
from einvoice.network.settings import Setting
from einvoice.network.types import AccessPoint, Inbox
from einvoice.rules import RuleSet

PROJECT = "einvoice"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def einvoice_settings() -> Iterable[Setting]:  # type: ignore[empty-body]
    """Declare settings. Called once, at start, before the hooks that receive `settings`.

    They are checked, and passed to the other hooks with their types.

        EINVOICE_INTERFACE = 2

        @hookimpl
        def einvoice_settings():
            yield Setting("EINVOICE_KSEF_URL", "Address of the network", required=True)
            yield Setting("EINVOICE_KSEF_TOKEN", "Its token", secret=True, required=True)
            yield Setting("EINVOICE_KSEF_QUOTA", "Requests an hour", type=int, default=100)
    """


@hookspec
def einvoice_access_points(  # type: ignore[empty-body]
    settings: Mapping[str, Any], inbox: Inbox, store: PluginStore
) -> Iterable[AccessPoint]:
    """Offer access points. Called once, at start.

    `settings` are the environment variables, the declared ones with their types; of undeclared ones
    fail here if one is missing, not on the first send. `inbox` takes received documents, `store`
    keeps values of the plugin; store both, and do not call them yet.

        EINVOICE_INTERFACE = 2

        @hookimpl
        def einvoice_access_points(settings):
            yield Ksef(base_url=settings["KSEF_URL"], token=settings["KSEF_TOKEN"])
    """


@hookspec
def einvoice_rule_sets() -> Iterable[RuleSet]:  # type: ignore[empty-body]
    """Offer rule sets, by which documents are judged (einvoice.rules). Called once in a process.

    A rule set is found by its name, and judges every document that it recognises. Its words are in
    the folder of its layers (`Layer.words`).

        EINVOICE_INTERFACE = 2

        @hookimpl
        def einvoice_rule_sets():
            yield RuleSet("cius-xx", (PACK_2026,), recognises=is_cius_xx)
    """


@hookspec
def einvoice_profiles() -> Iterable[Profile]:  # type: ignore[empty-body]
    """Offer the profiles of networks: the documents they take, and how an invoice becomes one.

    Called once in a process, without settings: documents are checked for a network also where no
    access point is configured. Networks without a profile take what Peppol takes.

        EINVOICE_INTERFACE = 2

        @hookimpl
        def einvoice_profiles():
            yield Profile("cius-xx", "xx-clearance", "cius-xx", PROCESS, TYPES, write=document_xml)
    """


@hookspec
def einvoice_endpoints(  # type: ignore[empty-body]
    settings: Mapping[str, Any], inbox: Inbox, store: PluginStore
) -> Iterable[Endpoint]:
    """Offer HTTP endpoints to which a network pushes documents or callbacks. Called once, at start.

    Each is mounted at /networks/<name>/ and authenticates its callers itself.

        EINVOICE_INTERFACE = 2

        @hookimpl
        def einvoice_endpoints(settings, inbox):
            receiver = As4Receiver(settings["AS4_CERTIFICATE"], inbox)
            yield Endpoint("as4", receiver.answer, max_bytes=100 * MIB)
    """


@hookspec
def einvoice_checks(settings: Mapping[str, Any], store: PluginStore) -> Iterable[Check]:  # type: ignore[empty-body]
    """Offer checks, which only `einvoice doctor` runs. Called once, at start.

    EINVOICE_INTERFACE = 2

    @hookimpl
    def einvoice_checks(settings):
        certificate = Certificate(settings["EINVOICE_KSEF_CERTIFICATE"])
        yield Check("certificate", certificate.check)
    """


@hookspec
def einvoice_duties(  # type: ignore[empty-body]
    settings: Mapping[str, Any], inbox: Inbox, store: PluginStore
) -> Iterable[Duty]:
    """Offer duties: work that is done regularly, by one worker at a time. Called once, at start.

    EINVOICE_INTERFACE = 2

    @hookimpl
    def einvoice_duties(settings, store):
        renewal = Renewal(settings["EINVOICE_KSEF_URL"], store)
        yield Duty("renew-certificate", timedelta(days=1), renewal.run)
    """


@hookspec
def einvoice_commands(  # type: ignore[empty-body]
    settings: Mapping[str, Any], inbox: Inbox, store: PluginStore
) -> Iterable[click.Command]:
    """Offer commands of `einvoice`, usually one group with the name of the plugin.

    They run in a process of the service, after the settings were checked. A command of the service
    with the same name comes first.

    EINVOICE_INTERFACE = 1

    @hookimpl
    def einvoice_commands(settings, store):
        yield report_command(settings["EINVOICE_KSEF_ACCOUNT"], store)
    """
