"""Documents of each kind that is exchanged: what differs from the sample invoice, by name."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any, Final

from einvoice import clock
from einvoice.domain.identifiers import (
    BIS_BILLING_CUSTOMIZATION,
    BIS_BILLING_PROFILE,
    BIS_CREDIT_NOTE,
    SELF_BILLED_CREDIT_NOTE,
    SELF_BILLED_INVOICE,
    SELF_BILLING_CUSTOMIZATION,
    SELF_BILLING_PROCESS,
    SELF_BILLING_PROFILE,
    ParticipantId,
)
from einvoice.network import samples
from einvoice_peppol import mls

C2_PROVIDER, C3_PROVIDER = mls.spid_of("POP000001"), mls.spid_of("POP000002")
SELLER, BUYER = ParticipantId("0208", "0848934496"), ParticipantId("0208", "0123456749")


def of_kind(kind: str) -> dict[str, Any]:
    """The fields of an envelope with a document of this kind, with a new number."""
    return {"sender": SELLER, "receiver": BUYER} | KINDS[kind]()


def invoice() -> dict[str, Any]:
    return {"document": samples.envelope().document}


def credit_note() -> dict[str, Any]:
    return {"document_type": BIS_CREDIT_NOTE, "document": _replaced({b"Invoice": b"CreditNote"})}


def self_billed_invoice() -> dict[str, Any]:
    return {
        "document_type": SELF_BILLED_INVOICE,
        "process": SELF_BILLING_PROCESS,
        "document": _replaced(_SELF_BILLED),
    }


def self_billed_credit_note() -> dict[str, Any]:
    return {
        "document_type": SELF_BILLED_CREDIT_NOTE,
        "process": SELF_BILLING_PROCESS,
        "document": _replaced(_SELF_BILLED | {b"Invoice": b"CreditNote"}),
    }


def status(
    instance_id: str = "b3b4f0a2-7b0f-4b55-9d3c-7f3d7f4a9a01",
    sender: ParticipantId = C2_PROVIDER,
    receiver: ParticipantId = C3_PROVIDER,
) -> dict[str, Any]:
    """A Message Level Status that refuses the document with this instance id."""
    issue = mls.Issue(mls.RULE, "BR-01: not & so", "/Invoice[1]")
    written = mls.Mls(
        str(uuid.uuid4()), clock.now(), sender, receiver, mls.REJECTED, instance_id,
        "The document breaks 1 rule(s).", (issue,),
    )  # fmt: skip
    return {
        "sender": sender,
        "receiver": receiver,
        "document_type": mls.DOCUMENT_TYPE,
        "process": mls.PROCESS,
        "document": mls.write(written),
    }


_SELF_BILLED: Final = {
    f">{BIS_BILLING_CUSTOMIZATION}<".encode(): f">{SELF_BILLING_CUSTOMIZATION}<".encode(),
    f">{BIS_BILLING_PROFILE}<".encode(): f">{SELF_BILLING_PROFILE}<".encode(),
}
KINDS: Final = {
    "invoice": invoice,
    "credit note": credit_note,
    "self-billed invoice": self_billed_invoice,
    "self-billed credit note": self_billed_credit_note,
    "message level status": status,
}


def of_size(size: int) -> bytes:
    """An invoice of more than this many bytes, most of it the name of its line."""
    name = b"0123456789 " * (size // 11 + 1)
    return samples.envelope().document.replace(b"Sample service", name)


def _replaced(texts: Mapping[bytes, bytes]) -> bytes:
    document = samples.envelope().document
    for old, new in texts.items():
        document = document.replace(old, new)
    return document
