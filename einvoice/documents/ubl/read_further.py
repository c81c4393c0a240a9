"""The terms of PINT that an invoice has beside EN 16931's, by the table of its country."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import date

from lxml import etree

from einvoice.documents.tree import Node
from einvoice.documents.ubl.names import CAC, CBC
from einvoice.documents.ubl.tags import cbc
from einvoice.domain.invoice import DocumentKind, Invoice, SupportingDocument
from einvoice.domain.pint import Country, Further

_NAMESPACES = {"cac": CAC, "cbc": CBC}
# The types of references that are an invoiced object, or the project of a credit note.
_EN16931 = {"Invoice": frozenset({"130"}), "CreditNote": frozenset({"130", "50"})}


def with_further_terms(invoice: Invoice, root: etree._Element, country: Country) -> Invoice:
    """The invoice of a document with the terms of the country; of several values the first."""
    form = "CreditNote" if invoice.kind is DocumentKind.CREDIT_NOTE else "Invoice"
    further = _read(root, country.document, form)
    elements = root.findall(f"cac:{form}Line", _NAMESPACES)
    lines = tuple(
        replace(line, further=_read(element, country.line, form) or None)
        for line, element in zip(invoice.lines, elements, strict=True)
    )
    replaced = {"tax_point_code": None} if "billingFrequency" in further else {}
    return replace(
        invoice,
        further=further,
        lines=lines,
        supporting=_supporting(invoice.supporting, root, form),
        **replaced,  # type: ignore[arg-type]  # one field, by name
    )


def _read(element: etree._Element, paths: Mapping[str, str], form: str) -> Further:
    found = ((name, _value(element, path.format(form=form))) for name, path in paths.items())
    return {name: value for name, value in found if value and _is_well_formed(name, value)}


_NUMBER = re.compile(r"[0-9]{1,15}(\.[0-9]{1,15})?", re.ASCII)


def _is_well_formed(name: str, value: str) -> bool:
    """Whether a term that is a number or a day is one; a malformed one is reported by the rules."""
    if name == "exchangeRate":
        return _NUMBER.fullmatch(value) is not None
    if name == "arrivalDate":
        with suppress(ValueError):
            return date.fromisoformat(value).isoformat() == value
        return False
    return True


def _value(element: etree._Element, path: str) -> str:
    steps, _, attribute = path.partition("/@")
    found = element.find(steps, _NAMESPACES)
    if found is None:
        return ""
    return ((found.get(attribute) if attribute else found.text) or "").strip()


def _supporting(
    known: Iterable[SupportingDocument], root: etree._Element, form: str
) -> tuple[SupportingDocument, ...]:
    """The supporting documents with their types and UUIDs."""
    elements = map(Node, root.findall("cac:AdditionalDocumentReference", _NAMESPACES))
    others = (each for each in elements if each.text(cbc.DocumentTypeCode) not in _EN16931[form])
    return tuple(
        replace(each, type_code=node.text(cbc.DocumentTypeCode), uuid=node.text(cbc.UUID))
        for each, node in zip(known, others, strict=False)
    )
