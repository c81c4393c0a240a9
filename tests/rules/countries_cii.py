"""Changes that make the CII sample an invoice between parties of a country, and its findings.

changes.py says how changes are composed.
"""

from __future__ import annotations

from einvoice.rules import PACKS, Layer, Syntax
from einvoice.xml import parse
from tests.rules.changes import add, both, drop_all, put

SAMPLE = "good_cii.xml"
PROCESS = "BusinessProcessSpecifiedDocumentContextParameter/ID"
GUIDELINE = "GuidelineSpecifiedDocumentContextParameter/ID"
AGREEMENT = "ApplicableHeaderTradeAgreement"
SETTLEMENT = "ApplicableHeaderTradeSettlement"
TOTALS = "SpecifiedTradeSettlementHeaderMonetarySummation"
ALLOWANCE = f"{SETTLEMENT}/SpecifiedTradeAllowanceCharge"
LINE = "SpecifiedLineTradeSettlement"
LINE_DOCUMENT = f"{LINE}/AdditionalReferencedDocument"
NET_BASE = "NetPriceProductTradePrice/BasisQuantity"
MEANS = "SpecifiedTradeSettlementPaymentMeans"
IBAN = "PayeePartyCreditorFinancialAccount/IBANID"
SELLER, BUYER = "SellerTradeParty", "BuyerTradeParty"
ADDRESS = f"{SELLER}/PostalTradeAddress"
LEGAL_ID = f"{SELLER}/SpecifiedLegalOrganization/ID"
TAX_ID = f"{SELLER}/SpecifiedTaxRegistration/ID"
ENDPOINT = f"{SELLER}/URIUniversalCommunication/URIID"


def fired(content):
    """The ids of the findings of the Peppol layer, which must not have an evaluation error."""
    verdict = PACKS[0].engine(Syntax.CII).check(parse(content))
    assert Layer.PEPPOL_CII not in verdict.failed_layers
    return {each.id for each in verdict.findings if each.layer is Layer.PEPPOL_CII}


def endpoint(scheme, identifier):
    return both(put(f"{ENDPOINT}/@schemeID", scheme), put(ENDPOINT, identifier))


def document(code, times=1):
    """The change that adds document references of a type."""
    name = "ram:AdditionalReferencedDocument"
    return add(AGREEMENT, f"<{name}><ram:TypeCode>{code}</ram:TypeCode></{name}>" * times)


def seller_in(country):
    return put(f"{ADDRESS}/CountryID", country)


def within(country):
    return both(seller_in(country), put(f"{BUYER}/PostalTradeAddress/CountryID", country))


def vat_number(number, scheme="VAT"):
    """The change of the seller's number; the official rules look for scheme VAT, not VA."""
    return both(put(f"{TAX_ID}/@schemeID", scheme), put(TAX_ID, number))


def means(code, reference=None, account=None):
    changes = [put(f"{MEANS}/TypeCode", code)]
    if reference is not None:
        changes.append(put("PaymentReference", reference))
    if account is not None:
        changes.append(put(IBAN, account))
    return both(within("DK"), *changes)


def bank(branch):
    return add(
        MEANS,
        "<ram:PayeeSpecifiedCreditorFinancialInstitution>"
        f"<ram:BICID>{branch}</ram:BICID></ram:PayeeSpecifiedCreditorFinancialInstitution>",
    )


def mandate(path):
    terms = "ram:SpecifiedTradePaymentTerms"
    named = "<ram:DirectDebitMandateID>M-1</ram:DirectDebitMandateID>"
    return add(path, f"<{terms}>{named}</{terms}>")


SWEDISH = both(seller_in("SE"), vat_number("SE556000475501"), put(LEGAL_ID, "5560004755"))
F_TAX = put(f"{TAX_ID}/@schemeID", "FC")
DEBIT = put(f"{MEANS}/TypeCode", "49")
ZZZ = both(within("DK"), put(f"{ALLOWANCE}/ReasonCode", "ZZZ"), drop_all(f"{ALLOWANCE}/Reason"))


def reason(text):
    return both(ZZZ, add(ALLOWANCE, f"<ram:Reason>{text}</ram:Reason>"))


CREDITOR = add(SETTLEMENT, "<ram:CreditorReferenceID>C-1</ram:CreditorReferenceID>")
NO_MEANS = drop_all(MEANS)
DUE = f"{TOTALS}/DuePayableAmount"


NET = f"{LINE}/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount"
STARTS = f"{LINE}/BillingSpecifiedPeriod/StartDateTime/DateTimeString"
ENDS = f"{LINE}/BillingSpecifiedPeriod/EndDateTime/DateTimeString"
ORDER = f"{AGREEMENT}/BuyerOrderReferencedDocument/IssuerAssignedID"
REPRESENTATIVE = "SellerTaxRepresentativeTradeParty/PostalTradeAddress/CountryID"
CREDIT_NOTE = put("ExchangedDocument/TypeCode", "381")
BILLING = "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0"
