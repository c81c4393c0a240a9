"""BR-FR-UBL: invoices of several sellers (B8, S8, M8) and of both sides (B9, S9, M9).

Such an invoice holds the invoices of several companies. Each line says by a reference to the
invoice itself what it is: GROUP without a parent is one of the held invoices, its total; DETAIL is
a line of it. The seller of a line is the manufacturer of its item, the number of its invoice an
object of the scheme AFL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
from einvoice.rules.cii_paths import single_text
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.values import double_of, normalized, parse_double
from einvoice.rules.view import View

joint = Chapter(Layer.BR_FR_UBL, (COMPARED_LINES,))

_LINES = ("cac:InvoiceLine", "cac:CreditNoteLine")
_STATUS = "cac:InvoiceDocumentReference/cbc:DocumentStatusCode"
_REFERRED = "cac:InvoiceDocumentReference/cbc:ID"
_PARENT = "cac:BillingReferenceLine/cbc:ID"
_SELLER = "cac:Item/cac:ManufacturerParty"
_SELLER_ID = f"{_SELLER}/cac:PartyLegalEntity/cbc:CompanyID"
_LEGAL = "cac:Party/cac:PartyLegalEntity/cbc:CompanyID"
_NET = "cbc:LineExtensionAmount"
_REASON = "cac:Item/cac:ClassifiedTaxCategory/cbc:TaxExemptionReason"


def is_of(view: View, processes: frozenset[str]) -> bool:
    """Whether the business process (BT-23) is one of these. Raises MoreThanOneItem."""
    return normalized(view.root.text_of("cbc:ProfileID")) in processes


is_joint = partial(is_of, processes=codes.JOINT)
has_several_sellers = partial(is_of, processes=codes.SEVERAL_SELLERS)
has_both_sides = partial(is_of, processes=codes.BOTH_SIDES)


def _lines(document: Node) -> Iterator[Node]:
    for name in _LINES:
        yield from document.all(name)


def _own(line: Node, document: Node) -> list[Node]:
    """The references of a line to the document itself."""
    number = set(document.texts("cbc:ID"))
    return [
        each
        for each in line.all("cac:BillingReference")
        if number.intersection(each.texts(_REFERRED))
    ]


def _other(line: Node, document: Node) -> list[Node]:
    """The references of a line to another document."""
    numbers = document.texts("cbc:ID")
    return [
        each for each in line.all("cac:BillingReference")
        if any(text != number for text in each.texts(_REFERRED) for number in numbers)
    ]  # fmt: skip


def counts_as_detail(line: Node, document: Node) -> bool:
    """Whether a line says of itself that it is a detail, or nothing."""
    own = _own(line, document)
    return not own or any(codes.DETAIL in each.texts(_STATUS) for each in own)


def _is_whole(reference: Node) -> bool:
    """Whether a reference says that its line is one of the held invoices."""
    return codes.GROUP in reference.texts(_STATUS) and not reference.has(_PARENT)


def _is_own_whole(reference: Node, view: View) -> bool:
    numbers = set(view.root.texts("cbc:ID"))
    return _is_whole(reference) and bool(numbers.intersection(reference.texts(_REFERRED)))


def _wholes(document: Node) -> list[tuple[Node, Node]]:
    """The held invoices: each line, and the reference by which it is one."""
    return [
        (line, reference)
        for line in _lines(document)
        for reference in _own(line, document)
        if _is_whole(reference)
    ]


def _numbers(line: Node) -> list[Node]:
    """The numbers of the held invoice that a line belongs to (scheme AFL)."""
    return _objects(line, codes.FINAL_INVOICE)


def _objects(line: Node, scheme: str) -> list[Node]:
    return [
        number
        for reference in line.all("cac:DocumentReference")
        if "130" in reference.texts("cbc:DocumentTypeCode")
        for number in reference.all("cbc:ID")
        if number.attributes.get("schemeID") == scheme
    ]


def _text(nodes: list[Node]) -> str:
    """normalize-space() of the one node. Raises MoreThanOneItem."""
    return normalized(single_text(nodes))


_ANY_LINE: Context = Pattern().context(*_LINES)
_DOCUMENT: Context = Pattern().context("/ubl:Invoice", "/cn:CreditNote")
_ROOT_LINES = ("/ubl:Invoice/cac:InvoiceLine", "/cn:CreditNote/cac:CreditNoteLine")
_LINE: Context = Pattern().context(*_ROOT_LINES)
_WHOLE: Context = Pattern().context(
    *(f"{line}/cac:BillingReference" for line in _ROOT_LINES), when=_is_own_whole
)
_TYPE: Context = Pattern().context(
    "/ubl:Invoice/cbc:InvoiceTypeCode", "/cn:CreditNote/cbc:CreditNoteTypeCode"
)


@joint.rule("BR-FR-MV-01_EXT-FR-FE-163", "", at=_ANY_LINE, kind=Kind.PRESENCE)
@only_if(is_joint)
def line_says_what_it_is(line: Node, view: View) -> Values | None:
    """Each line of a joint invoice says by a reference to it what it is: GROUP, DETAIL …"""
    own = _own(line, view.root)
    return None if own and _text([s for each in own for s in each.all(_STATUS)]) else BROKEN


@joint.rule("BR-FR-MV-02_EXT-FR-FE-163", "BG-25", at=_DOCUMENT, kind=Kind.CARDINALITY)
@only_if(has_several_sellers)
def holds_an_invoice(document: Node, _: View) -> Values | None:
    """An invoice of several sellers has a line of the kind GROUP without a parent."""
    return None if _wholes(document) else {"count": 0}


@joint.rule("BR-FR-BD-02_EXT-FR-FE-163", "BG-25", at=_DOCUMENT, kind=Kind.CARDINALITY)
@only_if(has_both_sides)
def holds_two_invoices(document: Node, _: View) -> Values | None:
    """An invoice of both sides has two lines of the kind GROUP without a parent."""
    count = len(_wholes(document))
    return None if count == 2 else {"count": count}


def _holds_one_of(party: str) -> Check:
    @only_if(has_both_sides)
    def check(document: Node, _: View) -> Values | None:
        parties = set(document.texts(f"{party}/{_LEGAL}"))
        sold = [1 for line, _ in _wholes(document) if parties.intersection(line.texts(_SELLER_ID))]
        return None if len(sold) == 1 else {"count": len(sold)}

    return check


for _rule, _term, _party in (
    ("BR-FR-BD-02_BT-30", "BT-30", "cac:AccountingSupplierParty"),
    ("BR-FR-BD-02_BT-47", "BT-47", "cac:AccountingCustomerParty"),
):
    joint.add(
        _rule, _term, _DOCUMENT, _holds_one_of(_party),
        f"An invoice of both sides holds one invoice of the company of {_term}",
        kind=Kind.CARDINALITY,
    )  # fmt: skip


def _is_given(path: str) -> Check:
    """The check that a held invoice gives what is on the path, below its line."""

    @only_if(is_joint)
    def check(reference: Node, _: View) -> Values | None:
        return None if _text(list(reference.up(1).all(path))) else BROKEN

    return check


for _rule, _path, _what in (
    ("164", f"{_SELLER}/cac:PartyLegalEntity/cbc:RegistrationName", "name"),
    ("167", _SELLER_ID, "SIREN"),
    ("177", f"{_SELLER}/cac:PostalAddress/cac:Country/cbc:IdentificationCode", "country"),
):
    joint.add(
        f"BR-FR-MV-03_EXT-FR-FE-{_rule}", "", _WHOLE, _is_given(_path),
        f"A held invoice gives the {_what} of its seller", kind=Kind.PRESENCE,
        parameters={"path": _path},
    )  # fmt: skip


def _taxes(line: Node, currencies: list[str]) -> list[Node]:
    return [
        each for each in line.all("cac:TaxTotal/cbc:TaxAmount")
        if each.attributes.get("currencyID") in currencies
    ]  # fmt: skip


@joint.rule("BR-FR-MV-03_EXT-FR-FE-181", "", at=_WHOLE, kind=Kind.PRESENCE)
@only_if(is_joint)
def held_vat_is_given(reference: Node, view: View) -> Values | None:
    """A held invoice gives its VAT in the currency of the invoice."""
    currencies = view.root.texts("cbc:DocumentCurrencyCode")
    return None if _text(_taxes(reference.up(1), currencies)) else BROKEN


@joint.rule("BR-FR-MV-03_EXT-FR-FE-182", "BT-6", at=_WHOLE, kind=Kind.PRESENCE)
@only_if(is_joint)
def held_vat_is_given_in_accounting_currency(reference: Node, view: View) -> Values | None:
    """A held invoice gives its VAT in the accounting currency too, where there is one (BT-6)."""
    currencies = view.root.texts("cbc:TaxCurrencyCode")
    if not currencies:
        return None
    given = any(currencies) and _text(_taxes(reference.up(1), currencies))
    return None if given else BROKEN


@joint.rule("BR-FR-MV-03_BT-128_AFL", "BT-128", at=_WHOLE, kind=Kind.PRESENCE)
@only_if(is_joint)
def held_number_is_given(reference: Node, _: View) -> Values | None:
    """A held invoice gives its number: an object of the scheme AFL (BT-128)."""
    return None if _text(_numbers(reference.up(1))) else BROKEN


@joint.rule("BR-FR-MV-03_BT-128_AVV", "BT-128", at=_WHOLE, kind=Kind.PRESENCE)
@only_if(is_joint)
def held_process_is_given(reference: Node, _: View) -> Values | None:
    """A held invoice gives its process, not again that of several sellers (BT-128, AVV)."""
    found = _objects(reference.up(1), codes.PROCESS_OF_LINE)
    process = _text(found)
    again = any(each.text in codes.SEVERAL_SELLERS for each in found)
    return None if process and not again else {"text": process[:80]}


def _parts(document: Node, parents: list[str], is_part: Callable[[list[str]], bool]) -> list[Node]:
    """The lines below one of these that say of themselves what is asked for."""
    return [
        line
        for line in _lines(document)
        for reference in _own(line, document)
        if is_part(reference.texts(_STATUS)) and set(parents).intersection(reference.texts(_PARENT))
    ]


def _is_counted(statuses: list[str]) -> bool:
    return any(each != codes.INFORMATION for each in statuses)


@joint.rule("BR-FR-MV-05_EXT-FR-FE-BG-12", "BT-131", at=_WHOLE, kind=Kind.SUM, path=_NET)
@only_if(is_joint)
def held_lines_add_up(reference: Node, view: View) -> Values | None:
    """The net amount of a held invoice is the sum of its lines, to a cent for each."""
    line = reference.up(1)
    parts = _parts(view.root, [normalized(line.text_of("cbc:ID"))], _is_counted)
    amounts = [each for part in dict.fromkeys(parts) for each in part.all(_NET)]
    total = parse_double(line.text_of(_NET))
    sums = Sums(total, sum(map(double_of, amounts)), 0.01 * len(amounts))
    return None if is_close(sums) else sums.values


def _parents(line: Node, document: Node) -> list[str]:
    return [text for each in _own(line, document) for text in each.texts(_PARENT)]


def _agrees_with_parent(of: Callable[[Node], list[Node]]) -> Check:
    """The check that a line gives what `of` finds, the same as the line above it."""

    @only_if(is_joint)
    def check(line: Node, view: View) -> Values | None:
        found = _text(of(line))
        if not found:
            return {"text": ""}
        parents = _parents(line, view.root)
        above = [
            each for each in _lines(view.root) if set(parents).intersection(each.texts("cbc:ID"))
        ]
        same = not parents or found == _text([node for each in above for node in of(each)])
        return None if same else {"text": found[:80]}

    return check  # fmt: skip


joint.add(
    "BR-FR-MV-06_EXT-FR-FE-167",
    "",
    _LINE,
    _agrees_with_parent(lambda line: list(line.all(_SELLER_ID))),
    "Each line of a joint invoice names its seller, the one of the line above it",
)
joint.add(
    "BR-FR-MV-07_BT-128", "BT-128", _LINE, _agrees_with_parent(_numbers),
    "Each line of a joint invoice gives the number of its invoice, that of the line above it",
)  # fmt: skip


def _is_detail(line: Node, view: View) -> bool:
    return any(codes.DETAIL in each.texts(_STATUS) for each in _own(line, view.root))


@joint.rule("BR-FR-MV-08_BT-128", "BT-128", kind=Kind.FORMAT, path=_REASON,
            at=Pattern().context(*_ROOT_LINES, when=_is_detail))  # fmt: skip
@only_if(is_joint)
def exemption_begins_with_the_number(line: Node, _: View) -> Values | None:
    """The exemption reason of a detail begins with #the number of its invoice#."""
    number, reason = _text(_numbers(line)), line.text_of(_REASON)
    holds = normalized(reason) and number and reason.startswith(f"#{number}#")
    return None if holds else {"text": reason[:80]}


