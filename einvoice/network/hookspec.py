"""The hooks a plugin may implement. Hooks ask for objects ("what do you offer?").

A plugin is a distribution with an entry point in the group `einvoice` that names a module or
object holding the `@hookimpl` functions and `EINVOICE_INTERFACE`, the interface it was written
for: a number, written out. Two access points of one name, a misspelt hook or another interface
version stop the start.

A hook may be given further arguments later; a plugin takes only those that it names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pluggy

from einvoice.network.endpoints import Endpoint
from einvoice.network.types import AccessPoint, Inbox

PROJECT = "einvoice"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def einvoice_access_points(settings: Mapping[str, str], inbox: Inbox) -> Iterable[AccessPoint]:  # type: ignore[empty-body]
    """Offer ways into a network. Called once, at start.

    `settings` are the environment variables; fail here if one is missing, not on the first send.
    `inbox` takes the documents that arrive; keep it, and do not call it yet.

        EINVOICE_INTERFACE = 1

        @hookimpl
        def einvoice_access_points(settings):
            yield Ksef(base_url=settings["KSEF_URL"], token=settings["KSEF_TOKEN"])
    """


@hookspec
def einvoice_endpoints(settings: Mapping[str, str], inbox: Inbox) -> Iterable[Endpoint]:  # type: ignore[empty-body]
    """Offer addresses where a network pushes: documents, callbacks. Called once, at start.

    Each is mounted below /networks/<name>/. Who may ask is decided by the endpoint itself.

        EINVOICE_INTERFACE = 1

        @hookimpl
        def einvoice_endpoints(settings, inbox):
            receiver = As4Receiver(settings["AS4_CERTIFICATE"], inbox)
            yield Endpoint("as4", receiver.answer, max_bytes=100 * MIB)
    """
