"""The access point of the toll authority: no directory, and a receipt with every bill."""

from __future__ import annotations

from einvoice.domain.artefacts import ArtefactKind
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
    receipt,
)
from tests.networks.toll import form

SEAL = ArtefactKind("TOLL_SEAL", "application/xml", "seal-{number}.xml")
SCHEME = "0190"  # of those whom the authority knows


class Toll(AccessPointBase):
    """Accepts every bill; `taken` has what was submitted."""

    name = "toll-test"
    network = "toll"
    environment = Environment.TEST
    capabilities = Capabilities(needs_lookup=False, formats=(form.PROFILE.syntax,))

    def __init__(self) -> None:
        self.taken: list[Envelope] = []

    def serves(self, participant: ParticipantId) -> bool:
        return participant.scheme == SCHEME

    def lookup(self, participant: ParticipantId) -> Registration | NotRegistered:
        raise AssertionError("the authority has no directory")

    def submit(self, envelope: Envelope, prepared: Prepared) -> Outcome:
        self.taken.append(envelope)
        seal = Evidence(
            SEAL,
            b"<Seal/>",
            authority_reference=f"TOLL-{envelope.number}",
            legal_original=True,
            retention_years=10,
        )
        return Delivered((receipt(b"<Receipt/>"), seal))
