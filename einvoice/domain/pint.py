"""Peppol PINT: the terms of an invoice beside EN 16931's, and where each stands in UBL.

One row for each term of a country; the reader, the writer and the adaptation of a send go by these
tables. `Invoice.further` and `Line.further` hold the values as text, by the names of the rows: the
member of a send ("supplier.companyIdType"), or after "=" what the service computes or only keeps.

Sources: PINT AE 1.0.4 and PINT OM 1.0.1 of OpenPeppol, and their published examples.

>>> country_of("urn:peppol:pint:selfbilling-1@ae-1").code
'AE'
>>> COUNTRIES["AE"].digits(["export"]), COUNTRIES["AE"].transaction_types("00000001")
('00000001', ('export',))
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from einvoice.domain.money import CENT, THOUSANDTH

BILLING, SELF_BILLING = "urn:peppol:pint:billing-1@", "urn:peppol:pint:selfbilling-1@"
NON_TAX = "urn:peppol:pint:nontaxinvoice-1@"
BILLING_PROCESS, SELF_BILLING_PROCESS = "urn:peppol:bis:billing", "urn:peppol:bis:selfbilling"
Further = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Specification:
    """A specification of a country, as documents name it (BT-24, BT-23)."""

    customization: str
    process: str


def billing(country: str) -> Specification:
    """The specification of invoices of a country ("ae")."""
    return Specification(f"{BILLING}{country}-1", BILLING_PROCESS)


def self_billing(country: str) -> Specification:
    """The specification of invoices of a country that the buyer issues."""
    return Specification(f"{SELF_BILLING}{country}-1", SELF_BILLING_PROCESS)


def non_tax(country: str) -> Specification:
    """The specification of invoices of businesses that are not registered for the tax."""
    return Specification(f"{NON_TAX}{country}-1", BILLING_PROCESS)


@dataclass(frozen=True, slots=True)
class Country:
    """The terms of PINT of a country beside EN 16931.

    document      name → path below the document element; `{form}` is Invoice or CreditNote, and a
                  last step that begins with @ is an attribute
    line          name → path below a line
    transactions  the kinds of transactions in the order of their digits
    length        the number of these digits, some of which may not be used
    currency      the currency in which the tax is accounted for
    scheme        the name of the tax
    standard_rate the rate of VAT
    unit          the smallest amount of lines and of the breakdown; totals are in cents
    untaxed       the categories whose lines have no amount of VAT, not even 0
    line_codes    codes that go with a term of a line: name → the term, the code
    codes         the same of the document
    totals        member of a send → type of the supporting document that has it, and its text
    simplified    the kind without which an invoice is of the first kind
    issued_by_buyer        the kinds other than selfBilled in which the buyer issues
    corrects_preceding     whether the reason of a correction stands at the preceding invoice
    lines_in_own_currency  whether the amounts of lines with VAT are in the country's currency
    whole_lines            whether a line has a description, base quantity and gross price
    reasons_in_breakdown   whether reasons of exemption stand in the breakdown too
    untaxed_types          type codes, and those of a document all of whose lines are E or O instead
    foreign_identifier     the type of identifier that a buyer's VAT number of another country
                           becomes; "": it stays a VAT number
    """

    code: str
    currency: str
    document: Mapping[str, str]
    line: Mapping[str, str]
    transactions: tuple[str, ...] = ()
    length: int = 0
    scheme: str = "VAT"
    standard_rate: Decimal = Decimal(5)
    unit: Decimal = CENT
    untaxed: frozenset[str] = frozenset({"E"})
    line_codes: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    codes: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    totals: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    simplified: str = ""
    issued_by_buyer: frozenset[str] = frozenset()
    corrects_preceding: bool = False
    lines_in_own_currency: bool = False
    whole_lines: bool = False
    reasons_in_breakdown: bool = False
    untaxed_types: Mapping[str, str] = field(default_factory=dict)
    foreign_identifier: str = ""

    def digits(self, types: Iterable[str]) -> str:
        """The transaction type as digits. Raises ValueError for a kind that the country lacks."""
        places = {self.transactions.index(each) for each in types}
        return "".join("1" if place in places else "0" for place in range(self.length))

    def own_types(self, types: Collection[str], *, self_billed: bool) -> list[str]:
        """The kinds that follow from what was sent."""
        found = []
        if self.simplified and self.simplified not in types:
            found.append(self.transactions[0])
        if (
            self_billed
            and "selfBilled" in self.transactions
            and not self.issued_by_buyer & {*types}
        ):
            found.append("selfBilled")
        return [each for each in found if each not in types]

    def transaction_types(self, digits: str) -> tuple[str, ...]:
        """The kinds that digits name."""
        pairs = zip(self.transactions, digits, strict=False)
        return tuple(name for name, digit in pairs if digit == "1")


_SELLER, _BUYER = (f"cac:Accounting{who}Party/cac:Party" for who in ("Supplier", "Customer"))
_LEGAL_ID = "cac:PartyLegalEntity/cbc:CompanyID"
_DOCUMENT = {
    "uuid": "cbc:UUID",
    "issueTime": "cbc:IssueTime",
    "statementReference": "cac:StatementDocumentReference/cbc:ID",
    "contractValue": "cac:ContractDocumentReference/cbc:DocumentDescription",
    "supplier.companyIdType": f"{_SELLER}/{_LEGAL_ID}/@schemeAgencyID",
    "supplier.companyIdAuthority": f"{_SELLER}/{_LEGAL_ID}/@schemeAgencyName",
    "buyer.companyIdType": f"{_BUYER}/{_LEGAL_ID}/@schemeAgencyID",
    "buyer.companyIdAuthority": f"{_BUYER}/{_LEGAL_ID}/@schemeAgencyName",
    "deliveryTerms": "cac:Delivery/cac:DeliveryTerms/cbc:ID",
    "=deliveryTerms.scheme": "cac:Delivery/cac:DeliveryTerms/cbc:ID/@schemeID",
    "=account.scheme": "cac:PaymentMeans/cac:PayeeFinancialAccount/cbc:ID/@schemeID",
    "=rate.from": "cac:TaxExchangeRate/cbc:SourceCurrencyCode",
    "=rate.to": "cac:TaxExchangeRate/cbc:TargetCurrencyCode",
    "exchangeRate": "cac:TaxExchangeRate/cbc:CalculationRate",
    "=taxIncluded": "cac:TaxTotal/cbc:TaxIncludedIndicator",
}
_CATEGORY = "cac:Item/cac:ClassifiedTaxCategory"
_EXTENSION = "cac:ItemPriceExtension"
_LINE = {
    "orderReference": "cac:OrderLineReference/cac:OrderReference/cbc:ID",
    "taxExemption.reasonCode": f"{_CATEGORY}/cbc:TaxExemptionReasonCode",
    "taxExemption.reason": f"{_CATEGORY}/cbc:TaxExemptionReason",
    "=perUnit": f"{_CATEGORY}/cbc:PerUnitAmount",
    "=perUnit.currency": f"{_CATEGORY}/cbc:PerUnitAmount/@currencyID",
    "=lineTax": "cac:TaxTotal/cbc:TaxAmount",
    "=lineTax.currency": "cac:TaxTotal/cbc:TaxAmount/@currencyID",
    "=amount": f"{_EXTENSION}/cbc:Amount",
    "=amount.currency": f"{_EXTENSION}/cbc:Amount/@currencyID",
    "=tax": f"{_EXTENSION}/cac:TaxTotal/cbc:TaxAmount",
    "=tax.currency": f"{_EXTENSION}/cac:TaxTotal/cbc:TaxAmount/@currencyID",
}
_CLASS = "cac:Item/cac:CommodityClassification"
_SERVICE = "cac:Item/cac:AdditionalItemIdentification/cbc:ID"
_AE = Country(
    code="AE",
    currency="AED",
    document=_DOCUMENT
    | {
        "=transaction": "cbc:ProfileExecutionID",
        "billingFrequency": "cac:InvoicePeriod/cbc:DescriptionCode",
        "billingFrequencyText": "cac:InvoicePeriod/cbc:Description",
        "correctionReason": "cac:DiscrepancyResponse/cbc:ResponseCode",
        "correctionText": "cac:DiscrepancyResponse/cbc:Description",
        "beneficiaryId": "cac:BuyerCustomerParty/cac:Party/cac:PartyIdentification/cbc:ID",
        "principalId": "cac:SellerSupplierParty/cac:Party/cac:PartyIdentification/cbc:ID",
    },
    line=_LINE
    | {
        "=correctionReason": "cac:DiscrepancyResponse/cbc:ResponseCode",
        "=correctionText": "cac:DiscrepancyResponse/cbc:Description",
        "supplyNature": f"{_CLASS}/cbc:NatureCode",
        "itemType": f"{_CLASS}/cbc:CommodityCode",
        "serviceCode": _SERVICE,
        "=serviceCode.scheme": f"{_SERVICE}/@schemeID",
        "lotNumber": "cac:Item/cac:ItemInstance/cac:LotIdentification/cbc:LotNumberID",
    },
    transactions=(
        "freeTradeZone",
        "deemedSupply",
        "marginScheme",
        "summary",
        "continuousSupply",
        "disclosedAgent",
        "eCommerce",
        "export",
    ),
    length=8,
    line_codes={"=serviceCode.scheme": ("serviceCode", "SAC")},
    codes={"=deliveryTerms.scheme": ("deliveryTerms", "Incoterms")},
    totals={"totals.grandTotalInTaxCurrency": ("aedtotal-incl-vat", "AED {}")},
    lines_in_own_currency=True,
    whole_lines=True,
    untaxed_types={"380": "480", "381": "81"},
)
_ZONE = "cbc:CountrySubentityCode"
_ADDRESS = {
    "line1": "cbc:StreetName",
    "line2": "cbc:AdditionalStreetName",
    "city": "cbc:CityName",
    "postalCode": "cbc:PostalZone",
    "region": "cbc:CountrySubentity",
    "line3": "cac:AddressLine/cbc:Line",
    "countryCode": "cac:Country/cbc:IdentificationCode",
}


def _address(name: str, path: str) -> dict[str, str]:
    return {f"{name}.{member}": f"{path}/{place}" for member, place in _ADDRESS.items()}


_PRECEDING = "cac:BillingReference/cac:InvoiceDocumentReference"
_ITEM_TYPE = "cac:Item/cac:ItemSpecificationDocumentReference"
_AGENT = f"{_SELLER}/cac:AgentParty"
_BRANCH = "cac:PaymentMeans/cac:PayeeFinancialAccount/cac:FinancialInstitutionBranch"
_OM = Country(
    code="OM",
    currency="OMR",
    document=_DOCUMENT
    | {
        "=transaction": "cbc:{form}TypeCode/@name",
        "precedingInvoice.uuid": f"{_PRECEDING}/cbc:UUID",
        "correctionReason": f"{_PRECEDING}/cbc:DocumentStatusCode",
        "supplier.accountId": "cac:AccountingSupplierParty/cbc:AdditionalAccountID",
        "supplier.identifierType": f"{_SELLER}/cac:PartyIdentification/cbc:ID/@schemeName",
        "supplier.specialZone": f"{_SELLER}/cac:PostalAddress/{_ZONE}",
        "agent.name": f"{_AGENT}/cac:PartyName/cbc:Name",
        "agent.taxId": f"{_AGENT}/cac:PartyTaxScheme/cbc:CompanyID",
        "=agent.taxScheme": f"{_AGENT}/cac:PartyTaxScheme/cac:TaxScheme/cbc:ID",
        "buyer.identifierType": f"{_BUYER}/cac:PartyIdentification/cbc:ID/@schemeName",
        "buyer.specialZone": f"{_BUYER}/cac:PostalAddress/{_ZONE}",
        "=representative.zone": f"cac:TaxRepresentativeParty/cac:PostalAddress/{_ZONE}",
        "deliveryZone": f"cac:Delivery/cac:DeliveryLocation/cac:Address/{_ZONE}",
        "customsDeclaration": "cac:Delivery/cac:Shipment/cbc:ID",
        "arrivalDate": "cac:Delivery/cac:Shipment/cac:Delivery/cbc:ActualDeliveryDate",
        "=means": "cac:PaymentMeans/cbc:ID",
        "=terms.means": "cac:PaymentTerms/cbc:PaymentMeansID",
        "=terms.amount": "cac:PaymentTerms/cbc:Amount",
        "=terms.currency": "cac:PaymentTerms/cbc:Amount/@currencyID",
        "=terms.day": "cac:PaymentTerms/cbc:InstallmentDueDate",
        "=prepayment.id": "cac:PrepaidPayment/cbc:ID",
        "=prepayment.amount": "cac:PrepaidPayment/cbc:PaidAmount",
        "=prepayment.currency": "cac:PrepaidPayment/cbc:PaidAmount/@currencyID",
        "=prepayment.day": "cac:PrepaidPayment/cbc:ReceivedDate",
        "=prepayment.instruction": "cac:PrepaidPayment/cbc:InstructionID",
    }
    | _address("agent.address", f"{_AGENT}/cac:PostalAddress")
    | _address("=branch", f"{_BRANCH}/cac:Address")
    | {
        "=agent.zone": f"{_AGENT}/cac:PostalAddress/{_ZONE}",
        "=branch.zone": f"{_BRANCH}/cac:Address/{_ZONE}",
    },
    line=_LINE
    | {
        "=despatch.line": "cac:DespatchLineReference/cbc:LineID",
        "=despatch": "cac:DespatchLineReference/cac:DocumentReference/cbc:ID",
        "economicActivity": _SERVICE,
        "=economicActivity.scheme": f"{_SERVICE}/@schemeName",
        "serviceCode": f"{_ITEM_TYPE}/cbc:ID",
        "=serviceCode.scheme": f"{_ITEM_TYPE}/cbc:ID/@schemeName",
        "itemType": f"{_ITEM_TYPE}/cbc:DocumentTypeCode",
        "supplyNature": f"{_CLASS}/cbc:NatureCode",
        "=attribute.code": "cac:Item/cac:AdditionalItemProperty/cbc:NameCode",
    },
    transactions=(
        "fullInvoice",
        "simplifiedInvoice",
        "selfBilled",
        "thirdParty",
        "summary",
        "continuousSupply",
        "export",
        "deemedSupply",
        "importReverseCharge",
        "marginScheme",
        "marginSelfInvoice",
        "eCommerce",
        "importOfGoods",
        "specialZone",
        "prepayment",
    ),
    length=20,
    unit=THOUSANDTH,
    untaxed=frozenset(),
    line_codes={
        "=serviceCode.scheme": ("serviceCode", "MP"),
        "=economicActivity.scheme": ("economicActivity", "CC"),
    },
    codes={
        "=deliveryTerms.scheme": ("deliveryTerms", "incoterms"),
        "=agent.taxScheme": ("agent.taxId", "VAT"),
    },
    totals={"totals.marginTotal": ("PM_TOTAL", "{}")},
    simplified="simplifiedInvoice",
    issued_by_buyer=frozenset({"importReverseCharge", "importOfGoods", "marginSelfInvoice"}),
    corrects_preceding=True,
    reasons_in_breakdown=True,
    foreign_identifier="OTHID",
)
_REPRESENTATIVE = "cac:TaxRepresentativeParty/cac:PartyTaxScheme"
_OTHER_TAX = {
    "=representative.taxId": f"{_REPRESENTATIVE}/cbc:CompanyID",
    "=representative.taxScheme": f"{_REPRESENTATIVE}/cac:TaxScheme/cbc:ID",
}
_VERSION = {"=version": "cbc:UBLVersionID"}
_AUNZ = Country(
    code="AUNZ",
    currency="AUD",
    scheme="GST",
    document=_OTHER_TAX | {"=means.name": "cac:PaymentMeans/cbc:PaymentMeansCode/@name"},
    line={"=information": "cac:Item/cbc:AdditionalInformation"},
)
_JP = Country(
    code="JP",
    currency="JPY",
    document=_VERSION,
    line={
        "orderReference": _LINE["orderReference"],
        "=despatch.line": "cac:DespatchLineReference/cbc:LineID",
        "=despatch": "cac:DespatchLineReference/cac:DocumentReference/cbc:ID",
    },
)
_SG = Country(
    code="SG",
    currency="SGD",
    scheme="GST",
    document=_OTHER_TAX | _VERSION | {"uuid": _DOCUMENT["uuid"]},
    line={"orderReference": _LINE["orderReference"]},
)
_SHIPMENT = "cac:Delivery/cac:Shipment"
_FREIGHT = f"{_SHIPMENT}/cac:FreightAllowanceCharge"
_DELIVERED_TO = "cac:Delivery/cac:DeliveryParty"
_MY = Country(
    code="MY",
    currency="MYR",
    document={
        name: _DOCUMENT[name]
        for name in ("issueTime", "=account.scheme", "=rate.from", "=rate.to", "exchangeRate")
    }
    | {
        "=industry": f"{_SELLER}/cbc:IndustryClassificationCode",
        "=industry.name": f"{_SELLER}/cbc:IndustryClassificationCode/@name",
        "billingFrequencyText": "cac:InvoicePeriod/cbc:Description",
        "precedingInvoice.uuid": f"{_PRECEDING}/cbc:UUID",
        "=deliveredTo.id": f"{_DELIVERED_TO}/cac:PartyIdentification/cbc:ID",
        "=deliveredTo.scheme": f"{_DELIVERED_TO}/cac:PartyIdentification/cbc:ID/@schemeID",
        "=deliveredTo.companyId": f"{_DELIVERED_TO}/{_LEGAL_ID}",
        "customsDeclaration": f"{_SHIPMENT}/cbc:ID",
        "=consignment": f"{_SHIPMENT}/cac:Consignment/cbc:ID",
        "=consignment.terms": f"{_SHIPMENT}/cac:Consignment/cac:DeliveryTerms/cbc:ID",
        "=freight.charge": f"{_FREIGHT}/cbc:ChargeIndicator",
        "=freight.reason": f"{_FREIGHT}/cbc:AllowanceChargeReason",
        "=freight.amount": f"{_FREIGHT}/cbc:Amount",
        "=freight.currency": f"{_FREIGHT}/cbc:Amount/@currencyID",
        "=means": "cac:PaymentMeans/cbc:ID",
        "=means.reference": "cac:PaymentMeans/cbc:PaymentID/@schemeID",
        "=prepayment.id": "cac:PrepaidPayment/cbc:ID",
        "=prepayment.amount": "cac:PrepaidPayment/cbc:PaidAmount",
        "=prepayment.currency": "cac:PrepaidPayment/cbc:PaidAmount/@currencyID",
        "=prepayment.day": "cac:PrepaidPayment/cbc:ReceivedDate",
        "=prepayment.time": "cac:PrepaidPayment/cbc:PaidTime",
    },
    line={
        "=amount": _LINE["=amount"],
        "=amount.currency": _LINE["=amount.currency"],
        "=lineTax": _LINE["=lineTax"],
        "=lineTax.currency": _LINE["=lineTax.currency"],
        "lotNumber": "cac:Item/cac:ItemInstance/cac:LotIdentification/cbc:LotNumberID",
        "=lot.until": "cac:Item/cac:ItemInstance/cac:LotIdentification/cbc:ExpiryDate",
    },
)
# Categories that name a rate of which nothing is charged: reverse charge, and the margin scheme.
UNCHARGED = frozenset({"AE", "N"})
COUNTRIES: Mapping[str, Country] = {each.code: each for each in (_AE, _OM)}
# Those whose documents are read and written again, beside the ones that a send can become.
_READ = {each.code: each for each in (_AE, _OM, _AUNZ, _JP, _SG, _MY)}
_BY_AUTHORITIES = ("nominal",)  # of ZATCA, which has thirdParty, summary, export, selfBilled too
TRANSACTION_TYPES: tuple[str, ...] = tuple(
    dict.fromkeys(
        (*(name for each in COUNTRIES.values() for name in each.transactions), *_BY_AUTHORITIES)
    )
)
# Members of a send that become several elements, or a supporting document.
_COMPUTED_WITH = ("transactionTypes", "totals.grandTotalInTaxCurrency", "totals.marginTotal")


def _members(tables: Iterable[Mapping[str, str]]) -> tuple[str, ...]:
    named = dict.fromkeys(name for table in tables for name in table)
    return tuple(name for name in named if not name.startswith("="))


DOCUMENT_MEMBERS: tuple[str, ...] = (
    *_members(each.document for each in COUNTRIES.values()),
    *_COMPUTED_WITH,
)
LINE_MEMBERS: tuple[str, ...] = _members(each.line for each in COUNTRIES.values())


def country_of(customization: str) -> Country | None:
    """The country whose PINT a specification (BT-24) is, if its terms are known here."""
    for begins in (BILLING, SELF_BILLING, NON_TAX):
        if customization.startswith(begins):
            code = customization.removeprefix(begins).partition("-")[0]
            return _READ.get(code.upper())
    return None