@joint.rule("BR-FR-MV-09_EXT-FR-FE-181", "BT-117", at=_WHOLE, kind=Kind.SUM)
@only_if(is_joint)
def held_vat_adds_up(reference: Node, view: View) -> Values | None:
    """The VAT of a held invoice is the sum of the VAT groups that name it."""
    line = reference.up(1)
    mark = f"#{_text(_numbers(line))}#"
    groups = [each for each in view.root.all("cac:TaxTotal/cac:TaxSubtotal") if _names(each, mark)]
    amounts = [amount for each in groups for amount in each.all("cbc:TaxAmount")]
    taxes = single_text(_taxes(line, view.root.texts("cbc:DocumentCurrencyCode")))
    sums = Sums(parse_double(taxes), sum(map(double_of, amounts)), 0.01)
    return None if is_close(sums) else sums.values


def _names(group: Node, mark: str) -> bool:
    """Whether a VAT group is of VAT, and its exemption reason begins with the mark."""
    is_vat = "VAT" in group.texts("cac:TaxCategory/cac:TaxScheme/cbc:ID")
    return is_vat and group.text_of("cac:TaxCategory/cbc:TaxExemptionReason").startswith(mark)


_GROSS = "cbc:TaxInclusiveLineExtensionAmount"


@joint.rule("BR-FR-MV-10_EXT-FR-FE-184", "", at=_WHOLE, kind=Kind.SUM, path=_GROSS)
@only_if(is_joint)
def held_total_adds_up(reference: Node, view: View) -> Values | None:
    """The total of a held invoice is its net amount and its VAT, to a cent for each line."""
    line = reference.up(1)
    if not line.has(_GROSS):
        return None
    count = len(_parts(view.root, line.texts("cbc:ID"), lambda found: codes.DETAIL in found))
    gross, net = parse_double(line.text_of(_GROSS)), parse_double(line.text_of(_NET))
    taxes = single_text(_taxes(line, view.root.texts("cbc:DocumentCurrencyCode")))
    vat = parse_double(taxes)
    expected = None if net is None or vat is None else net + vat
    sums = Sums(gross, expected, 0.01 * count)
    return None if is_close(sums) else sums.values


