"""The forms in which an invoice may be handed out, by the law and additions of its network.

Both come from the access point and the profile of its newest transmission. Where they are not
installed any more, the invoice is as one of a network without clearance and additions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from einvoice.documents.pdf import Mark
from einvoice.domain import artefacts as kinds
from einvoice.domain.additions import NOTHING, Additions, nothing
from einvoice.domain.delivery import Clearance, NetworkStatus
from einvoice.domain.errors import AccessPointUnavailable, NotCleared, RequestRefused
from einvoice.domain.profiles import Profile
from einvoice.network.access_points import AccessPoints
from einvoice.network.types import Capabilities
from einvoice.observability import logging
from einvoice.services.computing.pool import Computing
from einvoice.services.forms import Forms
from einvoice.services.invoices import pdf_computations
from einvoice.services.runtime import Runtime
from einvoice.store.invoices import artefacts, invoices
from einvoice.store.invoices.invoices import InvoiceDocuments, InvoiceRecord

log = logging.get(__name__)

# Made here, not by a network.
_OWN = frozenset(
    each.code for each in (kinds.PDF, kinds.PDF_RECEIPT, kinds.FACTUR_X, kinds.FAILURE_REPORT)
)


@dataclass(frozen=True, slots=True)
class Networks:
    """The installed access points and forms."""

    points: AccessPoints
    forms: Forms | None

    @classmethod
    def of(cls, runtime: Runtime) -> Networks:
        return cls(runtime.access_points, runtime.forms)


NO_NETWORKS = Networks(AccessPoints(()), None)


@dataclass(frozen=True, slots=True)
class HandedOut:
    """The additions to the pages, and their note about an invoice that is not Delivered."""

    additions: Additions = NOTHING
    mark: Mark = Mark.NONE


def terms_of(
    found: InvoiceDocuments, computing: Computing, networks: Networks, language: str | None = None
) -> HandedOut:
    """The additions to the pages of an invoice.

    language  of the words around; None: the language of the buyer's country

    Raises NotCleared, AccessPointUnavailable, ComputingUnavailable, ComputationTooLarge.
    """
    if found.direction != "sent":
        return HandedOut()
    capabilities = networks.points.capabilities_of(found.access_point)
    withheld = capabilities.clearance is Clearance.WITHHELD and found.is_undelivered
    if withheld and found.status == NetworkStatus.FAILED:
        raise _uncleared(found)
    additions = _additions(found, computing, networks, language)
    if withheld and not additions.issued:
        raise _uncleared(found)
    return HandedOut(additions, _mark(found, capabilities, additions))


def is_issued(
    record: InvoiceRecord, tenant_id: str, computing: Computing, networks: Networks
) -> bool:
    """Whether a sent invoice that is not Delivered may be handed out by codes of its network.

    Raises AccessPointUnavailable, ComputingUnavailable, ComputationTooLarge.
    """
    if record.is_received or record.status != NetworkStatus.PROCESSING:
        return False
    found = invoices.documents(record.id, tenant_id, record.environment)
    return found is not None and _additions(found, computing, networks, None).issued


def issued_by(runtime: Runtime, tenant_id: str) -> Callable[[InvoiceRecord], bool]:
    """`is_issued` of invoices of a tenant, with what is installed."""
    networks = Networks.of(runtime)
    return lambda record: is_issued(record, tenant_id, runtime.computing, networks)


def _mark(found: InvoiceDocuments, capabilities: Capabilities, additions: Additions) -> Mark:
    is_issued = additions.issued and found.status != NetworkStatus.FAILED
    if is_issued or not found.is_undelivered:
        return Mark.NONE
    return Mark.UNDELIVERED if capabilities.clearance is Clearance.NONE else Mark.UNCLEARED


def _uncleared(found: InvoiceDocuments) -> NotCleared:
    if found.status == NetworkStatus.FAILED:
        message = "It failed, so it has not been cleared: send it again, or a corrected one."
    else:
        message = "It exists as soon as networkStatus is Delivered (event transaction.sent)."
    return NotCleared(
        "The law of its network forbids handing out this invoice before it is cleared, so there is "
        f"no PDF of it yet. {message}",
        found.status,
    )


def _additions(
    found: InvoiceDocuments, computing: Computing, networks: Networks, language: str | None
) -> Additions:
    """The profile's additions, made by its function in a computing process.

    Raises AccessPointUnavailable if the function raises: without them the pages may not be the
    invoice that the law asks for.
    """
    profile = _profile(found.profile, networks.forms)
    if profile is None or profile.additions is nothing:
        return NOTHING
    kept = artefacts.of_transmission(found.transmission_id, found.id, found.tenant_id)
    evidence = {one.kind: one.content for one in kept if one.kind not in _OWN}
    references = [one.authority_reference for one in kept if one.authority_reference]
    try:
        return computing.run(
            found.tenant_id,
            pdf_computations.additions_of,
            profile.additions,
            found.document,
            found.network_document,
            not found.is_undelivered,
            evidence,
            references[-1] if references else None,
            language,
            found.access_point,
        )
    except RequestRefused:
        raise
    except Exception as fault:  # of a plugin
        log.exception("additions of a profile raised", profile=profile.name, invoice=found.id)
        raise AccessPointUnavailable(
            "What the network of this invoice adds to its pages cannot be made at the moment."
        ) from fault


def has_additions(profile: str | None, networks: Networks) -> bool:
    """Whether the profile of this name adds anything to invoices."""
    found = _profile(profile, networks.forms)
    return found is not None and found.additions is not nothing


def _profile(name: str | None, forms: Forms | None) -> Profile | None:
    if forms is None or name is None:
        return None
    known = (each for network in forms.networks.values() for each in network.profiles)
    return next((each for each in known if each.name == name), None)
