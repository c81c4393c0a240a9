"""The buyer of an invoice as a network needs to know it, beside or in place of a participant id.

The numbers are stored with the invoice, so that a worker reads no document to address it:

>>> party = Party("Ana", vat_id="RO18547290", identifiers=(Identifier("1", "NAT"),))
>>> stored_ids(party)
{'vat': 'RO18547290', 'other': [['1', 'NAT']]}
>>> restored("Ana", "RO", "18547290", stored_ids(party)).identifiers
(Identifier(value='1', scheme='NAT', version=None),)
>>> restored("Ana", "RO", None, None).has_number
False
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from einvoice.domain.invoice import Identifier, Party


@dataclass(frozen=True, slots=True)
class Buyer:
    """The buyer that a document names (BG-7).

    name         BT-44
    country      BT-55, ISO 3166-1 alpha-2
    tax_id       the tax number as the sender gave it; with or without country prefix
    vat_id       BT-48, with its country prefix
    legal_id     BT-47, the number in a register
    identifiers  BT-46, with the scheme that the document gives them
    """

    name: str
    country: str | None = None
    tax_id: str | None = None
    vat_id: str | None = None
    legal_id: Identifier | None = None
    identifiers: tuple[Identifier, ...] = ()

    @property
    def has_number(self) -> bool:
        """Whether any number is known; a consumer usually has none."""
        return bool(self.tax_id or self.vat_id or self.legal_id or self.identifiers)


def stored_ids(party: Party) -> dict[str, Any] | None:
    """The ids of a party as they are stored, beside name, country and tax id; None without any."""
    found: dict[str, Any] = {}
    if party.vat_id:
        found["vat"] = party.vat_id
    if party.legal_id:
        found["legal"] = _pair(party.legal_id)
    if party.identifiers:
        found["other"] = [_pair(one) for one in party.identifiers]
    return found or None


def restored(
    name: str | None, country: str | None, tax_id: str | None, ids: Mapping[str, Any] | None
) -> Buyer:
    """The buyer of a stored invoice; `ids`: the result of `stored_ids`."""
    ids = ids or {}
    legal = ids.get("legal")
    return Buyer(
        name=name or "",
        country=country,
        tax_id=tax_id,
        vat_id=ids.get("vat"),
        legal_id=Identifier(*legal) if legal else None,
        identifiers=tuple(Identifier(*one) for one in ids.get("other", ())),
    )


def _pair(identifier: Identifier) -> list[str | None]:
    return [identifier.value, identifier.scheme]