def _is_whole_of_seller(reference: Node, view: View) -> bool:
    seller = view.root.texts(f"cac:AccountingSupplierParty/{_LEGAL}")
    return _is_own_whole(reference, view) and _text(list(reference.up(1).all(_SELLER_ID))) in seller


@joint.rule("BR-FR-MV-11_BT-128", "BT-128 BT-1", kind=Kind.OTHER,
            at=Pattern().context(*(f"{line}/cac:BillingReference" for line in _ROOT_LINES),
                                 when=_is_whole_of_seller))  # fmt: skip
@only_if(is_joint)
def seller_s_own_number_is_the_invoice_s(reference: Node, view: View) -> Values | None:
    """Where the seller's part is one of the held invoices, one of them has the number (BT-1)."""
    document = view.root
    number = document.text_of("cbc:ID")
    held = _text(_numbers(reference.up(1)))
    count = _named_as_the_invoice(document)
    holds = count == 1 or (count == 0 and held == number) or (count > 1 and held != number)
    return None if holds else {"text": held[:80]}


def _named_as_the_invoice(document: Node) -> int:
    """How many lines are held invoices of the seller with the number of the document."""
    numbers = set(document.texts("cbc:ID"))
    sellers = document.texts(f"cac:AccountingSupplierParty/{_LEGAL}")
    lines = {
        line for line, _ in _wholes(document) if _text(list(line.all(_SELLER_ID))) in sellers
    }  # fmt: skip
    return sum(any(each.text in numbers for each in _numbers(line)) for line in lines)


