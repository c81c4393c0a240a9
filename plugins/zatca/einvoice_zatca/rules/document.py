"""Rules about a document as a whole: its kind, its references, its currency, its dates."""

from __future__ import annotations

import re
from datetime import date, timedelta, timezone
from typing import Final

from einvoice import clock
from einvoice.rules.book import Chapter, Kind
from einvoice.rules.node import Node
from einvoice.rules.tables import unfired
from einvoice.rules.values import double_of, normalized, not_below
from einvoice.rules.view import View
from einvoice_zatca.names import ENVELOPED, SAC, SBC, SIG, SIGNATURE_ID, SIGNATURE_INFORMATION_ID
from einvoice_zatca.rules import contexts as at
from einvoice_zatca.rules.codes import CURRENCIES, KSA_TYPES, MEDIA_TYPES, listed
from einvoice_zatca.rules.conditions import (
    BUYER,
    FATAL,
    KSA,
    SELLER,
    VAT_ID,
    WARNING,
    Row,
    Test,
    declare,
    lacks_text,
    of_simplified,
    one,
    out_of_scope,
    outside,
    references,
    rounded,
    type_name,
    unlike,
)

document = Chapter(
    KSA,
    gathers=(
        "cac:InvoiceLine",
        "cac:PaymentMeans",
        "cac:BillingReference",
        "cac:Signature",
        "cac:Delivery",
        "cbc:DocumentCurrencyCode",
        "cbc:TaxCurrencyCode",
        "cbc:ActualDeliveryDate",
        "cbc:LatestDeliveryDate",
    ),
)
_TIME: Final = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])Z?")
_UUID: Final = re.compile(r"[\w.-]+")
_DIGITS: Final = re.compile(r"[0-9]*")
_FLAGS: Final = re.compile(r"(01|02)[01]{5,7}")
_BINARY: Final = "cac:Attachment/cbc:EmbeddedDocumentBinaryObject"
_RIYADH: Final = timezone(timedelta(hours=3))


def _lacks_reference(name: str) -> Test:
    def test(invoice: Node, _: View) -> bool:
        objects = [each for found in references(invoice, name) for each in found.all(_BINARY)]
        text = any(normalized(each.text) for each in objects)
        plain = any(_media_type(each) == "text/plain" for each in objects)
        return not (text and plain)

    return test


def _media_type(binary: Node) -> str:
    return normalized(binary.attributes.get("mimeCode", ""))


def _code_is_too_long(invoice: Node, _: View) -> bool:
    found = [each for ref in references(invoice, "QR") for each in ref.all(_BINARY)]
    binary = one(found, _BINARY)
    return binary is not None and not 1 <= len(binary.text) <= 1000


def _lacks_counter(invoice: Node, _: View) -> bool:
    uuids = invoice.texts("cac:AdditionalDocumentReference/cbc:UUID")
    return not (references(invoice, "ICV") and any(uuids))


def _needs_contract(invoice: Node, _: View) -> bool:
    names = [type_name(each) for each in invoice.all("cbc:InvoiceTypeCode")]
    return any(len(name) == 9 and name[:2] in ("01", "02") and name[8] == "1" for name in names)


def _lacks_contract(invoice: Node, view: View) -> bool:
    path = "cac:ContractDocumentReference/cbc:ID"
    return _needs_contract(invoice, view) and not normalized(invoice.text_of(path))


def _trades_with_itself(invoice: Node, _: View) -> bool:
    own = {text for text in invoice.texts(f"{SELLER}/{VAT_ID}") if text}
    return not own.isdisjoint(invoice.texts(f"{BUYER}/{VAT_ID}"))


_PREVIOUS = _lacks_reference("PIH")
_CODE = _lacks_reference("QR")

