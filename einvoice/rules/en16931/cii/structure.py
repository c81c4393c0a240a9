"""Use of CII for the core invoice: elements and attributes that must not occur, or not twice.

543 rules are rows of `structure.csv` (context, id, flag, kind, path, business terms), which the
pass over the document evaluates. The rules that require anything else are functions.
"""

from __future__ import annotations

from collections.abc import Iterator
from csv import DictReader
from importlib.resources import files
from itertools import groupby

from einvoice.rules.book import BROKEN, Chapter, Check, Flag, Kind, Values
from einvoice.rules.en16931.cii import contexts
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.tables import absent, at_most_one, present
from einvoice.rules.values import boolean_of, normalized
from einvoice.rules.view import View

structure = Chapter(
    Layer.CEN_CII,
    gathers=(
        "ram:SpecifiedTradeSettlementPaymentMeans",
        "ram:ApplicableHeaderTradeSettlement",
        "ram:DueDateTypeCode",
    ),
)
_TABLES = {"absent": absent, "at most one": at_most_one}


def _rows() -> Iterator[dict[str, str]]:
    text = files(__package__).joinpath("structure.csv").read_text(encoding="utf-8")
    return DictReader(line for line in text.splitlines() if not line.startswith("#"))


for (_context, _flag, _kind), _same in groupby(
    _rows(), key=lambda row: (row["context"], row["flag"], row["kind"])
):
    _TABLES[_kind](
        structure,
        getattr(contexts, _context),
        [(row["id"], row["terms"], row["path"]) for row in _same],
        Flag(_flag),
    )

present(structure, contexts.ALLOWANCE_USE, [("CII-SR-463", "BG-20 BG-21", "ram:ChargeIndicator")])


# --- exactly one element

_GUIDELINE = "ram:GuidelineSpecifiedDocumentContextParameter"
_NET_PRICE = "ram:NetPriceProductTradePrice/ram:ChargeAmount"


def _exactly_one(path: str) -> Check:
    def check(node: Node, _: View) -> Values | None:
        count = len(node.all(path))
        return None if count == 1 else {"count": count}

    return check


for _id, _at, _path, _terms in (
    ("CII-SR-009", contexts.PROCESS, _GUIDELINE, "BT-24"),
    ("CII-SR-010", contexts.PROCESS, f"{_GUIDELINE}/ram:ID", "BT-24"),
    ("CII-SR-014", contexts.HEADER, "ram:TypeCode", "BT-3"),
    ("CII-SR-069", contexts.PRODUCT_CHARACTERISTIC, "ram:Description", "BT-160"),
    ("CII-SR-072", contexts.PRODUCT_CHARACTERISTIC, "ram:Value", "BT-161"),
    ("CII-SR-439", contexts.LINE_AGREEMENT, _NET_PRICE, "BT-146"),
):  # fmt: skip
    structure.add(
        _id, _terms, _at, _exactly_one(_path), f"exactly one {_path}",
        kind=Kind.CARDINALITY, parameters={"path": _path},
    )  # fmt: skip


@structure.rule(
    "CII-SR-454", "BG-30", at=contexts.LINE_SETTLEMENT, flag=Flag.WARNING, kind=Kind.CARDINALITY
)
def line_has_one_vat_group(settlement: Node, _: View) -> Values | None:
    """A line has exactly one VAT group."""
    count = len(settlement.all("ram:ApplicableTradeTax"))
    return None if count == 1 else {"count": count}


@structure.rule(
    "CII-SR-046", "BT-157", at=contexts.PRODUCT, kind=Kind.PRESENCE,
    present=("ram:GlobalID",), path="ram:GlobalID/@schemeID",
)  # fmt: skip
def product_identifier_has_a_scheme(product: Node, _: View) -> Values | None:
    """The standard identifier of an item (BT-157) has a scheme."""
    identifiers = product.all("ram:GlobalID")
    return None if any("schemeID" in each.attributes for each in identifiers) else BROKEN


@structure.rule(
    "CII-SR-090", "BT-159", at=contexts.PRODUCT, kind=Kind.CARDINALITY,
    present=("ram:OriginTradeCountry",),
)  # fmt: skip
def item_has_one_country_of_origin(product: Node, _: View) -> Values | None:
    """An item has one country of origin."""
    count = len(product.all("ram:OriginTradeCountry/ram:ID"))
    return None if count == 1 else {"count": count}


@structure.rule(
    "CII-SR-119", "BT-147", at=contexts.LINE_AGREEMENT, flag=Flag.WARNING,
    present=(
        "ram:GrossPriceProductTradePrice/ram:AppliedTradeAllowanceCharge/ram:ChargeIndicator",
        "ram:GrossPriceProductTradePrice/ram:AppliedTradeAllowanceCharge/ram:ActualAmount",
    ),
)  # fmt: skip
def price_has_discounts_only(agreement: Node, _: View) -> Values | None:
    """Allowances of the gross price are discounts (BT-147), each with its amount."""
    allowance = "ram:GrossPriceProductTradePrice/ram:AppliedTradeAllowanceCharge"
    indicators = agreement.all(f"{allowance}/ram:ChargeIndicator")
    discount = any(
        boolean_of(indicator) is False
        for each in indicators
        for indicator in each.all("udt:Indicator")
    )
    return None if discount and agreement.has(f"{allowance}/ram:ActualAmount") else BROKEN


# --- one of two alternatives


def _not_both(one: str, other: str) -> Check:
    def check(node: Node, _: View) -> Values | None:
        return BROKEN if node.has(one) and node.has(other) else None

    return check


