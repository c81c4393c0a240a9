"""The access point of the toll authority: no directory, consumers too, a receipt for each bill."""

from __future__ import annotations

from einvoice.domain.artefacts import ArtefactKind
from einvoice.domain.delivery import Clearance, DeliveredMeans
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.network.types import (
    AccessPointBase,
    Capabilities,
    Delivered,
    Envelope,
    Evidence,
    NotRegistered,
    Outcome,
    Prepared,
    Registration,
    Rejected,
    receipt,
)
from tests.networks.toll import form

SEAL = ArtefactKind(form.SEAL, "application/xml", "seal-{number}.xml")
SCHEME = "0190"  # of those whom the authority knows


class Toll(AccessPointBase):
    """Accepts every bill but those in `refused`, by number; `taken` has what was submitted."""

    name = "toll-test"
    network = "toll"
    environment = Environment.TEST
    capabilities = Capabilities(
        needs_lookup=False,
        reaches_without_id=True,
        formats=(form.PROFILE.syntax,),
        delivered_means=DeliveredMeans.AUTHORITY,
        clearance=Clearance.WITHHELD,
    )

    def __init__(self) -> None:
        self.taken: list[Envelope] = []
        self.refused: set[str] = set()

    def serves(self, participant: ParticipantId) -> bool:
        return participant.scheme == SCHEME

    def lookup(self, participant: ParticipantId) -> Registration | NotRegistered:
        raise AssertionError("the authority has no directory")

    def submit(self, envelope: Envelope, prepared: Prepared) -> Outcome:
        self.taken.append(envelope)
        if envelope.number in self.refused:
            return Rejected("T-1", "The barrier is closed.", retryable=True)
        seal = Evidence(
            SEAL,
            form.seal(envelope.number, envelope.document),
            authority_reference=f"TOLL-{envelope.number}",
            legal_original=True,
            retention_years=10,
        )
        return Delivered((receipt(b"<Receipt/>"), seal))