declare(document, at.DOCUMENT, FATAL, [
    ("BR-KSA-03", "", lambda node, _: _UUID.match(node.text_of("cbc:UUID")) is None,
     "A document has a unique identifier (KSA-1) of letters, digits and dashes"),
    ("BR-CL-KSA-14", "", _code_is_too_long, "The QR code (KSA-14) has at most 1,000 characters"),
    ("BR-KSA-33", "", _lacks_counter, "A document has the counter of its unit (KSA-16)"),
    ("BR-KSA-92", "BT-12", _lacks_contract,
     "A document of a contract names the contract (BT-12)"),
    ("BR-KSA-34", "",
     unlike("cac:AdditionalDocumentReference/cbc:UUID", _DIGITS),
     "The counter (KSA-16) has digits only"),
    ("BR-CUSTOM-VALIDATION-01", "BT-31 BT-48", _trades_with_itself,
     "Seller and buyer have different VAT numbers"),
    ("BR-KSA-68", "BT-6", lacks_text("cbc:TaxCurrencyCode"),
     "The currency of the VAT (BT-6) is given"),
    ("BR-KSA-70", "", unlike("cbc:IssueTime", _TIME),
     "The time of issue (KSA-25) is given as hh:mm:ss"),
])  # fmt: skip
declare(document, at.DOCUMENT, WARNING, [
    ("BR-KSA-27", "", of_simplified(_CODE), "A simplified document has a QR code (KSA-14)"),
    ("BR-KSA-61", "", _PREVIOUS,
     "A document has the hash of the document before (KSA-13)"),
])  # fmt: skip


def _is_after_today(node: Node, _: View) -> bool:
    if len(node.text) != 10:
        return False
    try:
        day = date.fromisoformat(node.text)
    except ValueError:
        return False
    return 1800 <= day.year < 2100 and day > clock.now().astimezone(_RIYADH).date()


_DAY: Final = re.compile(r"([2-9][0-9][0-9]{2})-([0-9]{2})-([0-9]{2})")
_LENGTHS: Final = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def _is_no_day(node: Node, _: View) -> bool:
    found = _DAY.fullmatch(node.text)
    if found is None:
        return True
    year, month, day = (int(part) for part in found.groups())
    if not 1 <= month <= 12 or not 1 <= day <= _LENGTHS[month - 1]:
        return True
    return month == 2 and day == 29 and year % 100 % 4 != 0


_ANY_TIME: Final = re.compile(
    r"(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?|24:00:00(?:\.0+)?)"
    r"(?:Z|[+-](?:0[0-9]|1[0-4]):[0-5][0-9])?"
)


def _is_no_time(node: Node, _: View) -> bool:
    return _ANY_TIME.fullmatch(node.text.strip()) is None


declare(document, at.ISSUE_DATE, FATAL, [
    ("BR-KSA-04", "BT-2", _is_after_today, "A date of issue (BT-2) is not after today"),
], Kind.FORMAT)  # fmt: skip
declare(document, at.DATE, FATAL, [
    ("BR-KSA-F-01", "BT-2 BT-9 BT-72", _is_no_day, "A date is a day as YYYY-MM-DD"),
], Kind.FORMAT)  # fmt: skip
declare(document, at.PREPAYMENT_TIME, WARNING, [
    ("BR-KSA-F-05", "", _is_no_time, "The time of a prepayment (KSA-29) is a time"),
], Kind.FORMAT)  # fmt: skip

_TYPE_ROWS: list[Row] = [
    ("BR-KSA-05", "BT-3", lambda node, _: not listed(node.text, KSA_TYPES),
     "The type (BT-3) is 388, 381, 383 or 386"),
    ("BR-KSA-06", "", lambda node, _: _FLAGS.fullmatch(type_name(node)) is None,
     "The flags of the type (KSA-2) are 01 or 02 and five to seven of 0 and 1"),
]  # fmt: skip
declare(document, at.TYPE, FATAL, _TYPE_ROWS, Kind.CODE_LIST)
declare(document, at.TYPE, WARNING, [
    ("BR-KSA-F-06-C40", "", lambda node, _: not 7 <= len(type_name(node)) <= 9,
     "The flags of the type (KSA-2) have 7 to 9 characters"),
], Kind.FORMAT)  # fmt: skip
declare(document, at.EXPORT, FATAL, [
    ("BR-KSA-07", "", lambda node, _: type_name(node)[6:7] == "1",
     "An export invoice is not self-billed (KSA-2)"),
])  # fmt: skip


