"""BR-FR-CII: invoices of several sellers (B8, S8, M8) and of both sides (B9, S9, M9).

As in UBL (`joint_ubl`), but the status of a line says what it is, and its parent which line it is
below.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from einvoice.rules.book import (
    BROKEN,
    COMPARED_LINES,
    Chapter,
    Check,
    Context,
    Kind,
    Pattern,
    Values,
)
from einvoice.rules.br_fr import codes
from einvoice.rules.br_fr.joint import Sums, is_close, only_if
from einvoice.rules.cii_paths import (
    BUYER,
    INVOICE,
    ITEM,
    ITEM_DOCUMENT,
    LEGAL_ID,
    LINE,
    LINE_SETTLEMENT,
    LINE_STATUS,
    SELLER,
    SETTLEMENT,
    TRADE,
    single_text,
)
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.values import double_of, normalized, parse_double
from einvoice.rules.view import View

# Officially compared with every number of a reference before it, whatever that refers to.
_ANY_NUMBER = "ram:IssuerAssignedID"
joint = Chapter(Layer.BR_FR_CII, (_ANY_NUMBER, COMPARED_LINES))

_PROCESS = (
    "rsm:ExchangedDocumentContext/ram:BusinessProcessSpecifiedDocumentContextParameter/ram:ID"
)
_TYPE = "rsm:ExchangedDocument/ram:TypeCode"
_DOCUMENT_NUMBER = "rsm:ExchangedDocument/ram:ID"
_LINE_ID, _PARENT = f"{ITEM_DOCUMENT}/ram:LineID", f"{ITEM_DOCUMENT}/ram:ParentLineID"
_ITEM_SELLER = "ram:SpecifiedLineTradeAgreement/ram:ItemSellerTradeParty"
_SELLER_ID = f"{_ITEM_SELLER}/{LEGAL_ID}"
_TOTALS = f"{LINE_SETTLEMENT}/ram:SpecifiedTradeSettlementLineMonetarySummation"
_NET, _GROSS = f"{_TOTALS}/ram:LineTotalAmount", f"{_TOTALS}/ram:GrandTotalAmount"
_REASON = f"{LINE_SETTLEMENT}/ram:ApplicableTradeTax/ram:ExemptionReason"
_OBJECT = f"{LINE_SETTLEMENT}/ram:AdditionalReferencedDocument"
_EARLIER = f"{LINE_SETTLEMENT}/ram:InvoiceReferencedDocument"


def is_of(view: View, processes: frozenset[str]) -> bool:
    """Whether the business process (BT-23) is one of these. Raises MoreThanOneItem."""
    return normalized(view.root.text_of(_PROCESS)) in processes


is_joint = partial(is_of, processes=codes.JOINT)
has_several_sellers = partial(is_of, processes=codes.SEVERAL_SELLERS)
has_both_sides = partial(is_of, processes=codes.BOTH_SIDES)


def _is_whole(line: Node, _: View | None = None) -> bool:
    """Whether a line is one of the held invoices."""
    return codes.GROUP in line.texts(LINE_STATUS) and not line.has(_PARENT)


def _is_detail(line: Node, _: View) -> bool:
    return codes.DETAIL in line.texts(LINE_STATUS)


def _wholes(trade: Node) -> list[Node]:
    return [line for line in trade.all(ITEM) if _is_whole(line)]


def _is_numbering(reference: Node, scheme: str) -> bool:
    numbered = "130" in reference.texts("ram:TypeCode")
    return numbered and scheme in reference.texts("ram:ReferenceTypeCode")


def _numbers(line: Node) -> list[Node]:
    """The numbers of the held invoice that a line belongs to (scheme AFL)."""
    return [
        number
        for reference in line.all(_OBJECT)
        if _is_numbering(reference, codes.FINAL_INVOICE)
        for number in reference.all("ram:IssuerAssignedID")
    ]


def _text(nodes: list[Node]) -> str:
    """normalize-space() of the one node. Raises MoreThanOneItem."""
    return normalized(single_text(nodes))


_TRADE: Context = Pattern().context(f"{INVOICE}/{TRADE}")
_LINE: Context = Pattern().context(f"{INVOICE}/{LINE}")
_TYPE_CODE: Context = Pattern().context(f"{INVOICE}/{_TYPE}")
_WHOLE: Context = Pattern().context(f"{INVOICE}/{LINE}", when=_is_whole)


@joint.rule("BR-FR-MV-01_EXT-FR-FE-163", "", kind=Kind.PRESENCE,
            at=Pattern().context(f"{INVOICE}/{LINE}/{LINE_STATUS}"))  # fmt: skip
@only_if(is_joint)
def line_says_what_it_is(status: Node, _: View) -> Values | None:
    """The kind of a line of a joint invoice (GROUP, DETAIL …) is not empty."""
    return None if normalized(status.text) else BROKEN


@joint.rule("BR-FR-MV-02_EXT-FR-FE-163", "BG-25", at=_TRADE, kind=Kind.CARDINALITY)
@only_if(has_several_sellers)
def holds_an_invoice(trade: Node, _: View) -> Values | None:
    """An invoice of several sellers has a line of the kind GROUP without a parent."""
    return None if _wholes(trade) else {"count": 0}


@joint.rule("BR-FR-BD-02_EXT-FR-FE-163", "BG-25", at=_TRADE, kind=Kind.CARDINALITY)
@only_if(has_both_sides)
def holds_two_invoices(trade: Node, _: View) -> Values | None:
    """An invoice of both sides has two lines of the kind GROUP without a parent."""
    count = len(_wholes(trade))
    return None if count == 2 else {"count": count}


def _holds_one_of(party: str) -> Check:
    @only_if(has_both_sides)
    def check(trade: Node, view: View) -> Values | None:
        numbers = set(view.root.texts(f"{party}/{LEGAL_ID}"))
        count = sum(bool(numbers.intersection(line.texts(_SELLER_ID))) for line in _wholes(trade))
        return None if count == 1 else {"count": count}

    return check


for _rule, _term, _party in (
    ("BR-FR-BD-02_BT-31", "BT-30", SELLER), ("BR-FR-BD-02_BT-47", "BT-47", BUYER),
):  # fmt: skip
    joint.add(
        _rule, _term, _TRADE, _holds_one_of(_party),
        f"An invoice of both sides holds one invoice of the company of {_term}",
        kind=Kind.CARDINALITY,
    )  # fmt: skip


def _is_given(path: str) -> Check:
    """The check that a held invoice gives what is on the path, below its line."""

    @only_if(is_joint)
    def check(line: Node, _: View) -> Values | None:
        return None if normalized(line.text_of(path)) else BROKEN

    return check


for _rule, _path, _what in (
    ("164", f"{_ITEM_SELLER}/ram:Name", "name"),
    ("167", _SELLER_ID, "SIREN"),
    ("177", f"{_ITEM_SELLER}/ram:PostalTradeAddress/ram:CountryID", "country"),
):
    joint.add(
        f"BR-FR-MV-03_EXT-FR-FE-{_rule}", "", _WHOLE, _is_given(_path),
        f"A held invoice gives the {_what} of its seller", kind=Kind.PRESENCE,
        parameters={"path": _path},
    )  # fmt: skip


def _taxes(line: Node, currencies: list[str]) -> list[Node]:
    return [
        each for each in line.all(f"{_TOTALS}/ram:TaxTotalAmount")
        if each.attributes.get("currencyID") in currencies
    ]  # fmt: skip


def _currencies(view: View) -> list[str]:
    return view.root.texts(f"{SETTLEMENT}/ram:InvoiceCurrencyCode")


@joint.rule("BR-FR-MV-03_EXT-FR-FE-181", "", at=_WHOLE, kind=Kind.PRESENCE)
@only_if(is_joint)
def held_vat_is_given(line: Node, view: View) -> Values | None:
    """A held invoice gives its VAT in the currency of the invoice."""
    return None if _text(_taxes(line, _currencies(view))) else BROKEN


@joint.rule("BR-FR-MV-03_EXT-FR-FE-182", "BT-6", at=_WHOLE, kind=Kind.PRESENCE)
@only_if(is_joint)
def held_vat_is_given_in_accounting_currency(line: Node, view: View) -> Values | None:
    """A held invoice gives its VAT in the accounting currency too, where there is one (BT-6)."""
    currencies = view.root.texts(f"{SETTLEMENT}/ram:TaxCurrencyCode")
    if not currencies:
        return None
    return None if any(currencies) and _text(_taxes(line, currencies)) else BROKEN


def _is_object_of_whole(scheme: str, reference: Node, _: View) -> bool:
    return scheme in reference.texts("ram:ReferenceTypeCode") and _is_whole(reference.up(2))


def _numbered(reference: Node) -> str:
    """The number of an object of type 130; "" if it is of another type. Raises MoreThanOneItem."""
    of_type = "130" in reference.texts("ram:TypeCode")
    return normalized(reference.text_of("ram:IssuerAssignedID")) if of_type else ""


_numbers_whole = partial(_is_object_of_whole, codes.FINAL_INVOICE)
_has_process_of_whole = partial(_is_object_of_whole, codes.PROCESS_OF_LINE)
_objects = Pattern()


@joint.rule("BR-FR-MV-03_BT-128_AFL", "BT-128", kind=Kind.PRESENCE,
            at=_objects.context(f"{INVOICE}/{LINE}/{_OBJECT}",
                                when=_numbers_whole))  # fmt: skip
@only_if(is_joint)
def held_number_is_given(reference: Node, _: View) -> Values | None:
    """The number of a held invoice (BT-128, AFL) is an object of the type 130, and not empty."""
    return None if _numbered(reference) else BROKEN


@joint.rule("BR-FR-MV-03_BT-128_AVV", "BT-128", kind=Kind.PRESENCE,
            at=_objects.context(f"{INVOICE}/{LINE}/{_OBJECT}",
                                when=_has_process_of_whole))  # fmt: skip
@only_if(is_joint)
def held_process_is_given(reference: Node, _: View) -> Values | None:
    """A held invoice gives its process, not again that of several sellers (BT-128, AVV)."""
    process = _numbered(reference)
    again = any(each in codes.SEVERAL_SELLERS for each in reference.texts("ram:IssuerAssignedID"))
    return None if process and not again else {"text": process[:80]}


def _parts(view: View, parents: list[str], is_part: Callable[[list[str]], bool]) -> list[Node]:
    """The lines below one of these whose kind is what is asked for."""
    return [
        line
        for line in view.root.all(LINE)
        if set(parents).intersection(line.texts(_PARENT)) and is_part(line.texts(LINE_STATUS))
    ]


def _is_counted(kinds: list[str]) -> bool:
    return any(each != codes.INFORMATION for each in kinds)


@joint.rule("BR-FR-MV-05_EXT-FR-FE-BG-12", "BT-131", at=_WHOLE, kind=Kind.SUM, path=_NET)
@only_if(is_joint)
def held_lines_add_up(line: Node, view: View) -> Values | None:
    """The net amount of a held invoice is the sum of its lines, to a cent for each."""
    parts = _parts(view, [normalized(line.text_of(_LINE_ID))], _is_counted)
    amounts = [each for part in parts for each in part.all(_NET)]
    total = parse_double(line.text_of(_NET))
    sums = Sums(total, sum(map(double_of, amounts)), 0.01 * len(amounts))
    return None if is_close(sums) else sums.values


def _agrees_with_parent(of: Callable[[Node], list[Node]]) -> Check:
    """The check that a line gives what `of` finds, the same as the line above it."""

    @only_if(is_joint)
    def check(line: Node, view: View) -> Values | None:
        found = _text(of(line))
        if not found:
            return {"text": ""}
        parents = set(line.texts(_PARENT))
        above = [each for each in view.root.all(LINE) if parents.intersection(each.texts(_LINE_ID))]
        same = not parents or found == _text([node for each in above for node in of(each)])
        return None if same else {"text": found[:80]}

    return check


joint.add(
    "BR-FR-MV-06_EXT-FR-FE-167", "", _LINE,
    _agrees_with_parent(lambda line: list(line.all(_SELLER_ID))),
    "Each line of a joint invoice names its seller, the one of the line above it",
)  # fmt: skip
joint.add(
    "BR-FR-MV-07_BT-128", "BT-128", _LINE, _agrees_with_parent(_numbers),
    "Each line of a joint invoice gives the number of its invoice, that of the line above it",
)  # fmt: skip


@joint.rule("BR-FR-MV-08_BT-128", "BT-128", kind=Kind.FORMAT, path=_REASON,
            at=Pattern().context(f"{INVOICE}/{LINE}", when=_is_detail))  # fmt: skip
@only_if(is_joint)
def exemption_begins_with_the_number(line: Node, _: View) -> Values | None:
    """The exemption reason of a detail begins with #the number of its invoice#."""
    number, reason = _text(_numbers(line)), line.text_of(_REASON)
    holds = normalized(reason) and number and reason.startswith(f"#{number}#")
    return None if holds else {"text": reason[:80]}