@joint.rule("BR-FR-MV-12_BT-128", "BT-128", at=_DOCUMENT, kind=Kind.CARDINALITY)
@only_if(is_joint)
def held_numbers_differ(document: Node, _: View) -> Values | None:
    """The numbers of the held invoices are those of no line before them."""
    wholes = {line for line, _ in _wholes(document)}
    seen: set[str] = set()
    for line in _lines(document):
        numbers = [each.text for each in _numbers(line)]
        if line in wholes and seen.intersection(numbers):
            return {"text": numbers[0][:80]}
        seen.update(numbers)
    return None


def _type_is(self_billed: bool, found: str) -> bool:
    return bool(found) and (found in codes.SELF_BILLED) is self_billed


@joint.rule("BR-FR-MV-13_BT-3", "BT-3", at=_TYPE, kind=Kind.CODE_LIST)
@only_if(has_several_sellers)
def several_sellers_are_not_self_billed(code: Node, _: View) -> Values | None:
    """An invoice of several sellers (BT-23) is not self-billed (BT-3)."""
    found = normalized(code.text)
    return None if _type_is(False, found) else {"code": found}


@joint.rule("BR-FR-MV-BD_BT-3", "BT-3", at=_TYPE, kind=Kind.CODE_LIST)
@only_if(has_both_sides)
def both_sides_are_self_billed(code: Node, _: View) -> Values | None:
    """An invoice of both sides (BT-23) is self-billed (BT-3)."""
    found = normalized(code.text)
    return None if _type_is(True, found) else {"code": found}


