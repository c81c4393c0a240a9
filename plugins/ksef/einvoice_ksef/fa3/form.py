"""FA(3) as the form of invoices: what has no place is refused, the rest is written."""

from __future__ import annotations

from typing import Final

from einvoice.domain.errors import FieldError, InvalidField
from einvoice.domain.identifiers import DocumentTypeId, ProcessId
from einvoice.domain.invoice import DocumentKind, Invoice
from einvoice.domain.profiles import Adapted, Profile
from einvoice_ksef.fa3 import write as writer
from einvoice_ksef.fa3.printed import additions
from einvoice_ksef.fa3.read import read_document
from einvoice_ksef.fa3.rules import RULES
from einvoice_ksef.fa3.structure import NAMESPACE

NETWORK: Final = "ksef"
SYNTAX: Final = "fa3"
DOCUMENT_TYPE: Final = DocumentTypeId("ksef-docid", f"{NAMESPACE}::Faktura##FA (3)::1-0E")
PROCESS: Final = ProcessId("ksef-procid", "clearance")


def adapt(invoice: Invoice) -> Adapted:
    """The invoice as it is. Raises InvalidField for each field that has no place in FA(3)."""
    faults = [*_attached(invoice), *writer.document_of(invoice)[1]]
    if faults:
        raise InvalidField(list(dict.fromkeys(faults)))
    return Adapted(invoice)


def write(invoice: Invoice) -> bytes:
    """The FA(3) of an adapted invoice."""
    return writer.document_of(invoice)[0]


def _attached(invoice: Invoice) -> list[FieldError]:
    words = "has no place in FA(3): files cannot be attached; give their address in the note"
    return [
        FieldError(f"/invoice/attachments/{index}", "no-place", words)
        for index, document in enumerate(invoice.supporting)
        if document.attachment
    ]


PROFILE = Profile(
    name="ksef-fa3",
    network=NETWORK,
    rule_set=RULES.name,
    process=PROCESS,
    types={(kind, SYNTAX): DOCUMENT_TYPE for kind in DocumentKind},
    syntax=SYNTAX,
    write=write,
    adapt=adapt,
    read=read_document,
    additions=additions,
)
