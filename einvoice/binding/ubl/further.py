"""A document of PINT: the elements of EN 16931, then the terms of the country in their places."""

from __future__ import annotations

from einvoice.binding.builder import Builder, GroupT
from einvoice.binding.ubl.core import describe as describe_core
from einvoice.binding.ubl.sketch import Element, Sketch, replay
from einvoice.domain.invoice import DocumentKind, Invoice
from einvoice.domain.pint import Country, Further


def describe(build: Builder[GroupT], invoice: Invoice, country: Country) -> None:
    """Put the invoice or credit note below the builder's root, with the terms of the country."""
    form = "CreditNote" if invoice.kind is DocumentKind.CREDIT_NOTE else "Invoice"
    sketch = Sketch(form, invoice.currency)
    describe_core(sketch, invoice)
    root = sketch.root
    for name, text in (invoice.further or {}).items():
        if name in country.document:
            root.put(country.document[name].format(form=form), text)
    if country.scheme != "VAT":
        _rename_tax(root, country.scheme)
    lines = (each for each in root.children if each.name == f"cac:{form}Line")
    for element, line in zip(lines, invoice.lines, strict=True):
        _further_terms(element, line.further or {}, country)
    replay(root, build, build.root)


def _rename_tax(element: Element, scheme: str) -> None:
    """Give the tax of all categories below an element this name."""
    for child in element.children:
        if child.name in ("cac:TaxCategory", "cac:ClassifiedTaxCategory"):
            child.placed("cac:TaxScheme").placed("cbc:ID").text = scheme
        else:
            _rename_tax(child, scheme)


def _further_terms(element: Element, further: Further, country: Country) -> None:
    for name, text in further.items():
        if name in country.line:
            element.put(country.line[name], text)