def _typed(allowed: frozenset[str]) -> Callable[[Node, View], bool]:
    def matches(reference: Node, view: View) -> bool:
        types = [
            *view.root.texts("cbc:InvoiceTypeCode"),
            *view.root.texts("cbc:CreditNoteTypeCode"),
        ]
        return any(each in allowed for each in types) and _is_own_whole(reference, view)

    return matches  # fmt: skip


def _names_an_earlier(path: str, condition: Callable[[View], bool]) -> Check:
    @only_if(condition)
    def check(reference: Node, view: View) -> Values | None:
        others = _other(reference.up(1), view.root)
        return None if any(each.has(path) for each in others) else BROKEN

    return check


for _rule, _codes, _condition in (
    ("MV", frozenset(["384", "472", "381", "396", "503"]), has_several_sellers),
    ("BD", frozenset(["261", "471", "473", "502"]), has_both_sides),
):
    _at = Pattern().context(
        *(f"{line}/cac:BillingReference" for line in _ROOT_LINES), when=_typed(_codes)
    )
    for _field, _path, _what in (("136", "cbc:ID", "number"), ("138", "cbc:IssueDate", "date")):
        joint.add(
            f"BR-FR-{_rule}-14-EXT-FR-FE-{_field}", "", _at,
            _names_an_earlier(f"cac:InvoiceDocumentReference/{_path}", _condition),
            f"A held credit note or corrective invoice gives the {_what} of the earlier invoice",
            kind=Kind.PRESENCE,
        )  # fmt: skip
