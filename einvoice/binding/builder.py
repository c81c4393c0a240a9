"""The interface between the description of a document and what is made of it."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Generic, TypeVar

from einvoice.domain.invoice import Identifier
from einvoice.domain.money import plain

NO_ATTRIBUTES: dict[str, str] = {}

GroupT = TypeVar("GroupT")


class Builder(Generic[GroupT]):
    """Receives the elements of one document in document order.

    A term whose text is None, empty or blank is left out, and a group appears when the first term
    below it does: no empty element is built (PEPPOL-EN16931-R008). A group that was left for one
    that is not inside it cannot be continued. Names carry the prefixes `cac:` and `cbc:`.
    """

    def __init__(self, root: GroupT, currency: str) -> None:
        """`currency`: of the amounts of the document, "" where it is not known."""
        self.root = root
        self.currency: dict[str, str] = {"currencyID": currency} if currency else NO_ATTRIBUTES

    def group(self, parent: GroupT, name: str) -> GroupT:
        """A group below the parent."""
        raise NotImplementedError

    def text(
        self,
        parent: GroupT,
        name: str,
        text: str | None,
        attributes: dict[str, str] = NO_ATTRIBUTES,
    ) -> None:
        """A term; the attributes have values that are not empty."""
        raise NotImplementedError

    def binary(self, parent: GroupT, name: str, content: bytes, attributes: dict[str, str]) -> None:
        """An embedded file, left out where it has no bytes."""
        raise NotImplementedError

    def day(self, parent: GroupT, name: str, value: date | None) -> None:
        if value is not None:
            self.text(parent, name, value.isoformat())

    def number(self, parent: GroupT, name: str, value: Decimal | None) -> None:
        if value is not None:
            self.text(parent, name, plain(value))

    def amount(self, parent: GroupT, name: str, value: Decimal | None) -> None:
        """An amount in the currency of the document."""
        if value is not None:
            self.text(parent, name, plain(value), self.currency)

    def quantity(self, parent: GroupT, name: str, value: Decimal | None, unit: str | None) -> None:
        if value is not None:
            self.text(parent, name, plain(value), {"unitCode": unit} if unit else NO_ATTRIBUTES)

    def identified(self, parent: GroupT, name: str, value: Identifier | None) -> None:
        """An identifier with its scheme."""
        if value is not None:
            scheme = value.scheme
            self.text(parent, name, value.value, {"schemeID": scheme} if scheme else NO_ATTRIBUTES)

    def reference(self, parent: GroupT, name: str, number: str | None) -> None:
        """A group that holds an identifier and nothing else."""
        if number:
            self.text(self.group(parent, name), "cbc:ID", number)


def given(**attributes: str | None) -> dict[str, str]:
    """The attributes that have a value."""
    return {name: value for name, value in attributes.items() if value}