for _id, _at, _party, _terms in (
    ("CII-SR-450", contexts.AGREEMENT_USE, "ram:BuyerTradeParty", "BT-46"),
    ("CII-SR-449", contexts.DELIVERY_USE, "ram:ShipToTradeParty", "BT-71"),
    ("CII-SR-451", contexts.SETTLEMENT_USE, "ram:PayeeTradeParty", "BT-60"),
):
    structure.add(
        _id, _terms, _at, _not_both(f"{_party}/ram:ID", f"{_party}/ram:GlobalID"),
        f"{_party} has an ID or a GlobalID, not both",
        Flag.WARNING, present=(f"{_party}/ram:GlobalID",), parameters={"path": _party},
    )  # fmt: skip

for _id, _party, _terms in (
    ("CII-SR-465", "ram:SellerTradeParty", "BT-41"),
    ("CII-SR-466", "ram:BuyerTradeParty", "BT-56"),
):
    _contact = f"{_party}/ram:DefinedTradeContact"
    structure.add(
        _id, _terms, contexts.AGREEMENT_USE,
        _not_both(f"{_contact}/ram:PersonName", f"{_contact}/ram:DepartmentName"),
        f"The contact of {_party} is a person or a department, not both", Flag.WARNING,
        present=(f"{_contact}/ram:DepartmentName",), parameters={"path": _contact},
    )  # fmt: skip


# --- document references, by type

_DOCUMENTS = "ram:AdditionalReferencedDocument"


def _at_most_one_of_type(wanted: str, part: str, exactly: bool) -> Check:
    """At most one document of this type, or one `part` in all of them.

    exactly  whether the type is compared as written; else it is normalized
    """

    def check(node: Node, _: View) -> Values | None:
        documents = [
            each
            for each in node.all(_DOCUMENTS)
            if (wanted in each.texts("ram:TypeCode") if exactly
                else normalized(each.text_of("ram:TypeCode")) == wanted)
        ]  # fmt: skip
        count = sum(len(each.all(part)) for each in documents) if part else len(documents)
        return None if count <= 1 else {"count": count}

    return check


for _id, _at, _type, _part, _exactly, _terms in (
    ("CII-SR-457", contexts.AGREEMENT_USE, "50", "", True, "BT-17"),
    ("CII-SR-458", contexts.AGREEMENT_USE, "130", "", True, "BT-18"),
    ("CII-SR-474", contexts.LINE_SETTLEMENT, "130", "", False, "BT-128"),
    ("CII-SR-475", contexts.AGREEMENT_USE, "916", "ram:Name", False, "BT-123"),
    ("CII-SR-476", contexts.AGREEMENT_USE, "916", "ram:AttachmentBinaryObject", False, "BT-125"),
):
    structure.add(
        _id, _terms, _at, _at_most_one_of_type(_type, _part, _exactly),
        f"at most one document of type {_type}", Flag.WARNING, Kind.CARDINALITY,
        repeated=(f"{_DOCUMENTS}/{_part}".rstrip("/"), f"{_DOCUMENTS}/ram:TypeCode"),
        parameters={"path": _DOCUMENTS, "type": _type},
    )  # fmt: skip


# --- the same value in the whole document


@structure.rule("CII-SR-462", "BT-8", at=contexts.SETTLEMENT_USE)
def vat_point_date_code_is_the_same(_: Node, view: View) -> Values | None:
    """All breakdowns name the same VAT point code."""
    codes = view.everywhere("ram:DueDateTypeCode")
    texts = {code.text for code in codes if code.up(1).name == "ram:ApplicableTradeTax"}
    return None if len(texts) <= 1 else {"codes": ", ".join(sorted(texts))}


def _same_everywhere(view: View, path: str) -> Values | None:
    means = view.everywhere("ram:SpecifiedTradeSettlementPaymentMeans")
    texts = {normalized(text) for each in means for text in each.texts(path)}
    return None if len(texts) <= 1 else {"codes": ", ".join(sorted(texts))}


@structure.rule("CII-SR-467", "BT-81", at=contexts.DOCUMENT_USE)
def payment_means_have_the_same_type(_: Node, view: View) -> Values | None:
    """All payment means have the same type code (BT-81)."""
    return _same_everywhere(view, "ram:TypeCode")


@structure.rule("CII-SR-468", "BT-82", at=contexts.DOCUMENT_USE)
def payment_means_have_the_same_text(_: Node, view: View) -> Values | None:
    """All payment means have the same text (BT-82)."""
    return _same_everywhere(view, "ram:Information")


@structure.rule("CII-SR-469", "BT-83", at=contexts.DOCUMENT_USE, kind=Kind.CARDINALITY)
def has_at_most_one_remittance_information(_: Node, view: View) -> Values | None:
    """There is at most one remittance information."""
    settlements = view.everywhere("ram:ApplicableHeaderTradeSettlement")
    count = sum(len(each.all("ram:PaymentReference")) for each in settlements)
    return None if count <= 1 else {"count": count}


@structure.rule(
    "CII-SR-470", "BT-84", at=contexts.SETTLEMENT_USE,
    present=("ram:SpecifiedTradeSettlementPaymentMeans",),
)  # fmt: skip
def transfer_has_an_account(settlement: Node, _: View) -> Values | None:
    """Each credit transfer (BT-81: 30 or 58) has an account (BT-84)."""
    account = "ram:PayeePartyCreditorFinancialAccount"
    for means in settlement.all("ram:SpecifiedTradeSettlementPaymentMeans"):
        if means.has(f"{account}/ram:IBANID") or means.has(f"{account}/ram:ProprietaryID"):
            continue  # first: several codes are an error only without an account
        if normalized(means.text_of("ram:TypeCode")) in ("30", "58"):
            return BROKEN
    return None
