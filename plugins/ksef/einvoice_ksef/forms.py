"""The forms of documents (formCode): what a session is opened for.

>>> form_of(b'<Faktura xmlns="http://crd.gov.pl/wzor/2025/06/25/13775/"/>').system_code
'FA (3)'
>>> form_of(b'<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"/>').value
'PEF'
>>> form_of(b'<Rechnung/>')
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from einvoice_ksef.fa3.structure import NAMESPACE

_HEAD_BYTES: Final = 4096  # in which the root element declares its namespace


@dataclass(frozen=True, slots=True)
class FormCode:
    """A form, in the three parts by which KSeF knows it."""

    system_code: str
    schema_version: str
    value: str

    def as_json(self) -> dict[str, str]:
        return {
            "systemCode": self.system_code,
            "schemaVersion": self.schema_version,
            "value": self.value,
        }


FA: Final = FormCode("FA (3)", "1-0E", "FA")
PEF: Final = FormCode("PEF (3)", "2-1", "PEF")
PEF_KOR: Final = FormCode("PEF_KOR (3)", "2-1", "PEF")  # credit notes
_UBL: Final = b"urn:oasis:names:specification:ubl:schema:xsd:"
_NAMESPACES: Final = (
    (NAMESPACE.encode(), FA),
    (_UBL + b"Invoice-2", PEF),
    (_UBL + b"CreditNote-2", PEF_KOR),
)


def form_of(document: bytes) -> FormCode | None:
    """The form of a document, by the namespace of its root; None for another document."""
    head = document[:_HEAD_BYTES]
    return next((form for namespace, form in _NAMESPACES if namespace in head), None)