def _names(group: Node, mark: str) -> bool:
    """Whether a VAT group is of VAT, and its exemption reason begins with the mark."""
    is_vat = "VAT" in group.texts("ram:TypeCode")
    return is_vat and group.text_of("ram:ExemptionReason").startswith(mark)


@joint.rule("BR-FR-MV-09_EXT-FR-FE-181", "BT-117", at=_WHOLE, kind=Kind.SUM)
@only_if(is_joint)
def held_vat_adds_up(line: Node, view: View) -> Values | None:
    """The VAT of a held invoice is the sum of the VAT groups that name it."""
    mark = f"#{_text(_numbers(line))}#"
    groups = [
        each for each in view.root.all(f"{SETTLEMENT}/ram:ApplicableTradeTax") if _names(each, mark)
    ]
    amounts = [amount for each in groups for amount in each.all("ram:CalculatedAmount")]
    declared = parse_double(single_text(_taxes(line, _currencies(view))))
    sums = Sums(declared, sum(map(double_of, amounts)), 0.01)
    return None if is_close(sums) else sums.values


@joint.rule("BR-FR-MV-10_EXT-FR-FE-184", "", at=_WHOLE, kind=Kind.SUM, path=_GROSS)
@only_if(is_joint)
def held_total_adds_up(line: Node, view: View) -> Values | None:
    """The total of a held invoice is its net amount and its VAT, to a cent for each line."""
    if not line.has(_GROSS):
        return None
    count = len(_parts(view, line.texts(_LINE_ID), lambda kinds: codes.DETAIL in kinds))
    gross, net = parse_double(line.text_of(_GROSS)), parse_double(line.text_of(_NET))
    vat = parse_double(single_text(_taxes(line, _currencies(view))))
    sums = Sums(gross, None if net is None or vat is None else net + vat, 0.01 * count)
    return None if is_close(sums) else sums.values


