"""The further descriptions of FA(3) (DodatkowyOpis): terms of the invoice and of its lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self

from einvoice.documents.tree import Node
from einvoice_ksef.fa3 import terms
from einvoice_ksef.fa3.tags import fa

_KEYS: Final = frozenset(
    {
        *(key for key, _ in terms.DOCUMENT.values()),
        *terms.PAYMENT.values(),
        *(f"{key} {role}" for key, _ in terms.PARTY.values()
          for role in (terms.SELLER, terms.BUYER)),
        terms.OBJECT,
        terms.DELIVERY_PLACE,
        terms.DELIVERY_COUNTRY,
    }
)  # fmt: skip

Entries = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Described:
    """The descriptions of a document.

    document  the terms of the invoice by key; of several of one key the first
    notes     texts that are no term, with their key in front
    lines     number of the line → its descriptions in their order
    """

    document: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    lines: Mapping[str, Entries] = field(default_factory=dict)

    @classmethod
    def of(cls, body: Node) -> Self:
        """The descriptions in the body (Fa) of a document."""
        by_line: defaultdict[str | None, list[tuple[str, str]]] = defaultdict(list)
        for entry in body.all(fa.DodatkowyOpis):
            key, text = entry.text(fa.Klucz), entry.text(fa.Wartosc)
            if key and text:
                by_line[entry.text(fa.NrWiersza)].append((key, text))
        document: dict[str, str] = {}
        notes = []
        for key, text in terms.joined(by_line.pop(None, [])):
            if key in _KEYS and key not in document:
                document[key] = text
            else:
                notes.append(text if key == terms.NOTE else f"{key}: {text}")
        lines = {str(number): list(terms.joined(each)) for number, each in by_line.items()}
        return cls(document, notes, lines)
