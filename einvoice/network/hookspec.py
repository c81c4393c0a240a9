"""The hooks a plugin may implement. A hook returns the objects that the plugin offers.

A plugin is a distribution with an entry point in the group `einvoice` that names a module or
object holding the `@hookimpl` functions and `EINVOICE_INTERFACE`, the interface it was written
for: a number, written out. Two access points of one name, a misspelt hook or another interface
version stop the start.

A hook may get further arguments later; a plugin receives only those that it names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pluggy

from einvoice.domain.profiles import Profile
from einvoice.network.endpoints import Endpoint
from einvoice.network.types import AccessPoint, Inbox
from einvoice.rules import RuleSet

PROJECT = "einvoice"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def einvoice_access_points(settings: Mapping[str, str], inbox: Inbox) -> Iterable[AccessPoint]:  # type: ignore[empty-body]
    """Offer access points. Called once, at start.

    `settings` are the environment variables; fail here if one is missing, not on the first send.
    `inbox` takes received documents; store it, and do not call it yet.

        EINVOICE_INTERFACE = 1

        @hookimpl
        def einvoice_access_points(settings):
            yield Ksef(base_url=settings["KSEF_URL"], token=settings["KSEF_TOKEN"])
    """


@hookspec
def einvoice_rule_sets() -> Iterable[RuleSet]:  # type: ignore[empty-body]
    """Offer rule sets, by which documents are judged (einvoice.rules). Called once in a process.

    A rule set is found by its name, and judges every document that it recognises. Its words are in
    the folder of its layers (`Layer.words`).

        EINVOICE_INTERFACE = 1

        @hookimpl
        def einvoice_rule_sets():
            yield RuleSet("cius-xx", (PACK_2026,), recognises=is_cius_xx)
    """


@hookspec
def einvoice_profiles() -> Iterable[Profile]:  # type: ignore[empty-body]
    """Offer the profiles of networks: the documents they take, and how an invoice becomes one.

    Called once in a process, without settings: documents are checked for a network also where no
    access point is configured. Networks without a profile take what Peppol takes.

        EINVOICE_INTERFACE = 1

        @hookimpl
        def einvoice_profiles():
            yield Profile("cius-xx", "xx-clearance", "cius-xx", PROCESS, TYPES, write=document_xml)
    """


@hookspec
def einvoice_endpoints(settings: Mapping[str, str], inbox: Inbox) -> Iterable[Endpoint]:  # type: ignore[empty-body]
    """Offer HTTP endpoints to which a network pushes documents or callbacks. Called once, at start.

    Each is mounted at /networks/<name>/ and authenticates its callers itself.

        EINVOICE_INTERFACE = 1

        @hookimpl
        def einvoice_endpoints(settings, inbox):
            receiver = As4Receiver(settings["AS4_CERTIFICATE"], inbox)
            yield Endpoint("as4", receiver.answer, max_bytes=100 * MIB)
    """
