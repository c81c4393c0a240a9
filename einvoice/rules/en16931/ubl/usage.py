"""Use of UBL for the core invoice: cardinalities (UBL-SR) and data types (UBL-DT)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from einvoice.rules.book import BROKEN, Chapter, Flag, Kind, Values
from einvoice.rules.en16931.ubl import contexts
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.tables import absent, at_most_one, present
from einvoice.rules.values import decimals
from einvoice.rules.view import View

usage = Chapter(
    Layer.CEN_UBL, gathers=("cac:PartyIdentification", "cbc:PaymentID", "cbc:PaymentMeansCode")
)

_SELLER = "cac:AccountingSupplierParty/cac:Party"
_BUYER = "cac:AccountingCustomerParty/cac:Party"

at_most_one(
    usage,
    contexts.DOCUMENT_USE,
    [
        ("UBL-SR-01", "BT-12", "cac:ContractDocumentReference/cbc:ID"),
        ("UBL-SR-02", "BT-15", "cac:ReceiptDocumentReference/cbc:ID"),
        ("UBL-SR-03", "BT-16", "cac:DespatchDocumentReference/cbc:ID"),
        ("UBL-SR-05", "BT-20", "cac:PaymentTerms/cbc:Note"),
        ("UBL-SR-08", "BG-14", "cac:InvoicePeriod"),
        ("UBL-SR-09", "BT-27", f"{_SELLER}/cac:PartyLegalEntity/cbc:RegistrationName"),
        ("UBL-SR-10", "BT-28", f"{_SELLER}/cac:PartyName/cbc:Name"),
        ("UBL-SR-11", "BT-30", f"{_SELLER}/cac:PartyLegalEntity/cbc:CompanyID"),
        ("UBL-SR-14", "BT-33", f"{_SELLER}/cac:PartyLegalEntity/cbc:CompanyLegalForm"),
        ("UBL-SR-15", "BT-44", f"{_BUYER}/cac:PartyLegalEntity/cbc:RegistrationName"),
        ("UBL-SR-16", "BT-46", f"{_BUYER}/cac:PartyIdentification/cbc:ID"),
        ("UBL-SR-17", "BT-47", f"{_BUYER}/cac:PartyLegalEntity/cbc:CompanyID"),
        ("UBL-SR-24", "BG-13", "cac:Delivery"),
        ("UBL-SR-39", "BT-11", "cac:ProjectReference/cbc:ID"),
        ("UBL-SR-40", "BT-45", f"{_BUYER}/cac:PartyName/cbc:Name"),
        ("UBL-SR-45", "BT-9", "cac:PaymentMeans/cbc:PaymentDueDate"),
        ("UBL-SR-49", "BT-8", "cac:InvoicePeriod/cbc:DescriptionCode"),
        ("UBL-SR-54", "BG-18", "cac:PaymentMeans/cac:CardAccount"),
        ("UBL-SR-55", "BG-19", "cac:PaymentMeans/cac:PaymentMandate"),
        ("UBL-SR-56", "BT-17", "cac:OriginatorDocumentReference/cbc:ID"),
    ],
)
at_most_one(
    usage,
    contexts.LINE_USE,
    [
        ("UBL-SR-34", "BT-127", "cbc:Note"),
        ("UBL-SR-35", "BT-132", "cac:OrderLineReference/cbc:LineID"),
        ("UBL-SR-36", "BG-26", "cac:InvoicePeriod"),
        ("UBL-SR-37", "BT-147", "cac:Price/cac:AllowanceCharge/cbc:Amount"),
        ("UBL-SR-50", "BT-154", "cac:Item/cbc:Description"),
        ("UBL-SR-52", "BT-128", "cac:DocumentReference"),
    ],
)
at_most_one(usage, contexts.ANY_ADDRESS, [("UBL-SR-51", "BT-162 BT-163", "cac:AddressLine")])
at_most_one(
    usage, contexts.DELIVERY, [("UBL-SR-25", "BT-70", "cac:DeliveryParty/cac:PartyName/cbc:Name")]
)
at_most_one(
    usage, contexts.ALLOWANCE_USE, [("UBL-SR-30", "BT-97 BT-139", "cbc:AllowanceChargeReason")]
)
at_most_one(
    usage, contexts.CHARGE_USE, [("UBL-SR-31", "BT-104 BT-144", "cbc:AllowanceChargeReason")]
)
at_most_one(
    usage, contexts.SUPPORTING_DOCUMENT_USE, [("UBL-SR-33", "BT-123", "cbc:DocumentDescription")]
)
at_most_one(
    usage,
    contexts.PAYMENT_MEANS_USE,
    [
        ("UBL-SR-26", "BT-83", "cbc:PaymentID"),
        ("UBL-SR-27", "BT-81", "cbc:PaymentMeansCode"),
        ("UBL-SR-28", "BT-89", "cac:PaymentMandate/cbc:ID"),
    ],
)
at_most_one(
    usage, contexts.PRECEDING_INVOICE_USE, [("UBL-SR-06", "BT-25", "cac:InvoiceDocumentReference")]
)
at_most_one(
    usage,
    contexts.REPRESENTATIVE_USE,
    [
        ("UBL-SR-22", "BT-62", "cac:PartyName/cbc:Name"),
        ("UBL-SR-23", "BT-63", "cac:PartyTaxScheme/cbc:CompanyID"),
    ],
)
at_most_one(
    usage,
    contexts.TAX_SUBTOTAL_USE,
    [("UBL-SR-32", "BT-120", "cac:TaxCategory/cbc:TaxExemptionReason")],
)
present(
    usage,
    contexts.PRECEDING_INVOICE_USE,
    [("UBL-SR-07", "BT-25", "cac:InvoiceDocumentReference/cbc:ID")],
)
present(
    usage,
    contexts.BINARY_OBJECT,
    [("UBL-DT-06", "BT-125", "@mimeCode"), ("UBL-DT-07", "BT-125", "@filename")],
)

_UNUSED_ATTRIBUTES = [  # UBL-DT-08 to UBL-DT-28; UBL-DT-18 is a rule of its own
    "schemeName", "schemeAgencyName", "schemeDataURI", "schemeURI", "format",
    "unitCodeListIdentifier", "unitCodeListAgencyIdentifier", "unitCodeListAgencyName",
    "listAgencyName", "listName", "", "languageID", "listURI", "listSchemeURI", "languageLocaleID",
    "uri", "currencyCodeListVersionID", "characterSetCode", "encodingCode", "schemeAgencyID",
    "listAgencyID",
]  # fmt: skip
absent(
    usage,
    contexts.DOCUMENT_USE,
    [
        (f"UBL-DT-{number:02}", "", f"//@{name}")
        for number, name in enumerate(_UNUSED_ATTRIBUTES, 8)
        if name
    ],
)


@usage.rule(
    "UBL-DT-18", "", at=contexts.DOCUMENT_USE, flag=Flag.WARNING, kind=Kind.ABSENCE,
    present=("//@name",), path="//@name",
)  # fmt: skip
def only_payment_means_code_has_a_name(invoice: Node, _: View) -> Values | None:
    """Only the payment means code has a name."""
    for node in _descendants(invoice):
        if "name" in node.attributes and node.name != "cbc:PaymentMeansCode":
            return BROKEN
    return None


def _descendants(node: Node) -> Iterator[Node]:
    """The node itself and all nodes below it."""
    yield node
    for siblings in node.children.values():
        for child in siblings:
            yield from _descendants(child)


@usage.rule("UBL-DT-01", "", at=contexts.AMOUNT, kind=Kind.FORMAT, decimals=2)
def amount_has_at_most_two_decimals(amount: Node, _: View) -> Values | None:
    """An amount has at most two decimals."""
    return None if decimals(amount.text) <= 2 else {"text": amount.text}


def _at_most(found: Sequence[Node], most: int = 1) -> Values | None:
    return None if len(found) <= most else {"count": len(found), "most": most}


@usage.rule(
    "UBL-SR-42", "BT-31 BT-32", at=contexts.SELLER_PARTY, kind=Kind.CARDINALITY,
    repeated=("cac:PartyTaxScheme",), path="cac:PartyTaxScheme",
)  # fmt: skip
def seller_has_at_most_two_tax_registrations(seller: Node, _: View) -> Values | None:
    """A seller has at most two tax registrations: VAT (BT-31) and another (BT-32)."""
    return _at_most(seller.all("cac:PartyTaxScheme"), 2)


@usage.rule("UBL-SR-43", "BT-18 BT-122", at=contexts.SUPPORTING_DOCUMENT_USE)
def type_code_is_of_the_invoiced_object(reference: Node, view: View) -> Values | None:
    """A document reference has type code 130 (BT-18), or neither type code nor scheme (BT-122).

    In credit notes, 50 (project) is allowed too.
    """
    codes = reference.texts("cbc:DocumentTypeCode")
    if "130" in codes or ("50" in codes and view.root.name.endswith(":CreditNote")):
        return None
    schemed = any("schemeID" in found.attributes for found in reference.all("cbc:ID"))
    return {"codes": codes} if schemed or codes else None


@usage.rule(
    "UBL-SR-53", "BT-31 BT-32 BT-48 BT-63", at=contexts.TAX_REGISTRATION, kind=Kind.PRESENCE
)
def registration_is_complete(registration: Node, _: View) -> Values | None:
    """A tax registration (BT-31, BT-32, BT-48, BT-63) has a number and a tax scheme."""
    complete = registration.has("cac:TaxScheme/cbc:ID") and registration.has("cbc:CompanyID")
    return None if complete else BROKEN


@usage.rule(
    "UBL-SR-04", "BT-18", at=contexts.DOCUMENT_USE, kind=Kind.CARDINALITY,
    repeated=("cac:AdditionalDocumentReference/cbc:ID",),
)  # fmt: skip
def has_at_most_one_invoiced_object(invoice: Node, _: View) -> Values | None:
    """There is at most one invoiced object."""
    objects = [
        identifier
        for reference in invoice.all("cac:AdditionalDocumentReference")
        if "130" in reference.texts("cbc:DocumentTypeCode")
        for identifier in reference.all("cbc:ID")
    ]
    return _at_most(objects)


def _tax_numbers(invoice: Node, party: str, vat: bool) -> list[Node]:
    found: list[Node] = []
    for registration in invoice.all(f"{party}/cac:PartyTaxScheme"):
        taxes = [tax.text_of("cbc:ID").upper() for tax in registration.all("cac:TaxScheme")]
        if any((tax == "VAT") is vat for tax in taxes):
            found += registration.all("cbc:CompanyID")
    return found


@usage.rule("UBL-SR-12", "BT-31", at=contexts.DOCUMENT_USE, kind=Kind.CARDINALITY)
def seller_has_at_most_one_vat_number(invoice: Node, _: View) -> Values | None:
    """The seller has at most one VAT number."""
    return _at_most(_tax_numbers(invoice, _SELLER, True))


@usage.rule("UBL-SR-13", "BT-32", at=contexts.DOCUMENT_USE, kind=Kind.CARDINALITY)
def seller_has_at_most_one_other_registration(invoice: Node, _: View) -> Values | None:
    """The seller has at most one tax registration beside the VAT number."""
    return _at_most(_tax_numbers(invoice, _SELLER, False))


@usage.rule("UBL-SR-18", "BT-48", at=contexts.DOCUMENT_USE, kind=Kind.CARDINALITY)
def buyer_has_at_most_one_vat_number(invoice: Node, _: View) -> Values | None:
    """The buyer has at most one VAT number."""
    return _at_most(_tax_numbers(invoice, _BUYER, True))


@usage.rule("UBL-SR-29", "BT-90", at=contexts.DOCUMENT_USE, kind=Kind.CARDINALITY,
            present=("//cac:PartyIdentification/cbc:ID/@schemeID",))  # fmt: skip
def has_at_most_one_creditor_identifier(_: Node, view: View) -> Values | None:
    """There is at most one bank assigned creditor identifier (scheme SEPA)."""
    parties = view.everywhere("cac:PartyIdentification")
    found = [identifier for party in parties for identifier in party.all("cbc:ID")]
    return _at_most([one for one in found if one.attributes.get("schemeID", "").upper() == "SEPA"])


def _same_value(name: str, view: View) -> Values | None:
    values = {node.text for node in view.everywhere(name)}
    return None if len(values) <= 1 else {"values": sorted(values)}


@usage.rule("UBL-SR-44", "BT-83", at=contexts.DOCUMENT_USE, kind=Kind.CARDINALITY)
def payment_means_have_the_same_remittance_information(_: Node, view: View) -> Values | None:
    """All payment means have the same remittance information (BT-83)."""
    return _same_value("cbc:PaymentID", view)


@usage.rule("UBL-SR-47", "BT-81", at=contexts.DOCUMENT_USE, kind=Kind.CARDINALITY)
def payment_means_have_the_same_type(_: Node, view: View) -> Values | None:
    """All payment means have the same type (BT-81)."""
    return _same_value("cbc:PaymentMeansCode", view)


@usage.rule("UBL-SR-46", "BT-82", at=contexts.DOCUMENT_USE, kind=Kind.CARDINALITY,
            repeated=("cac:PaymentMeans/cbc:PaymentMeansCode",))  # fmt: skip
def has_at_most_one_payment_means_text(invoice: Node, _: View) -> Values | None:
    """There is at most one text for the payment means."""
    codes = invoice.all("cac:PaymentMeans/cbc:PaymentMeansCode")
    return _at_most([code for code in codes if "name" in code.attributes])


@usage.rule("UBL-SR-48", "BG-30", at=contexts.LINE_USE, kind=Kind.CARDINALITY)
def line_has_one_vat_category(line: Node, _: View) -> Values | None:
    """Each line has exactly one VAT category (BG-30)."""
    count = len(line.all("cac:Item/cac:ClassifiedTaxCategory"))
    return None if count == 1 else {"count": count, "most": 1}


def _payee_is_not_the_seller(payee: Node) -> bool:
    sellers = f"{_SELLER}/cac:PartyLegalEntity/cbc:RegistrationName"
    names = payee.parent.texts(sellers) if payee.parent is not None else []
    return any(one != other for one in payee.texts("cac:PartyName/cbc:Name") for other in names)


@usage.rule("UBL-SR-19", "BT-59", at=contexts.PAYEE_USE, kind=Kind.CARDINALITY)
def payee_has_one_name(payee: Node, _: View) -> Values | None:
    """A payee has one name (BT-59), which is not the seller's."""
    return _at_most_one_of_payee(payee, payee.all("cac:PartyName/cbc:Name"))


@usage.rule("UBL-SR-20", "BT-60", at=contexts.PAYEE_USE, kind=Kind.CARDINALITY)
def payee_has_at_most_one_identifier(payee: Node, _: View) -> Values | None:
    """A payee has at most one identifier (BT-60), and is not the seller."""
    found = payee.all("cac:PartyIdentification/cbc:ID")
    return _at_most_one_of_payee(
        payee, [one for one in found if one.attributes.get("schemeID", "").upper() != "SEPA"]
    )


@usage.rule("UBL-SR-21", "BT-61", at=contexts.PAYEE_USE, kind=Kind.CARDINALITY)
def payee_has_at_most_one_legal_registration(payee: Node, _: View) -> Values | None:
    """A payee has at most one legal registration (BT-61), and is not the seller."""
    return _at_most_one_of_payee(payee, payee.all("cac:PartyLegalEntity/cbc:CompanyID"))


def _at_most_one_of_payee(payee: Node, found: Sequence[Node]) -> Values | None:
    if len(found) <= 1 and _payee_is_not_the_seller(payee):
        return None
    return {"count": len(found), "most": 1}
