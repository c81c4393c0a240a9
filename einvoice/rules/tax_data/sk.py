"""TDD-SK: the tax data document of Slovakia, release 1.0.0, without the rules of the invoice.

Most rules say which elements and attributes a group may have; the elements are those of
`domain/tax_data.SLOVAK_CONTENT`, which the writer copies.
"""

from __future__ import annotations

import re

from einvoice.domain.tax_data import PROFILE, SEAT_SCHEME, SLOVAK_CONTENT, SPECIFICATIONS
from einvoice.rules.book import Book, Chapter, Context, Kind, Pattern
from einvoice.rules.node import Node
from einvoice.rules.pint.conditions import Test, given, require, text_at
from einvoice.rules.tables import present
from einvoice.rules.tax_data import LAYERS
from einvoice.rules.view import View

_TIME = re.compile(
    r"(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]|24:00:00)(?:\.[0-9]+)?"
    r"(?:Z|[+-][0-9]{2}:[0-9]{2})?"
)
_SCHEME = re.compile(r"[0-9]{4}")
_DATE_LENGTH = 10
_OF = SPECIFICATIONS["SK"]
_ROOT = "/pxs:TaxData"
_DOCUMENT = f"{_ROOT}/pxs:ReportedTransaction/pxs:ReportedDocument"
_ROOT_CHILDREN = (
    *(f"cbc:{name}" for name in ("CustomizationID", "ProfileID", "UUID", "IssueDate", "IssueTime")),
    *(f"pxs:{name}" for name in ("TaxDataTypeCode", "DocumentScope", "TaxAuthority",
                                 "ReporterRole", "ReportingParty", "ReceivingParty",
                                 "ReportersRepresentative", "ReportedTransaction",
                                 "ReportedDocument")),
)  # fmt: skip
_AMOUNTS = (
    "cbc:LineExtensionAmount",
    "cbc:TaxExclusiveAmount",
    "cbc:TaxInclusiveAmount",
    "cbc:AllowanceTotalAmount",
    "cbc:ChargeTotalAmount",
    "cbc:PrepaidAmount",
    "cbc:PayableAmount",
)
_S, _B = "cac:AccountingSupplierParty", "cac:AccountingCustomerParty"
_A, _M = "cac:TaxRepresentativeParty", "cac:PaymentMeans"
_T, _L = "cac:TaxTotal", "pxs:DocumentLine"
_TAX = "cac:PartyTaxScheme"
# The rule on the children of each group, by its path below the reported document.
_CHILDREN: dict[str, str] = {
    "": "25",
    "cac:InvoicePeriod": "26",
    f"{_L}/cac:InvoicePeriod": "27",
    "cac:BillingReference/cac:InvoiceDocumentReference": "28",
    f"{_S}/cac:Party": "30",
    f"{_S}/cac:Party/cac:PostalAddress": "31",
    f"{_S}/cac:Party/cac:PostalAddress/cac:Country": "32",
    f"{_S}/cac:Party/{_TAX}": "34",
    f"{_S}/cac:Party/{_TAX}/cac:TaxScheme": "35",
    _B: "37",
    f"{_B}/cac:Party": "38",
    f"{_B}/cac:Party/cac:PostalAddress": "39",
    f"{_B}/cac:Party/cac:PostalAddress/cac:Country": "40",
    f"{_B}/cac:Party/{_TAX}": "42",
    f"{_B}/cac:Party/{_TAX}/cac:TaxScheme": "43",
    f"{_B}/cac:Party/cac:PartyLegalEntity": "86",
    f"{_A}/cac:PostalAddress": "45",
    f"{_A}/cac:PostalAddress/cac:Country": "46",
    "cac:Delivery": "85",
    f"{_A}/{_TAX}": "48",
    f"{_A}/{_TAX}/cac:TaxScheme": "49",
    _M: "50",
    f"{_M}/cac:CardAccount": "52",
    f"{_M}/cac:PayeeFinancialAccount": "53",
    f"{_M}/cac:PayeeFinancialAccount/cac:FinancialInstitutionBranch": "54",
    f"{_M}/cac:PaymentMandate": "55",
    f"{_M}/cac:PaymentMandate/cac:PayerFinancialAccount": "56",
    "cac:AllowanceCharge": "57",
    f"{_L}/cac:AllowanceCharge": "60",
    "cac:AllowanceCharge/cac:TaxCategory": "63",
    "cac:AllowanceCharge/cac:TaxCategory/cac:TaxScheme": "64",
    _T: "65",
    f"{_T}/cac:TaxSubtotal": "67",
    f"{_T}/cac:TaxSubtotal/cac:TaxCategory": "70",
    f"{_T}/cac:TaxSubtotal/cac:TaxCategory/cac:TaxScheme": "71",
    "pxs:MonetaryTotal": "72",
    _L: "74",
    f"{_L}/cac:Item": "77",
    f"{_L}/cac:Item/cac:CommodityClassification": "78",
    f"{_L}/cac:Item/cac:ClassifiedTaxCategory": "80",
    f"{_L}/cac:Item/cac:ClassifiedTaxCategory/cac:TaxScheme": "81",
    f"{_L}/cac:Price": "82",
    "cac:BillingReference": "84",
}
# rule, path of the group, elements in it, the only attribute that they may have
_ATTRIBUTES: tuple[tuple[str, str, tuple[str, ...], str], ...] = (
    ("58", "cac:AllowanceCharge", ("cbc:Amount",), "currencyID"),
    ("59", "cac:AllowanceCharge", ("cbc:BaseAmount",), "currencyID"),
    ("61", f"{_L}/cac:AllowanceCharge", ("cbc:Amount",), "currencyID"),
    ("62", f"{_L}/cac:AllowanceCharge", ("cbc:BaseAmount",), "currencyID"),
    ("66", _T, ("cbc:TaxAmount",), "currencyID"),
    ("68", f"{_T}/cac:TaxSubtotal", ("cbc:TaxableAmount",), "currencyID"),
    ("69", f"{_T}/cac:TaxSubtotal", ("cbc:TaxAmount",), "currencyID"),
    ("73", "pxs:MonetaryTotal", _AMOUNTS, "currencyID"),
    ("75", _L, ("cbc:InvoicedQuantity",), "unitCode"),
    ("76", _L, ("cbc:LineExtensionAmount",), "currencyID"),
    ("79", f"{_L}/cac:Item/cac:CommodityClassification", ("cbc:ItemClassificationCode",), "listID"),
    ("83", f"{_L}/cac:Price", ("cbc:PriceAmount",), "currencyID"),
)
# The order of the contexts is free: no two of them match one element.
_pattern = Pattern()
chapter = Chapter(LAYERS["SK"])