def _is_whole_of_seller(line: Node, view: View) -> bool:
    sellers = set(view.root.texts(f"{SELLER}/{LEGAL_ID}"))
    return _is_whole(line) and bool(sellers.intersection(line.texts(_SELLER_ID)))


@joint.rule("BR-FR-MV-11_BT-128", "BT-128 BT-1",
            at=Pattern().context(f"{INVOICE}/{LINE}", when=_is_whole_of_seller))  # fmt: skip
@only_if(is_joint)
def seller_s_own_number_is_the_invoice_s(line: Node, view: View) -> Values | None:
    """Where the seller's part is one of the held invoices, one of them has the number (BT-1)."""
    number, held = view.root.text_of(_DOCUMENT_NUMBER), _text(_numbers(line))
    count = sum(
        number in [each.text for each in _numbers(each_line)]
        for each_line in view.root.all(LINE)
        if _is_whole_of_seller(each_line, view)
    )
    holds = count == 1 or (count == 0 and held == number) or (count > 1 and held != number)
    return None if holds else {"text": held[:80]}


@joint.rule("BR-FR-MV-12_BT-128", "BT-128", at=_TRADE, kind=Kind.CARDINALITY)
@only_if(is_joint)
def held_numbers_differ(trade: Node, view: View) -> Values | None:
    """The numbers of the held invoices are no number of a reference before them."""
    held = {number for line in _wholes(trade) for number in _numbers(line)}
    seen: set[str] = set()
    for number in view.everywhere(_ANY_NUMBER):
        if number in held and number.text in seen:
            return {"text": number.text[:80]}
        seen.add(number.text)
    return None


