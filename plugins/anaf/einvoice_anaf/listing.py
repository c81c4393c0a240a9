"""The authority's lists of messages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from einvoice_anaf.answers import Answer, Kind

_ID: Final = re.compile(r"\d{1,20}", re.ASCII)
_NUMBERS: Final = re.compile(r"(id_incarcare|cif_emitent|cif_beneficiar)\s*=\s*([A-Z0-9]{1,20})")


class MessageType(StrEnum):
    """The kinds of messages."""

    ERRORS = "ERORI FACTURA"
    SENT = "FACTURA TRIMISA"
    RECEIVED = "FACTURA PRIMITA"
    FROM_BUYER = "MESAJ CUMPARATOR PRIMIT"
    TO_SELLER = "MESAJ CUMPARATOR TRANSMIS"


@dataclass(frozen=True, slots=True)
class Item:
    """A message of a list.

    id         for its download
    index      upload index of the document
    type       as the list has it; see MessageType
    seller, buyer  their numbers, where the list names them
    """

    id: str
    index: str
    type: str
    seller: str
    buyer: str


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a list, and the number of pages."""

    items: tuple[Item, ...]
    pages: int


def page_of(answer: Answer) -> Page:
    """The page in an answer; items without an id are left out. Raises ValueError for others."""
    if answer.kind is Kind.NOTHING:
        return Page((), 0)
    if answer.kind is not Kind.LIST:
        raise ValueError(answer.text)
    messages = answer.values["mesaje"]
    items = tuple(_items(each for each in messages if isinstance(each, dict)))
    try:
        pages = int(answer.values.get("numar_total_pagini", 1))
    except (TypeError, ValueError):
        pages = 1
    return Page(items, pages)


def _items(messages: Iterator[Mapping[str, Any]]) -> Iterator[Item]:
    for each in messages:
        numbers = dict(_NUMBERS.findall(str(each.get("detalii", ""))))
        found = Item(
            id=str(each.get("id", "")),
            index=str(each.get("id_solicitare") or numbers.get("id_incarcare", "")),
            type=str(each.get("tip", "")).strip().upper(),
            seller=numbers.get("cif_emitent", "").removeprefix("RO"),
            buyer=numbers.get("cif_beneficiar", "").removeprefix("RO"),
        )
        if _ID.fullmatch(found.id):
            yield found