def _at(path: str) -> Context:
    return _pattern.context(path)


def _only(*names: str) -> Test:
    """Whether all children have one of these names."""
    return lambda node, _: node.children.keys() <= set(names)


def _only_attribute(paths: tuple[str, ...], name: str) -> Test:
    """Whether the elements on the paths have no other attribute than this one."""
    return lambda node, _: (
        not any(
            _local(each) != name
            for path in paths
            for element in node.all(path)
            for each in element.attributes
        )
    )


def _local(attribute: str) -> str:
    return attribute.rpartition("}")[2]


def _is(path: str, *codes: str) -> Test:
    return lambda node, _: text_at(node, path) in codes


def _scheme_has_four_digits(party: Node, _: View) -> bool:
    scheme = party.attribute_of("cbc:EndpointID", "schemeID")
    named = party.attributes_at("cbc:EndpointID", "schemeID")
    return not named or _SCHEME.fullmatch(scheme) is not None


def _seat(path: str) -> Test:
    return lambda party, _: SEAT_SCHEME in party.attributes_at(path, "schemeID")


_root = _at(_ROOT)
require(chapter, _root, [
    ("ibr-tdd-00", "", _only(*_ROOT_CHILDREN), "A report has no other element"),
    ("ibr-tdd-01", "", _is("cbc:CustomizationID", _OF.specification),
     "The specification identifier is that of the tax data document of Slovakia"),
    ("ibr-tdd-02", "", _is("cbc:ProfileID", PROFILE), "The process is that of tax reporting"),
    ("ibr-tdd-03", "", given("cbc:UUID"), "A report has a UUID"),
    ("ibr-tdd-04", "", lambda node, _: len(text_at(node, "cbc:IssueDate")) == _DATE_LENGTH,
     "The date of the report has no time zone"),
    ("ibr-tdd-05", "", lambda node, _: _TIME.fullmatch(text_at(node, "cbc:IssueTime")) is not None,
     "The time of the report is a time"),
    ("ibr-tdd-06", "", _is("pxs:TaxDataTypeCode", *_OF.types.values()),
     "The type of the report is S, R or D"),
    ("ibr-tdd-08", "", _is("pxs:DocumentScope", *_OF.scopes.values()),
     "The scope is D, IC or INTL"),
    ("ibr-tdd-09", "", _is("pxs:ReporterRole", *_OF.roles.values()),
     "The role of the reporter is C2 or C3"),
    ("ibr-tdd-10", "", given("pxs:TaxAuthority"), "A report names the tax authority"),
    ("ibr-tdd-11", "", lambda node, _: len(node.all("pxs:ReportedTransaction")) == 1,
     "A report is of one transaction"),
])  # fmt: skip
_authority = _at("pxs:TaxData/pxs:TaxAuthority")
require(chapter, _authority, [
    ("ibr-tdd-12", "", _only("cbc:ID", "cbc:Name"), "A tax authority has an id and a name"),
])  # fmt: skip
present(chapter, _authority, [("ibr-tdd-13", "", "cbc:ID")])
_reporter, _receiver = _at(f"{_ROOT}/pxs:ReportingParty"), _at(f"{_ROOT}/pxs:ReceivingParty")
require(chapter, _reporter, [
    ("ibr-tdd-14", "", _only("cbc:EndpointID"),
     "The reporting party has a participant id and nothing else"),
    ("ibr-tdd-17", "", _scheme_has_four_digits,
     "The scheme of the reporting party is four digits"),
])  # fmt: skip
present(chapter, _reporter, [
    ("ibr-tdd-15", "", "cbc:EndpointID"), ("ibr-tdd-16", "", "cbc:EndpointID/@schemeID"),
])  # fmt: skip
require(chapter, _receiver, [
    ("ibr-tdd-18", "", _only("cbc:EndpointID"),
     "The receiving party has a participant id and nothing else"),
    ("ibr-tdd-20", "", _seat("cbc:EndpointID"),
     "The receiving party is named by its seat (0242)"),
])  # fmt: skip
present(chapter, _receiver, [("ibr-tdd-19", "", "cbc:EndpointID")])
require(chapter, _at(f"{_ROOT}/pxs:ReportersRepresentative"), [
    ("ibr-tdd-21", "", _only("cac:PartyIdentification"),
     "The representative has an identifier and nothing else"),
    ("ibr-tdd-22", "", lambda node, _: len(node.all("cac:PartyIdentification/cbc:ID")) == 1,
     "The representative has one identifier"),
    ("ibr-tdd-23", "", _seat("cac:PartyIdentification/cbc:ID"),
     "The representative is named by its seat (0242)"),
])  # fmt: skip
present(chapter, _at(f"{_ROOT}/pxs:ReportedTransaction"), [
    ("ibr-tdd-24", "", "pxs:ReportedDocument"),
])  # fmt: skip

