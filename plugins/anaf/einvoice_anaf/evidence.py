"""The answers of the authority about a document, as artefacts of the invoice."""

from __future__ import annotations

from typing import Final

from einvoice.domain.artefacts import AUTHORITY_RECEIPT, ArtefactKind
from einvoice.network.types import Evidence
from einvoice_anaf.sealed import SealedFile

RETENTION_YEARS: Final = 10
SEALED: Final = ArtefactKind("AUTHORITY_DOCUMENT", "application/zip", "legal-{number}.zip")
UNVERIFIED: Final = ArtefactKind(SEALED.code, SEALED.content_type, "unverified-{number}.zip")
ERRORS: Final = ArtefactKind("AUTHORITY_ERRORS", "application/zip", "errors-{number}.zip")
UNTRUSTED: Final = ArtefactKind("AUTHORITY_UNTRUSTED", "application/zip", "untrusted-{number}.zip")
BUYER_MESSAGE: Final = ArtefactKind("BUYER_MESSAGE", "application/xml", "message-{number}.xml")


def answer(content: bytes, index: str) -> Evidence:
    """The answer to an upload, or about its state."""
    return Evidence(AUTHORITY_RECEIPT, content, authority_reference=index)


def sealed(file: SealedFile, index: str, *, verified: bool) -> Evidence:
    """The invoice with the seal of the authority: the original by law.

    verified  whether the seal is that of a known signer. Without known signers anybody may have
              made it: it is kept as long, and not said to be the original
    """
    return Evidence(
        SEALED if verified else UNVERIFIED,
        file.archive,
        authority_reference=index,
        legal_original=verified,
        retention_years=RETENTION_YEARS,
    )


def errors(archive: bytes, index: str) -> Evidence:
    """The file of the errors of a rejected document."""
    return Evidence(ERRORS, archive, authority_reference=index)


def untrusted(archive: bytes, index: str) -> Evidence:
    """A file whose seal is not valid: kept, and never the original."""
    return Evidence(UNTRUSTED, archive, authority_reference=index)
