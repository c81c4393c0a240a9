"""The evidence of a sent invoice: the document with its KSeF number, and its UPO."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import structlog
from cryptography import x509

from einvoice import clock
from einvoice.domain.artefacts import AUTHORITY_DOCUMENT, AUTHORITY_RECEIPT
from einvoice.http import HttpFault, Response
from einvoice.network.types import Evidence
from einvoice_ksef import evidence
from einvoice_ksef.client import Api

log = structlog.get_logger()

RETENTION_YEARS: Final = 10
FETCH_SECONDS: Final = 45.0  # for all links of a call
DIGEST_HEADER: Final = "x-ms-meta-hash"


def original(document: bytes, number: str) -> Evidence:
    """The document as sent: the original by law, with the number that KSeF gave it."""
    return Evidence(
        AUTHORITY_DOCUMENT,
        document,
        authority_reference=number,
        legal_original=True,
        retention_years=RETENTION_YEARS,
    )


def kept(response: Response, digest: str, signers: Sequence[x509.Certificate]) -> Evidence | None:
    """The UPO in an answer, of the document with this digest.

    None if the digest of the file or its signature is wrong, or if it confirms another document.
    """
    if response.status != 200 or not response.body:
        return None
    try:
        upo = evidence.checked(response.body, response.headers.get(DIGEST_HEADER), signers)
    except evidence.NotEvidence as fault:
        log.error("UPO is not trusted", reason=str(fault))
        return None
    if not upo.confirms(digest):
        log.error("UPO is of another document", session=upo.session)
        return None
    return Evidence(AUTHORITY_RECEIPT, response.body, retention_years=RETENTION_YEARS)


def fetched(api: Api, links: Mapping[str, str]) -> dict[str, Evidence]:
    """The UPOs by their links; without those that cannot be fetched now, or not in time.

    links  the digest of the document of each
    """
    found, until = {}, clock.monotonic() + FETCH_SECONDS
    for link, digest in links.items():
        if clock.monotonic() > until:
            break
        try:
            receipt = kept(api.download(link), digest, api.signers) if link else None
        except HttpFault:
            continue
        if receipt is not None:
            found[link] = receipt
    return found