_groups = {path: _at(f"{_DOCUMENT}/{path}".rstrip("/")) for path in (*_CHILDREN, _S)}
for _path, _rule in _CHILDREN.items():
    require(chapter, _groups[_path], [
        (f"ibr-tdd-{_rule}", "", _only(*SLOVAK_CONTENT[_path]),
         "What a report has of a document is listed, and nothing else"),
    ], Kind.ABSENCE)  # fmt: skip
for _rule, _path, _names, _attribute in _ATTRIBUTES:
    require(chapter, _groups[_path], [
        (f"ibr-tdd-{_rule}", "", _only_attribute(_names, _attribute),
         f"The elements of a report have no other attribute than {_attribute}"),
    ], Kind.ABSENCE)  # fmt: skip
require(chapter, _at(f"{_DOCUMENT}/{_M}/cbc:PaymentMeansCode"), [
    ("ibr-tdd-51", "", lambda code, _: {_local(each) for each in code.attributes} <= {"name"},
     "A payment means has no other attribute than name"),
], Kind.ABSENCE)  # fmt: skip
present(chapter, _groups[""], [("ibr-tdd-87", "", "cbc:UUID")])
present(chapter, _groups[_S], [("ibr-tdd-29", "BG-4", "cac:Party")])
present(chapter, _groups[_B], [("ibr-tdd-36", "BG-7", "cac:Party")])
for _rule, _path in (
    ("33", f"{_S}/cac:Party/{_TAX}"), ("41", f"{_B}/cac:Party/{_TAX}"), ("47", f"{_A}/{_TAX}"),
):  # fmt: skip
    require(chapter, _groups[_path], [
        (f"ibr-tdd-{_rule}", "BT-31 BT-48 BT-63",
         lambda tax, _: "VAT" in tax.texts("cac:TaxScheme/cbc:ID"),
         "A tax registration is of VAT"),
    ])  # fmt: skip
# Of a representative inside of the buyer, which the schema does not have.
require(chapter, _at(f"{_DOCUMENT}/{_B}/{_A}"), [
    ("ibr-tdd-44", "", _only("cac:PostalAddress", "cac:PartyTaxScheme"),
     "A tax representative has address and tax registration"),
], Kind.ABSENCE)  # fmt: skip

TDD_SK = Book.of(LAYERS["SK"], "1.0.0", [chapter])
