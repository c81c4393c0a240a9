"""Payee and tax representative (BG-10, BG-11): as sent, nothing is assumed."""

from __future__ import annotations

from einvoice.domain.derive.text import address, filled, identifier
from einvoice.domain.invoice import Payee, TaxRepresentative
from einvoice.domain.legal_ids import as_sent
from einvoice.domain.request import PayeeRequest, TaxRepresentativeRequest
from einvoice.domain.vat_ids import compact


def payee(given: PayeeRequest) -> Payee:
    company_id = filled(given.get("companyId"))
    return Payee(
        given["name"],
        identifier=identifier(given.get("identifier")),
        legal_id=as_sent(company_id) if company_id else None,
    )


def representative(given: TaxRepresentativeRequest) -> TaxRepresentative:
    place = given.get("address", {})
    country = filled(place.get("countryCode"))
    number = compact(given["taxId"])
    return TaxRepresentative(given["name"], vat_id=number, address=address(place, country))