def _has_wrong_flags(node: Node, _: View) -> bool:
    name = type_name(node)
    return any(flag not in ("0", "1") for flag in name[2:6].ljust(4)) or name[6:7] != "0"


def _lacks_signature(_: Node, view: View) -> bool:
    return not any(each.children for each in view.everywhere("cac:Signature"))


declare(document, at.SIMPLIFIED_TYPE, FATAL, [
    ("BR-KSA-31", "", _has_wrong_flags, "A simplified document is not self-billed (KSA-2)"),
])  # fmt: skip
declare(document, at.SIMPLIFIED_TYPE, WARNING, [
    ("BR-KSA-60", "", _lacks_signature, "A simplified document has a stamp (KSA-15)"),
])  # fmt: skip

_INFORMATION: Final = (
    "ext:UBLExtensions/ext:UBLExtension/ext:ExtensionContent/"
    f"{{{SIG}}}UBLDocumentSignatures/{{{SAC}}}SignatureInformation"
)


def _has_content(attachment: Node) -> bool:
    return any(attachment.texts("cbc:EmbeddedDocumentBinaryObject"))


def _is_unidentified(node: Node, view: View) -> bool:
    ids = view.root.texts(f"{_INFORMATION}/cbc:ID")
    return not (_has_content(node) and SIGNATURE_INFORMATION_ID in ids)


def _is_unreferenced(_: Node, view: View) -> bool:
    ids = [text for each in view.everywhere("cac:Signature") for text in each.texts("cbc:ID")]
    named = normalized(view.root.text_of(f"{_INFORMATION}/{{{SBC}}}ReferencedSignatureID"))
    return not (SIGNATURE_ID in ids and named == SIGNATURE_ID)


def _has_no_method(node: Node, view: View) -> bool:
    signatures = view.everywhere("cac:Signature")
    methods = [text for each in signatures for text in each.texts("cbc:SignatureMethod")]
    return not (_has_content(node) and ENVELOPED in methods)


declare(document, at.ATTACHMENT, FATAL, [
    ("BR-KSA-28", "", of_simplified(_is_unidentified), "The stamp (KSA-15) has its fixed id"),
    ("BR-KSA-30", "", of_simplified(_has_no_method), "The stamp (KSA-15) names its method"),
])  # fmt: skip
declare(document, at.ATTACHMENT, WARNING, [
    ("BR-KSA-29", "", of_simplified(_is_unreferenced), "The stamp (KSA-15) names what it signs"),
])  # fmt: skip


def _is_not_a_hash(node: Node, _: View) -> bool:
    objects = node.all("cbc:EmbeddedDocumentBinaryObject")
    text = any(each.text for each in objects)
    return not (text and any(_media_type(each) == "text/plain" for each in objects))


declare(document, at.PREVIOUS, WARNING, [
    ("BR-KSA-26", "", _is_not_a_hash, "The hash of the document before (KSA-13) is a text"),
])  # fmt: skip
declare(document, at.EMBEDDED, FATAL, [
    ("BR-KSA-CL-03", "BT-125", lambda node, _: _media_type(node) not in MEDIA_TYPES,
     "An attachment (BT-125) is of one of eleven media types"),
], Kind.CODE_LIST)  # fmt: skip

# -- currencies ------------------------------------------------------------------------------------


def _is_no_currency(node: Node, _: View) -> bool:
    if node.name == "cbc:DocumentCurrencyCode":
        return not listed(node.text, CURRENCIES)
    code = node.attributes.get("currencyID")
    return code is not None and not listed(code, CURRENCIES)


def _document_currency(view: View) -> str:
    found = one(view.everywhere("cbc:DocumentCurrencyCode"), "cbc:DocumentCurrencyCode")
    return normalized(found.text) if found else ""


def _has_another_currency(node: Node, view: View) -> bool:
    code = node.attributes.get("currencyID", "")
    return not code or code not in view.once(_document_currency)


