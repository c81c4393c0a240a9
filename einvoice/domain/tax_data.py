"""Tax data documents (TDD): what a country calls their parts.

A tax data document is what an access point reports of an invoice to a tax authority over Peppol.
Those of the three countries look alike and are not: each row of `SPECIFICATIONS` has the names and
codes of one. The rules (`rules/tax_data`) and the writer (`documents/tax_data`) read them here.

Sources: the specifications TDD AE 1.0.4, OM 1.0.1 and SK 1.0.0 of OpenPeppol, and the document
types of the code lists of eDEC 9.7.

>>> SPECIFICATIONS["SK"].roles[ReporterRole.RECEIVER]
'C3'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

PROFILE = "urn:peppol:taxreporting"
PROCESS = f"cenbii-procid-ubl::{PROFILE}"
SEAT_SCHEME = "0242"  # of authorities and service providers (SPIS)


class ReportType(StrEnum):
    """Why a document is reported."""

    SUBMIT = "submit"
    RESUBMIT = "resubmit"  # in place of a report that was refused
    WITHDRAW = "withdraw"
    FAILED = "failed"  # the receiver's access point did not take the document


class Scope(StrEnum):
    """Between whom the document is."""

    DOMESTIC = "domestic"
    ABROAD_IN_PEPPOL = "abroadInPeppol"  # of Slovakia: to another country of the EU
    ABROAD = "abroad"  # of Slovakia: to a country outside of the EU


class ReporterRole(StrEnum):
    """Whose access point reports."""

    SENDER = "sender"
    RECEIVER = "receiver"


@dataclass(frozen=True, slots=True)
class TaxDataSpecification:
    """The tax data document of a country.

    country         ISO 3166 code
    namespace       of the document element
    specification   its identifier, CustomizationID
    type_element    the element with the type
    types, scopes, roles  the codes; a type that the country does not have is missing
    party_scheme    the scheme of the participant ids of the country's parties (ISO 6523)
    party_digits    how many digits their values have; None: they have any form
    party_number    what the number is called
    has_uuid        whether the report has a UUID of its own
    holds_source    whether the whole source document is in the report; else its content is
    names_authority whether the tax authority is named beside the receiving party
    """

    country: str
    namespace: str
    specification: str
    type_element: str
    types: Mapping[ReportType, str]
    scopes: Mapping[Scope, str]
    roles: Mapping[ReporterRole, str]
    party_scheme: str
    party_digits: int | None
    party_number: str
    has_uuid: bool
    holds_source: bool
    names_authority: bool

    @property
    def root(self) -> str:
        """The tag of the document element."""
        return f"{{{self.namespace}}}TaxData"

    @property
    def document_type(self) -> str:
        """The document type identifier at the SMP, with its scheme."""
        return f"busdox-docid-qns::{self.namespace}::TaxData##{self.specification}::1.0"


_S, _R, _W, _F = ReportType
_NUMBERED = {ReporterRole.SENDER: "01", ReporterRole.RECEIVER: "02"}
_IN_GULF = {Scope.DOMESTIC: "D", Scope.ABROAD_IN_PEPPOL: "IP", Scope.ABROAD: "INP"}
SPECIFICATIONS: Mapping[str, TaxDataSpecification] = {
    each.country: each
    for each in (
        TaxDataSpecification(
            country="AE",
            namespace="urn:peppol:schema:taxdata:1.0",
            specification="urn:peppol:taxdata:ae-1",
            type_element="DocumentTypeCode",
            types={_S: "S", _R: "R", _W: "W", _F: "F"},
            scopes=_IN_GULF,
            roles=_NUMBERED,
            party_scheme="0235",
            party_digits=10,
            party_number="the tax identification number (TIN) of 10 digits",
            has_uuid=False,
            holds_source=True,
            names_authority=False,
        ),
        TaxDataSpecification(
            country="OM",
            namespace="urn:peppol:schema:om-taxdata:1.0",
            specification="urn:peppol:taxdata:om-1",
            type_element="DocumentTypeCode",
            types={_S: "S", _R: "R", _W: "D"},
            scopes=_IN_GULF,
            roles=_NUMBERED,
            party_scheme="0248",
            party_digits=None,
            party_number="the number of the tax registration",
            has_uuid=True,
            holds_source=True,
            names_authority=False,
        ),
        TaxDataSpecification(
            country="SK",
            namespace="urn:peppol:schema:sk-taxdata:1.0",
            specification="urn:peppol:taxdata:sk-1",
            type_element="TaxDataTypeCode",
            types={_S: "S", _R: "R", _W: "D"},
            scopes={Scope.DOMESTIC: "D", Scope.ABROAD_IN_PEPPOL: "IC", Scope.ABROAD: "INTL"},
            roles={ReporterRole.SENDER: "C2", ReporterRole.RECEIVER: "C3"},
            party_scheme="0245",
            party_digits=10,
            party_number="the tax number (DIČ) of 10 digits",
            has_uuid=True,
            holds_source=False,
            names_authority=True,
        ),
    )
}

# Participants that stand for buyers who get nothing: the document is reported only.
REPORTED_ONLY: Mapping[str, str] = {
    "0235:9900000097": "deemed supply",
    "0235:9900000098": "buyer who is not subject to the mandate",
    "0235:9900000099": "export to a buyer who is not in Peppol",
}

# What a Slovak report has of a document: the children of each group, by their path below it.
_PARTY = ("cac:PostalAddress", "cac:PartyTaxScheme")
_ADJUSTMENT = (
    "cbc:ChargeIndicator",
    "cbc:AllowanceChargeReasonCode",
    "cbc:AllowanceChargeReason",
    "cbc:MultiplierFactorNumeric",
    "cbc:Amount",
    "cbc:BaseAmount",
)
_TAXED = ("cbc:ID", "cbc:Percent", "cac:TaxScheme")
_SELLER, _BUYER, _AGENT = (
    "cac:AccountingSupplierParty/cac:Party",
    "cac:AccountingCustomerParty/cac:Party",
    "cac:TaxRepresentativeParty",
)
_LINE, _MEANS = "pxs:DocumentLine", "cac:PaymentMeans"


def _party(path: str, *more: str) -> dict[str, tuple[str, ...]]:
    return {
        path: (*_PARTY, *more),
        f"{path}/cac:PostalAddress": ("cac:Country",),
        f"{path}/cac:PostalAddress/cac:Country": ("cbc:IdentificationCode",),
        f"{path}/cac:PartyTaxScheme": ("cbc:CompanyID", "cac:TaxScheme"),
        f"{path}/cac:PartyTaxScheme/cac:TaxScheme": ("cbc:ID",),
    }


SLOVAK_CONTENT: Mapping[str, tuple[str, ...]] = {
    "": (
        "cbc:CustomizationID",
        "cbc:ProfileID",
        "cbc:ID",
        "cbc:UUID",
        "cbc:IssueDate",
        "cbc:IssueTime",
        "pxs:DocumentTypeCode",
        "cbc:Note",
        "cbc:TaxPointDate",
        "cbc:DocumentCurrencyCode",
        "cbc:TaxCurrencyCode",
        "cac:InvoicePeriod",
        "cac:BillingReference",
        "cac:AccountingSupplierParty",
        "cac:AccountingCustomerParty",
        "cac:TaxRepresentativeParty",
        "cac:Delivery",
        "cac:PaymentMeans",
        "cac:AllowanceCharge",
        "cac:TaxTotal",
        "pxs:MonetaryTotal",
        "pxs:DocumentLine",
    ),
    "cac:InvoicePeriod": ("cbc:StartDate", "cbc:EndDate", "cbc:DescriptionCode"),
    "cac:BillingReference": ("cac:InvoiceDocumentReference",),
    "cac:BillingReference/cac:InvoiceDocumentReference": ("cbc:ID", "cbc:IssueDate"),
    "cac:AccountingSupplierParty": ("cac:Party",),
    "cac:AccountingCustomerParty": ("cac:Party",),
    **_party(_SELLER),
    **_party(_BUYER, "cac:PartyLegalEntity"),
    f"{_BUYER}/cac:PartyLegalEntity": ("cbc:RegistrationName",),
    **_party(_AGENT),
    "cac:Delivery": ("cbc:ActualDeliveryDate",),
    _MEANS: (
        "cbc:PaymentMeansCode",
        "cbc:PaymentID",
        "cac:CardAccount",
        "cac:PayeeFinancialAccount",
        "cac:PaymentMandate",
    ),
    f"{_MEANS}/cac:CardAccount": (
        "cbc:PrimaryAccountNumberID",
        "cbc:NetworkID",
        "cbc:HolderName",
    ),
    f"{_MEANS}/cac:PayeeFinancialAccount": ("cbc:ID", "cac:FinancialInstitutionBranch"),
    f"{_MEANS}/cac:PayeeFinancialAccount/cac:FinancialInstitutionBranch": ("cbc:ID",),
    f"{_MEANS}/cac:PaymentMandate": ("cbc:ID", "cac:PayerFinancialAccount"),
    f"{_MEANS}/cac:PaymentMandate/cac:PayerFinancialAccount": ("cbc:ID",),
    "cac:AllowanceCharge": (*_ADJUSTMENT, "cac:TaxCategory"),
    "cac:AllowanceCharge/cac:TaxCategory": _TAXED,
    "cac:AllowanceCharge/cac:TaxCategory/cac:TaxScheme": ("cbc:ID",),
    "cac:TaxTotal": ("cbc:TaxAmount", "cac:TaxSubtotal"),
    "cac:TaxTotal/cac:TaxSubtotal": ("cbc:TaxableAmount", "cbc:TaxAmount", "cac:TaxCategory"),
    "cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory": (
        "cbc:ID",
        "cbc:Percent",
        "cbc:TaxExemptionReasonCode",
        "cbc:TaxExemptionReason",
        "cac:TaxScheme",
    ),
    "cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory/cac:TaxScheme": ("cbc:ID",),
    "pxs:MonetaryTotal": (
        "cbc:LineExtensionAmount",
        "cbc:TaxExclusiveAmount",
        "cbc:TaxInclusiveAmount",
        "cbc:AllowanceTotalAmount",
        "cbc:ChargeTotalAmount",
        "cbc:PrepaidAmount",
        "cbc:PayableRoundingAmount",
        "cbc:PayableAmount",
    ),
    _LINE: (
        "cbc:ID",
        "cbc:Note",
        "cbc:InvoicedQuantity",
        "cbc:LineExtensionAmount",
        "cac:InvoicePeriod",
        "cac:AllowanceCharge",
        "cac:Item",
        "cac:Price",
    ),
    f"{_LINE}/cac:InvoicePeriod": ("cbc:StartDate", "cbc:EndDate"),
    f"{_LINE}/cac:AllowanceCharge": _ADJUSTMENT,
    f"{_LINE}/cac:Item": (
        "cbc:Description",
        "cbc:Name",
        "cac:CommodityClassification",
        "cac:ClassifiedTaxCategory",
    ),
    f"{_LINE}/cac:Item/cac:CommodityClassification": ("cbc:ItemClassificationCode",),
    f"{_LINE}/cac:Item/cac:ClassifiedTaxCategory": _TAXED,
    f"{_LINE}/cac:Item/cac:ClassifiedTaxCategory/cac:TaxScheme": ("cbc:ID",),
    f"{_LINE}/cac:Price": ("cbc:PriceAmount", "cbc:BaseQuantity"),
}
