"""RO e-Factura, the clearance network of the Romanian tax authority (ANAF).

Like any plugin it imports einvoice.network and the packages below it, not the service.
"""

from __future__ import annotations

from collections.abc import Iterator

from einvoice.domain.profiles import Profile
from einvoice.network.hookspec import hookimpl
from einvoice_anaf import form

EINVOICE_INTERFACE = 2


@hookimpl
def einvoice_profiles() -> Iterator[Profile]:
    """The form of documents: CIUS-RO."""
    yield form.PROFILE
