"""Participant ids of a platform's tenants: requests. Responses are those of the tenants."""

from __future__ import annotations

from einvoice.web.contract import Contract
from einvoice.web.fields import ParticipantText
from einvoice.web.paging import PartQuery


class NewClaim(Contract):
    """A participant id to claim, in the environment of the credential."""

    participantId = ParticipantText(
        "The id in the network.", max_length=140, required=True,
        example="0192:991825827",
    )  # fmt: skip


class ClaimQuery(PartQuery):
    """The participant ids of a tenant."""
