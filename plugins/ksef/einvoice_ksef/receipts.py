"""The evidence of a sent invoice: the document with its KSeF number, and its UPO."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import structlog

from einvoice.domain.artefacts import AUTHORITY_DOCUMENT, AUTHORITY_RECEIPT
from einvoice.http import HttpFault, Response
from einvoice.network.types import Evidence
from einvoice_ksef.client import Api
from einvoice_ksef.encryption import digest_of

log = structlog.get_logger()

RETENTION_YEARS: Final = 10
_DIGEST_HEADER: Final = "x-ms-meta-hash"


def original(document: bytes, number: str) -> Evidence:
    """The document as sent: the original by law, with the number that KSeF gave it."""
    return Evidence(
        AUTHORITY_DOCUMENT,
        document,
        authority_reference=number,
        legal_original=True,
        retention_years=RETENTION_YEARS,
    )


def kept(response: Response) -> Evidence | None:
    """The UPO in an answer; None if it is not the file that its digest says."""
    stated = response.headers.get(_DIGEST_HEADER)
    if response.status != 200 or not response.body:
        return None
    if stated is not None and stated != digest_of(response.body):
        log.error("UPO with another digest", stated=stated)
        return None
    return Evidence(AUTHORITY_RECEIPT, response.body, retention_years=RETENTION_YEARS)


def fetched(api: Api, links: Iterable[str]) -> dict[str, Evidence]:
    """The UPOs by their links; without those that cannot be fetched now."""
    found = {}
    for link in links:
        try:
            receipt = kept(api.download(link)) if link else None
        except HttpFault:
            continue
        if receipt is not None:
            found[link] = receipt
    return found
