"""TDD-AE and TDD-OM: the tax data documents of the Emirates (1.0.4) and of Oman (1.0.1).

Both have the same rules but for those of their rows in `domain/tax_data`, the form of times, and
what the reported document says of the parties.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from einvoice.domain.tax_data import (
    PROFILE,
    SEAT_SCHEME,
    SPECIFICATIONS,
    TaxDataSpecification,
)
from einvoice.rules.book import Book, Chapter, Check, Context, Kind, Pattern, Values
from einvoice.rules.codelists import code_list
from einvoice.rules.node import Node
from einvoice.rules.pint.conditions import (
    Requirement,
    Test,
    given,
    not_given,
    require,
    text_at,
    unless,
)
from einvoice.rules.pint.om.document import UUID_5
from einvoice.rules.pint.om.terms import IMPORT_GOODS, IMPORT_RCM, MARGIN_SELF
from einvoice.rules.tables import present
from einvoice.rules.tax_data import LAYERS
from einvoice.rules.values import normalized
from einvoice.rules.view import View

_TIME_WITH_ZONE = re.compile(
    r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:.[0-9]{1,9})?"
    r"(?:Z|[+-](?:0[0-9]|1[0-4]):[0-5][0-9])"
)
_TIME = re.compile(
    r"(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]|24:00:00)(?:\.[0-9]+)?"
    r"(?:Z|[+-][0-9]{2}:[0-9]{2})?"
)
_SCHEME = re.compile(r"[0-9]{4}")
_EXPORT = re.compile(r"[01]{7}1")
_FLAGS = re.compile(r"[01]{20}")
_DATE_LENGTH = 10
_SCHEME_PATH = "cbc:EndpointID/@schemeID"

# The children of a party in UBL, and of other groups, by local name.
_PARTY = frozenset(
    [
        "MarkCareIndicator",
        "MarkAttentionIndicator",
        "WebsiteURI",
        "LogoReferenceID",
        "EndpointID",
        "IndustryClassificationCode",
        "PartyIdentification",
        "PartyName",
        "Language",
        "PostalAddress",
        "PhysicalLocation",
        "PartyTaxScheme",
        "PartyLegalEntity",
        "Contact",
        "Person",
        "AgentParty",
        "ServiceProviderParty",
        "PowerOfAttorney",
        "FinancialAccount",
    ]
)
_REGISTRATION = frozenset(
    [
        "RegistrationName",
        "TaxLevelCode",
        "ExemptionReasonCode",
        "ExemptionReason",
        "RegistrationAddress",
    ]
)
_ENTITY = frozenset(
    [
        "CompanyID",
        "RegistrationDate",
        "RegistrationExpirationDate",
        "CompanyLegalFormCode",
        "CompanyLegalForm",
        "SoleProprietorshipIndicator",
        "CompanyLiquidationStatusCode",
        "CorporateStockAmount",
        "FullyPaidSharesIndicator",
        "RegistrationAddress",
        "CorporateRegistrationScheme",
        "HeadOfficeParty",
        "ShareholderParty",
    ]
)
_SUPPLIER = frozenset(
    [
        "CustomerAssignedAccountID",
        "DataSendingCapability",
        "DespatchContact",
        "AccountingContact",
        "SellerContact",
    ]
)
_CUSTOMER = frozenset(
    [
        "CustomerAssignedAccountID",
        "SupplierAssignedAccountID",
        "AdditionalAccountID",
        "DeliveryContact",
        "AccountingContact",
        "BuyerContact",
    ]
)
_EXTENSION = frozenset(
    [
        "ID",
        "Name",
        "ExtensionAgencyID",
        "ExtensionAgencyName",
        "ExtensionVersionID",
        "ExtensionAgencyURI",
        "ExtensionURI",
        "ExtensionReasonCode",
        "ExtensionReason",
    ]
)
_TAX_TOTAL = frozenset(
    ("RoundingAmount", "TaxEvidenceIndicator", "TaxIncludedIndicator", "TaxSubtotal")
)


def without(names: frozenset[str]) -> Test:
    """Whether no child has one of these local names, in any namespace."""
    return lambda node, _: not any(_local(name) in names for name in node.children)


def _local(name: str) -> str:
    """The name without prefix or namespace."""
    return name.rpartition("}" if "}" in name else ":")[2]


def _is(path: str, *codes: str) -> Test:
    """Whether the one text on the path is one of the codes. The test raises MoreThanOneItem."""
    return lambda node, _: text_at(node, path) in codes


def _in_form(path: str, form: re.Pattern[str]) -> Test:
    return lambda node, _: form.fullmatch(text_at(node, path)) is not None


def _seat(path: str) -> Test:
    """Whether an identifier with a scheme has the scheme of seats."""

    def test(party: Node, _: View) -> bool:
        schemes = party.attributes_at(path, "schemeID")
        return not schemes or SEAT_SCHEME in schemes

    return test


def _scheme_has_four_digits(party: Node, _: View) -> bool:
    scheme = party.attribute_of("cbc:EndpointID", "schemeID")
    given_ = party.attributes_at("cbc:EndpointID", "schemeID")
    return not given_ or _SCHEME.fullmatch(scheme) is not None


def _receiver_is_a_seat(party: Node, _: View) -> bool:
    return normalized(party.attribute_of("cbc:EndpointID", "schemeID")) == SEAT_SCHEME


class _Contexts:
    """The contexts of a tax data document, in the official order."""

    def __init__(self) -> None:
        transaction = "/pxs:TaxData/pxs:ReportedTransaction"
        document = f"{transaction}/pxs:ReportedDocument"
        pattern = Pattern()
        self.root = pattern.context("/pxs:TaxData")
        self.reporter = pattern.context("/pxs:TaxData/pxs:ReportingParty")
        self.receiver = pattern.context("/pxs:TaxData/pxs:ReceivingParty")
        self.representative = pattern.context("/pxs:TaxData/pxs:ReportersRepresentative")
        self.representative_id = pattern.context(
            "/pxs:TaxData/pxs:ReportersRepresentative/cac:PartyIdentification"
        )
        self.transaction = pattern.context(transaction)
        self.document = pattern.context(document)
        seller, buyer = (f"{document}/cac:Accounting{x}Party" for x in ("Supplier", "Customer"))
        self.supplier = pattern.context(seller)
        self.seller = pattern.context(f"{seller}/cac:Party")
        self.seller_tax = pattern.context(f"{seller}/cac:Party/cac:PartyTaxScheme")
        self.seller_entity = pattern.context(f"{seller}/cac:Party/cac:PartyLegalEntity")
        self.customer = pattern.context(buyer)
        self.buyer = pattern.context(f"{buyer}/cac:Party")
        self.buyer_tax = pattern.context(f"{buyer}/cac:Party/cac:PartyTaxScheme")
        self.buyer_entity = pattern.context(f"{buyer}/cac:Party/cac:PartyLegalEntity")
        self.tax_total = pattern.context(f"{document}/cac:TaxTotal")
        self.monetary_total = pattern.context(f"{document}/pxs:MonetaryTotal")
        self.custom = pattern.context(f"{transaction}/pxs:CustomContent")
        self.source = pattern.context(f"{transaction}/pxs:SourceDocument")
        self.content = pattern.context(f"{transaction}/pxs:SourceDocument/ext:ExtensionContent")


# -- the reported document -------------------------------------------------------------------------


def _currency(document: Node) -> str:
    return text_at(document, "cbc:DocumentCurrencyCode")


def _tax_currency(document: Node) -> str:
    return text_at(document, "cbc:TaxCurrencyCode")


def _currencies_differ(document: Node, _: View) -> bool:
    if not document.has("cbc:TaxCurrencyCode"):
        return True
    return _currency(document) != _tax_currency(document)


def _totals_in(path: str, amount: str, document: Node, code: str) -> int:
    groups = document.all(path)
    return sum(code in each.attributes_at(amount, "currencyID") for each in groups)


def _one_total_for_each_currency(document: Node, _: View) -> bool:
    expected = 2 if document.has("cbc:TaxCurrencyCode") else 1
    return len(document.all("cac:TaxTotal")) == expected


def _total_in_currency(document: Node, _: View) -> bool:
    return _totals_in("cac:TaxTotal", "cbc:TaxAmount", document, _currency(document)) == 1


def _total_in_tax_currency(document: Node, _: View) -> bool:
    if not document.has("cbc:TaxCurrencyCode"):
        return True
    return _totals_in("cac:TaxTotal", "cbc:TaxAmount", document, _tax_currency(document)) == 1


def _net_in_currency(document: Node, _: View) -> bool:
    path = "pxs:MonetaryTotal"
    if len(document.all(path)) != 1:
        return True
    return _totals_in(path, "cbc:TaxExclusiveAmount", document, _currency(document)) == 1


def _net_is_in_currency(total: Node, _: View) -> bool:
    code = _currency(total.up(1))
    return code in total.attributes_at("cbc:TaxExclusiveAmount", "currencyID")


def _coded(path: str, codes: frozenset[str]) -> Check:
    def check(document: Node, _: View) -> Values | None:
        code = text_at(document, path)
        return None if not document.has(path) or code in codes else {"code": code}

    return check


def _source_children(transaction: Node) -> Iterator[Node]:
    for content in transaction.all("pxs:SourceDocument/ext:ExtensionContent"):
        for children in content.children.values():
            yield from children


def _is_export(document: Node, _: View) -> bool:
    """Whether the source document is an export (BTAE-02). One type at most."""
    found = [
        text
        for source in _source_children(document.up(1))
        for text in source.texts("cbc:ProfileExecutionID")
    ]
    return len(found) == 1 and _EXPORT.fullmatch(normalized(found[0])) is not None


def _is_failed(transaction: Node, view: View) -> bool:
    return text_at(view.root, "pxs:DocumentTypeCode") == "F"


def _seller_may_be_untaxed(view: View) -> bool:
    """Whether the source is an import or a self-invoice under the margin scheme (BTOM-001)."""
    names = [
        code.attributes["name"]
        for transaction in view.root.all("pxs:ReportedTransaction")
        for source in _source_children(transaction)
        for path in ("cbc:InvoiceTypeCode", "cbc:CreditNoteTypeCode")
        for code in source.all(path)
        if "name" in code.attributes and source.name in ("ubl:Invoice", "cn:CreditNote")
    ]
    flags = normalized(names[0]) if names else ""
    if _FLAGS.fullmatch(flags) is None:
        return False
    return any(flags[kind] == "1" for kind in (IMPORT_GOODS, IMPORT_RCM, MARGIN_SELF))


def _one_number_unless_imported(party: Node, view: View) -> bool:
    count = len(party.all("cac:PartyTaxScheme"))
    return count == 1 or (count == 0 and view.once(_seller_may_be_untaxed))


def _count_is_one(path: str) -> Test:
    return lambda node, _: len(node.all(path)) == 1


# -- the books -------------------------------------------------------------------------------------


def _shared(country: str, at: _Contexts, currencies: str) -> Chapter:
    """The rules of both countries, with the codes of this one."""
    chapter = Chapter(LAYERS[country])
    more_currencies = frozenset() if country == "AE" else frozenset({"AED"})
    _report_rules(chapter, at, SPECIFICATIONS[country])
    _party_rules(chapter, at)
    _document_rules(chapter, at, code_list(currencies).codes - more_currencies)
    _part_rules(chapter, at)
    return chapter


def _report_rules(chapter: Chapter, at: _Contexts, of: TaxDataSpecification) -> None:
    require(chapter, at.root, [
        ("ibr-tdd-01", "", _is("cbc:CustomizationID", of.specification),
         "The specification identifier is that of the tax data document of the country"),
        ("ibr-tdd-02", "", _is("cbc:ProfileID", PROFILE),
         "The process is that of tax reporting"),
        ("ibr-tdd-03", "", not_given("cbc:ID"), "A tax data document has no number"),
        ("ibr-tdd-04", "", lambda node, _: (
            len(text_at(node, "cbc:IssueDate")) == _DATE_LENGTH),
         "The date of the report has no time zone"),
        ("ibr-tdd-06", "", _is("pxs:DocumentTypeCode", *of.types.values()),
         f"The type of the report is {_either(of.types.values())}"),
        ("ibr-tdd-07", "", _is("pxs:DocumentScope", *of.scopes.values()),
         f"The scope is {_either(of.scopes.values())}"),
        ("ibr-tdd-08", "", _is("pxs:ReporterRole", *of.roles.values()),
         f"The role of the reporter is {_either(of.roles.values())}"),
        ("ibr-tdd-09", "", _count_is_one("pxs:ReportedTransaction"),
         "A report is of one transaction"),
    ])  # fmt: skip


def _party_rules(chapter: Chapter, at: _Contexts) -> None:
    for party, what, ids in (
        (at.reporter, "The reporting party", ("10", "11", "12")),
        (at.receiver, "The receiving party", ("14", "15", "16")),
    ):
        require(chapter, party, [
            (f"ibr-tdd-{ids[0]}", "", without(_PARTY - {"EndpointID"}),
             f"{what} has a participant id and nothing else"),
        ])  # fmt: skip
        present(chapter, party, [
            (f"ibr-tdd-{ids[1]}", "", "cbc:EndpointID"), (f"ibr-tdd-{ids[2]}", "", _SCHEME_PATH),
        ])  # fmt: skip
    require(chapter, at.reporter, [
        ("ibr-tdd-13", "", _scheme_has_four_digits,
         "The scheme of the reporting party is four digits"),
    ])  # fmt: skip
    require(chapter, at.representative, [
        ("ibr-tdd-18", "", without(_PARTY - {"PartyIdentification"}),
         "The representative has an identifier and nothing else"),
        ("ibr-tdd-19", "", _count_is_one("cac:PartyIdentification"),
         "The representative has one identifier"),
    ])  # fmt: skip
    present(chapter, at.representative_id, [("ibr-tdd-20", "", "cbc:ID/@schemeID")])
    require(chapter, at.representative_id, [
        ("ibr-tdd-21", "", _seat("cbc:ID"), "The representative is named by its seat (0242)"),
    ])  # fmt: skip


def _document_rules(chapter: Chapter, at: _Contexts, currencies: frozenset[str]) -> None:
    present(chapter, at.transaction, [("ibr-tdd-23", "", "pxs:SourceDocument")])
    present(chapter, at.document, [
        ("ibr-tdd-24", "BT-24", "cbc:CustomizationID"),
        ("ibr-tdd-25", "BT-23", "cbc:ProfileID"),
        ("ibr-tdd-26", "BT-1", "cbc:ID"),
        ("ibr-tdd-28", "BT-2", "cbc:IssueDate"),
        ("ibr-tdd-29", "BT-3", "pxs:DocumentTypeCode"),
        ("ibr-tdd-30", "BT-5", "cbc:DocumentCurrencyCode"),
        ("ibr-tdd-32", "BG-4", "cac:AccountingSupplierParty"),
    ])  # fmt: skip
    for rule, term, path in (
        ("ibr-tdd-30-1", "BT-5", "cbc:DocumentCurrencyCode"),
        ("ibr-tdd-31-1", "BT-6", "cbc:TaxCurrencyCode"),
    ):
        chapter.add(rule, term, at.document, _coded(path, currencies),
                    "A currency is a code of ISO 4217", kind=Kind.CODE_LIST,
                    parameters={"path": path})  # fmt: skip
    require(chapter, at.document, [
        ("ibr-tdd-31", "BT-5 BT-6", _currencies_differ,
         "The tax accounting currency (BT-6) differs from the invoice currency (BT-5)"),
        ("ibr-tdd-34", "BT-110 BT-111", _one_total_for_each_currency,
         "There is one tax total for each currency"),
        ("ibr-tdd-35", "BT-110", _total_in_currency, "One tax total is in the invoice currency"),
        ("ibr-tdd-36", "BT-111", _total_in_tax_currency,
         "One tax total is in the tax accounting currency"),
        ("ibr-tdd-37", "BG-22", _count_is_one("pxs:MonetaryTotal"),
         "There is one total of the document"),
        ("ibr-tdd-38", "BT-109", _net_in_currency,
         "The total without tax (BT-109) is in the invoice currency"),
    ])  # fmt: skip


def _part_rules(chapter: Chapter, at: _Contexts) -> None:
    """The rules of the parts of a reported document."""
    present(chapter, at.supplier, [("ibr-tdd-40", "BG-4", "cac:Party")])
    present(chapter, at.customer, [("ibr-tdd-47", "BG-7", "cac:Party")])
    present(chapter, at.seller_tax, [
        ("ibr-tdd-44", "BT-31", "cbc:CompanyID"), ("ibr-tdd-45", "", "cac:TaxScheme/cbc:ID"),
    ])  # fmt: skip
    present(chapter, at.monetary_total, [("ibr-tdd-52", "BT-109", "cbc:TaxExclusiveAmount")])
    present(chapter, at.custom, [("ibr-tdd-55", "", "cbc:Value")])
    _only(chapter, [
        (at.seller_tax, "ibr-tdd-43", _REGISTRATION, "A tax registration has number and scheme"),
        (at.buyer_tax, "ibr-tdd-49", _REGISTRATION, "A tax registration has number and scheme"),
        (at.customer, "ibr-tdd-46", _CUSTOMER, "The buyer is a party and nothing else"),
        (at.tax_total, "ibr-tdd-51", _TAX_TOTAL, "A tax total is an amount and nothing else"),
        (at.source, "ibr-tdd-56", _EXTENSION, "The source document is content and nothing else"),
    ])  # fmt: skip
    require(chapter, at.monetary_total, [
        ("ibr-tdd-53", "BT-109 BT-5", _net_is_in_currency,
         "The total without tax (BT-109) is in the invoice currency"),
        ("ibr-tdd-54", "BT-112", not_given("cbc:TaxInclusiveAmount"),
         "The total with tax (BT-112) is not reported"),
    ])  # fmt: skip
    require(chapter, at.content, [
        ("ibr-tdd-57", "", lambda content, _: (
            content.has("ubl:Invoice") or content.has("cn:CreditNote")),
         "The source document is a UBL invoice or credit note"),
    ])  # fmt: skip


def _either(codes: Iterable[str]) -> str:
    return " or ".join(codes)


def _only(chapter: Chapter, rows: list[tuple[Context, str, frozenset[str], str]]) -> None:
    for at, rule, names, requires in rows:
        require(chapter, at, [(rule, "", without(names), requires)])


def _emirates() -> Book:
    at = _Contexts()
    own = Chapter(LAYERS["AE"])
    require(own, at.root, [
        ("ibr-tdd-05", "", _in_form("cbc:IssueTime", _TIME_WITH_ZONE),
         "The time of the report has a time zone"),
    ], Kind.FORMAT)  # fmt: skip
    require(own, at.receiver, [
        ("ibr-tdd-17", "", _receiver_is_a_seat, "The receiving party is named by its seat (0242)"),
    ])  # fmt: skip
    require(own, at.transaction, [
        ("ibr-tdd-22", "", unless(_is_failed, given("pxs:ReportedDocument")),
         "A report has the reported document, unless the document was not taken"),
    ])  # fmt: skip
    present(own, at.document, [("ibr-tdd-27", "", "cbc:UUID")])
    require(own, at.document, [
        ("ibr-tdd-33", "BG-7", unless(given("cac:AccountingCustomerParty"), _is_export),
         "The buyer is reported, but of an export"),
    ])  # fmt: skip
    require(own, at.seller, [
        ("ibr-tdd-42", "BT-31", _count_is_one("cac:PartyTaxScheme"),
         "The seller has one tax registration"),
    ])  # fmt: skip
    _only(own, [
        (at.supplier, "ibr-tdd-39", _SUPPLIER | {"AdditionalAccountID"},
         "The seller is a party and nothing else"),
        (at.seller, "ibr-tdd-41", _PARTY - {"PartyTaxScheme"},
         "The seller has a tax registration and nothing else"),
        (at.buyer, "ibr-tdd-48", _PARTY - {"PartyTaxScheme", "PartyIdentification"},
         "The buyer has tax registration, identifier and nothing else"),
    ])  # fmt: skip
    return Book.of(LAYERS["AE"], "1.0.4", [_shared("AE", at, "iso4217_peppol_cii"), own])


def _oman() -> Book:
    at = _Contexts()
    own = Chapter(LAYERS["OM"])
    rows: list[Requirement] = [
        ("ibr-tdd-58", "", given("cbc:UUID"), "A report has a UUID"),
        ("ibr-tdd-05", "", _in_form("cbc:IssueTime", _TIME), "The time of the report is a time"),
    ]
    require(own, at.root, rows)
    require(own, at.receiver, [
        ("ibr-tdd-17", "", _seat("cbc:EndpointID"),
         "The receiving party is named by its seat (0242)"),
    ])  # fmt: skip
    present(own, at.transaction, [
        ("ibr-tdd-59", "", "cbc:IssueDate"), ("ibr-tdd-22", "", "pxs:ReportedDocument"),
    ])  # fmt: skip
    require(own, at.transaction, [
        ("ibr-tdd-60", "", _in_form("cbc:IssueTime", _TIME),
         "The transaction has the time of receipt"),
    ])  # fmt: skip
    require(own, at.document, [
        ("ibr-tdd-27", "", _in_form("cbc:UUID", UUID_5),
         "The reported document has a UUID of version 5"),
    ])  # fmt: skip
    present(own, at.document, [("ibr-tdd-33", "BG-7", "cac:AccountingCustomerParty")])
    require(own, at.seller, [
        ("ibr-tdd-42", "BT-31", _one_number_unless_imported,
         "The seller has one tax registration, or none where the buyer imports or issues"),
    ])  # fmt: skip
    present(own, at.buyer_tax, [("ibr-tdd-50", "BT-48", "cbc:CompanyID")])
    present(own, at.seller_entity, [("ibr-tdd-62", "BT-27", "cbc:RegistrationName")])
    present(own, at.buyer_entity, [("ibr-tdd-64", "BT-44", "cbc:RegistrationName")])
    named = {"PartyTaxScheme", "PartyLegalEntity"}
    _only(own, [
        (at.supplier, "ibr-tdd-39", _SUPPLIER, "The seller is a party and nothing else"),
        (at.seller, "ibr-tdd-41", _PARTY - named,
         "The seller has tax registration, name and nothing else"),
        (at.seller_entity, "ibr-tdd-61", _ENTITY, "The legal entity is a name and nothing else"),
        (at.buyer, "ibr-tdd-48", _PARTY - named - {"PartyIdentification"},
         "The buyer has tax registration, identifier, name and nothing else"),
        (at.buyer_entity, "ibr-tdd-63", _ENTITY, "The legal entity is a name and nothing else"),
    ])  # fmt: skip
    return Book.of(LAYERS["OM"], "1.0.1", [_shared("OM", at, "iso4217_cen"), own])


TDD_AE = _emirates()
TDD_OM = _oman()