def _has_type_of(allowed: frozenset[str], *, wanted: bool) -> Callable[[Node], Values | None]:
    def check(code: Node) -> Values | None:
        found = normalized(code.text)
        return None if found and (found in allowed) is wanted else {"code": found}

    return check


_is_not_self_billed = _has_type_of(codes.SELF_BILLED, wanted=False)
_is_self_billed = _has_type_of(codes.SELF_BILLED, wanted=True)


@joint.rule("BR-FR-MV-13_BT-3", "BT-3", at=_TYPE_CODE, kind=Kind.CODE_LIST)
@only_if(has_several_sellers)
def several_sellers_are_not_self_billed(code: Node, _: View) -> Values | None:
    """An invoice of several sellers (BT-23) is not self-billed (BT-3)."""
    return _is_not_self_billed(code)


@joint.rule("BR-FR-BD-13_BT-3", "BT-3", at=_TYPE_CODE, kind=Kind.CODE_LIST)
@only_if(has_both_sides)
def both_sides_are_self_billed(code: Node, _: View) -> Values | None:
    """An invoice of both sides (BT-23) is self-billed (BT-3)."""
    return _is_self_billed(code)


def _typed(allowed: frozenset[str]) -> Callable[[Node, View], bool]:
    def matches(line: Node, view: View) -> bool:
        return _is_whole(line) and any(each in allowed for each in view.root.texts(_TYPE))

    return matches


def _names_an_earlier(path: str, condition: Callable[[View], bool]) -> Check:
    @only_if(condition)
    def check(line: Node, _: View) -> Values | None:
        return None if line.has(f"{_EARLIER}/{path}") else BROKEN

    return check


_DATED = "ram:FormattedIssueDateTime/qdt:DateTimeString"
for _rule, _codes, _condition in (
    ("MV", frozenset(["384", "472", "381", "396", "503"]), has_several_sellers),
    ("BD", frozenset(["261", "471", "473", "502"]), has_both_sides),
):
    _at = Pattern().context(f"{INVOICE}/{LINE}", when=_typed(_codes))
    for _field, _path, _what in (
        ("136", "ram:IssuerAssignedID", "number"),
        ("138", _DATED, "date"),
    ):
        joint.add(
            f"BR-FR-{_rule}-14-EXT-FR-FE-{_field}", "", _at, _names_an_earlier(_path, _condition),
            f"A held credit note or corrective invoice gives the {_what} of the earlier invoice",
            kind=Kind.PRESENCE,
        )  # fmt: skip