declare(document, at.CURRENCY, FATAL, [
    ("BR-KSA-CL-01", "BT-5", _is_no_currency, "A currency is a code of ISO 4217"),
], Kind.CODE_LIST)  # fmt: skip
declare(document, at.AMOUNT, FATAL, [
    ("BR-KSA-CL-02", "BT-5", _has_another_currency,
     "Amounts are in the currency of the document (BT-5)"),
])  # fmt: skip
declare(document, at.INVOICE, FATAL, [
    ("BR-KSA-EN16931-01", "BT-23",
     lambda node, _: normalized(node.text_of("cbc:ProfileID")) != "reporting:1.0",
     "The process (BT-23) is reporting:1.0"),
])  # fmt: skip


def _split(invoice: Node) -> tuple[list[Node], list[Node]]:
    """The tax totals with subtotals, and those without."""
    totals = invoice.all("cac:TaxTotal")
    divided = [each for each in totals if each.has("cac:TaxSubtotal")]
    return divided, [each for each in totals if each not in divided]


def _has_one_tax_in_two_currencies(invoice: Node, _: View) -> bool:
    if all(text in ("", "SAR") for text in invoice.texts("cbc:DocumentCurrencyCode")):
        return False
    path = "cbc:TaxAmount"
    amounts = [[node for total in half for node in total.all(path)] for half in _split(invoice)]
    if not all(any(double_of(node) > 0 for node in half) for half in amounts):
        return False
    first, second = (one(half, path) for half in amounts)
    assert first is not None and second is not None  # noqa: PT018, S101 (both have an amount)
    return rounded(double_of(first) * 100) == rounded(double_of(second) * 100)


declare(document, at.INVOICE, WARNING, [
    ("BR-KSA-EN16931-08", "BG-23", lambda node, _: len(_split(node)[0]) != 1,
     "One VAT total has a breakdown (BG-23)"),
    ("BR-KSA-97", "BT-111", _has_one_tax_in_two_currencies,
     "The VAT in SAR (BT-111) differs from that in another currency (BT-110)"),
])  # fmt: skip
declare(document, at.TAX_CURRENCY, FATAL, [
    ("BR-KSA-EN16931-02", "BT-6", lambda node, _: normalized(node.text.upper()) != "SAR",
     "The currency of the VAT (BT-6) is SAR"),
])  # fmt: skip
declare(document, at.TAX_CURRENCY, WARNING, [
    ("BR-KSA-EN16931-09", "BT-111", lambda node, _: len(_split(node.up(1))[1]) != 1,
     "The VAT in SAR (BT-111) is given once, without a breakdown"),
])  # fmt: skip

_RATE: Final = "cac:TaxExchangeRate"


def _lacks_part_of_the_rate(_: Node, view: View) -> bool:
    names = ("SourceCurrencyCode", "TargetCurrencyCode", "CalculationRate")
    lacking = (not any(view.root.texts(f"{_RATE}/cbc:{name}")) for name in names)
    return view.root.has(_RATE) and any(lacking)


def _names_another(path: str, currency: str) -> Test:
    def test(_: Node, view: View) -> bool:
        code = view.root.text_of(f"{_RATE}/cbc:{path}")
        if not code:
            return False
        own = one(view.everywhere(currency), currency)
        return code not in (normalized(own.text) if own else "")

    return test


def _has_a_long_rate(_: Node, view: View) -> bool:
    return len(normalized(view.root.text_of(f"{_RATE}/cbc:CalculationRate"))) >= 15


declare(document, at.EXCHANGE, WARNING, [
    ("BR-KSA-87", "", _lacks_part_of_the_rate,
     "A rate of exchange has both currencies and the rate"),
])  # fmt: skip
declare(document, at.EXCHANGE, FATAL, [
    ("BR-KSA-88", "BT-5", _names_another("SourceCurrencyCode", "cbc:DocumentCurrencyCode"),
     "A rate of exchange is from the currency of the document (BT-5)"),
    ("BR-KSA-89", "BT-6", _names_another("TargetCurrencyCode", "cbc:TaxCurrencyCode"),
     "A rate of exchange is into the currency of the VAT (BT-6)"),
    ("BR-KSA-90", "", _has_a_long_rate, "A rate of exchange has at most 14 characters"),
])  # fmt: skip

