"""The profiles that come with the service."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from einvoice.documents.ubl.write import document_xml
from einvoice.domain.identifiers import (
    BIS_BILLING_CUSTOMIZATION,
    BIS_BILLING_PROCESS,
    BIS_BILLING_PROFILE,
    BIS_CREDIT_NOTE,
    BIS_INVOICE,
    BIS_INVOICE_CII,
    NLCIUS_CREDIT_NOTE,
    NLCIUS_CUSTOMIZATION,
    NLCIUS_INVOICE,
    SELF_BILLED_CREDIT_NOTE,
    SELF_BILLED_INVOICE,
    SELF_BILLING_CUSTOMIZATION,
    SELF_BILLING_PROCESS,
    SELF_BILLING_PROFILE,
    XRECHNUNG_CREDIT_NOTE,
    XRECHNUNG_INVOICE,
    XRECHNUNG_INVOICE_CII,
    ProcessId,
    wildcard_type,
)
from einvoice.domain.invoice import DocumentKind, Invoice
from einvoice.domain.pint import COUNTRIES, Country, billing, self_billing
from einvoice.domain.pint_adaptation import as_pint
from einvoice.domain.profiles import CII, UBL, Adapted, Profile
from einvoice.domain.xrechnung import as_xrechnung


def _as_bis_billing(invoice: Invoice) -> Adapted:
    """The invoice with the specification and process of BIS Billing."""
    if invoice.customization == BIS_BILLING_CUSTOMIZATION:
        return Adapted(invoice)
    marked = replace(invoice, customization=BIS_BILLING_CUSTOMIZATION, profile=BIS_BILLING_PROFILE)
    return Adapted(marked)


BIS_BILLING = Profile(
    name="peppol-bis-billing",
    network="peppol",
    rule_set="peppol-bis-billing",
    process=BIS_BILLING_PROCESS,
    types={
        (DocumentKind.INVOICE, UBL): BIS_INVOICE,
        (DocumentKind.CREDIT_NOTE, UBL): BIS_CREDIT_NOTE,
        (DocumentKind.INVOICE, CII): BIS_INVOICE_CII,
        (DocumentKind.CREDIT_NOTE, CII): BIS_INVOICE_CII,
    },
    write=document_xml,
    adapt=_as_bis_billing,
)

XRECHNUNG = Profile(
    name="xrechnung",
    network="peppol",
    rule_set="xrechnung",
    process=BIS_BILLING_PROCESS,
    types={
        (DocumentKind.INVOICE, UBL): XRECHNUNG_INVOICE,
        (DocumentKind.CREDIT_NOTE, UBL): XRECHNUNG_CREDIT_NOTE,
        (DocumentKind.INVOICE, CII): XRECHNUNG_INVOICE_CII,
        (DocumentKind.CREDIT_NOTE, CII): XRECHNUNG_INVOICE_CII,
    },
    write=document_xml,
    adapt=as_xrechnung,
)


def _as_self_billed(invoice: Invoice) -> Adapted:
    """The invoice with the specification and process of BIS Self-Billing."""
    return Adapted(
        replace(invoice, customization=SELF_BILLING_CUSTOMIZATION, profile=SELF_BILLING_PROFILE)
    )


SELF_BILLING = Profile(
    name="peppol-bis-self-billing",
    network="peppol",
    rule_set="selfbilling",
    process=SELF_BILLING_PROCESS,
    types={
        (DocumentKind.SELF_BILLED_INVOICE, UBL): SELF_BILLED_INVOICE,
        (DocumentKind.SELF_BILLED_CREDIT_NOTE, UBL): SELF_BILLED_CREDIT_NOTE,
    },
    write=document_xml,
    adapt=_as_self_billed,
)


def _as_nlcius(invoice: Invoice) -> Adapted:
    """The invoice with the specification of NLCIUS, which has the process of BIS Billing."""
    return Adapted(
        replace(invoice, customization=NLCIUS_CUSTOMIZATION, profile=BIS_BILLING_PROFILE)
    )


NLCIUS = Profile(
    name="nlcius",
    network="peppol",
    rule_set="nlcius",
    process=BIS_BILLING_PROCESS,
    types={
        (DocumentKind.INVOICE, UBL): NLCIUS_INVOICE,
        (DocumentKind.CREDIT_NOTE, UBL): NLCIUS_CREDIT_NOTE,
    },
    write=document_xml,
    adapt=_as_nlcius,
)


def _pint(country: Country, *, self_billed: bool = False) -> Profile:
    """The profile of billing or self-billing of a country."""
    code = country.code.lower()
    of = (self_billing if self_billed else billing)(code)
    invoice, credit_note = DocumentKind.INVOICE, DocumentKind.CREDIT_NOTE
    if self_billed:
        invoice, credit_note = invoice.self_billed, credit_note.self_billed
    name = f"pint-{code}-selfbilling" if self_billed else f"pint-{code}"
    return Profile(
        name=name,
        network="peppol",
        rule_set=name,
        process=ProcessId("cenbii-procid-ubl", of.process),
        types={
            (invoice, UBL): wildcard_type(BIS_INVOICE, of.customization),
            (credit_note, UBL): wildcard_type(BIS_CREDIT_NOTE, of.customization),
        },
        write=document_xml,
        adapt=partial(as_pint, country=country),
        country=country.code,
        numbered=True,
    )


PINT_PROFILES = tuple(
    _pint(country, self_billed=self_billed)
    for country in COUNTRIES.values()
    for self_billed in (False, True)
)
OWN_PROFILES = (BIS_BILLING, XRECHNUNG, SELF_BILLING, NLCIUS, *PINT_PROFILES)