# -- numbers that are not negative, and dates of supply --------------------------------------------


def _is_negative(node: Node, _: View) -> bool:
    if node.name == "cbc:TaxableAmount" and not node.within("cac:InvoiceLine"):
        return not out_of_scope(node.up(1)) and _is_below_zero(node)
    return _is_below_zero(node)


def _is_below_zero(node: Node) -> bool:
    return bool(node.text) and not not_below(node, 0)


declare(document, at.NOT_NEGATIVE, FATAL, [
    ("BR-KSA-F-04", "", _is_negative, "An amount, price or quantity is not negative"),
])  # fmt: skip
unfired(document, at.FACTOR, [
    ("BR-KSA-F-02", "", "A charge indicator is true or false"),
])  # fmt: skip


def _lacks_supply_date(_: Node, view: View) -> bool:
    dates = [each for found in view.everywhere("cac:Delivery")
             for each in found.all("cbc:ActualDeliveryDate")]  # fmt: skip
    only = one(dates, "cbc:ActualDeliveryDate")
    return only is None or not normalized(only.text)


def _ends_before_it_begins(node: Node, _: View) -> bool:
    begin, end = node.up(1).text_of("cbc:ActualDeliveryDate"), node.text
    try:
        return date.fromisoformat(end) < date.fromisoformat(begin)
    except ValueError:
        return False


declare(document, at.STANDARD_INVOICE, WARNING, [
    ("BR-KSA-15", "BT-72", _lacks_supply_date,
     "A standard invoice has the date of supply (BT-72)"),
], Kind.PRESENCE)  # fmt: skip
declare(document, at.LATEST_DELIVERY, WARNING, [
    ("BR-KSA-35", "BT-72",
     lambda node, _: not normalized(node.up(1).text_of("cbc:ActualDeliveryDate")),
     "A supply that ends (KSA-24) has a day on which it begins (BT-72)"),
    ("BR-KSA-36", "BT-72", _ends_before_it_begins,
     "A supply does not end (KSA-24) before it begins (BT-72)"),
])  # fmt: skip

# -- corrections and payment -----------------------------------------------------------------------


def _some(name: str, path: str, test: Test) -> Test:
    """Whether the test is true of some node of this name, or on the path below one."""

    def broken(_: Node, view: View) -> bool:
        nodes = view.everywhere(name)
        if path:
            nodes = [each for node in nodes for each in node.all(path)]
        return any(test(each, view) for each in nodes)

    return broken


def _none_or_some(name: str, test: Test) -> Test:
    """Whether there is no node of this name, or the test is true of one."""
    return lambda node, view: not view.everywhere(name) or _some(name, "", test)(node, view)


_NOTE: Final = "cbc:InstructionNote"
_CORRECTED: Final = "cac:InvoiceDocumentReference/cbc:ID"
declare(document, at.CORRECTION, FATAL, [
    ("BR-KSA-17", "", _none_or_some("cac:PaymentMeans", lambda node, _: not node.has(_NOTE)),
     "A credit or debit note gives its reason (KSA-10)"),
    ("BR-KSA-F-06-C22", "BT-25", _some("cac:BillingReference", "", outside(_CORRECTED, 1, 5000)),
     "The corrected invoice (BT-25) has at most 5,000 characters"),
])  # fmt: skip
declare(document, at.CORRECTION, WARNING, [
    ("BR-KSA-F-06-C13", "",
     _some("cac:PaymentMeans", _NOTE, lambda node, _: not 1 <= len(node.text) <= 1000),
     "The reason of a credit or debit note (KSA-10) has at most 1,000 characters"),
    ("BR-KSA-56", "BT-25", _none_or_some("cac:BillingReference", lacks_text(_CORRECTED)),
     "A credit or debit note names the invoice that it corrects (BT-25)"),
])  # fmt: skip
