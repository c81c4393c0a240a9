"""Danish sellers, in UBL: register numbers, and the giro and card types of Danish payments.

Most rules want both parties to be Danish, by their addresses as written.
"""

from __future__ import annotations

import re

from einvoice.rules.book import BROKEN, Chapter, Kind, Layer, Pattern, Values
from einvoice.rules.evaluation_errors import both, either
from einvoice.rules.national.countries import buyer_address, seller_address
from einvoice.rules.node import Node
from einvoice.rules.values import normalized, parse_double
from einvoice.rules.view import View

denmark = Chapter(Layer.PEPPOL_UBL)

CVR = "0184"  # the scheme of Danish business registrations
UNSPSC_VERSIONS = ("19.05.01", "19.0501", "26.08.01", "26.0801")
_MEANS = " 1 10 31 42 48 49 50 58 59 93 97 "
_GIRO_ACCOUNT = re.compile(r"[0-9]{7,8}")
_SELLER = "cac:AccountingSupplierParty/cac:Party"
_BUYER = "cac:AccountingCustomerParty/cac:Party"
_ROOTS = ("ubl:Invoice", "cn:CreditNote")


def _danish(view: View) -> bool:
    return view.once(seller_address) == "DK"


def _danish_buyer(_: Node, view: View) -> bool:
    return view.once(buyer_address) == "DK"


def _below(*paths: str) -> list[str]:
    return [f"{root}/{path}" for root in _ROOTS for path in paths]


_pattern = Pattern(_danish)
DOCUMENT = _pattern.context(*_ROOTS)
PARTY_ID = _pattern.context(
    *_below(f"{_SELLER}/cac:PartyIdentification", f"{_BUYER}/cac:PartyIdentification"),
    when=_danish_buyer,
)
PAYMENT_MEANS = _pattern.context("ubl:Invoice/cac:PaymentMeans", when=_danish_buyer)
BUYER = _pattern.context(*_below(_BUYER), when=_danish_buyer)
LINE = _pattern.context(
    "cn:CreditNote/cac:CreditNoteLine", "ubl:Invoice/cac:InvoiceLine", when=_danish_buyer
)
ALLOWANCE = _pattern.context("cac:AllowanceCharge", when=_danish_buyer)


@denmark.rule("DK-R-002", "BT-30", at=DOCUMENT, kind=Kind.PRESENCE,
              path=f"{_SELLER}/cac:PartyLegalEntity/cbc:CompanyID")  # fmt: skip
def seller_gives_its_cvr(invoice: Node, view: View) -> Values | None:
    """A Danish seller gives its CVR number."""
    number = view.text_node(invoice, f"{_SELLER}/cac:PartyLegalEntity/cbc:CompanyID")
    return None if normalized(number) else BROKEN


def _is_cvr(party: Node, path: str) -> Values | None:
    if not party.has(path):
        return None
    scheme = normalized(party.attribute_of(path, "schemeID"))
    return None if scheme == CVR else {"code": scheme, "expected": CVR}


@denmark.rule("DK-R-014", "BT-30-1", at=DOCUMENT, kind=Kind.CODE_LIST)
def seller_number_is_a_cvr(invoice: Node, _: View) -> Values | None:
    """The registration of a Danish seller is a CVR number, scheme 0184."""
    return _is_cvr(invoice, f"{_SELLER}/cac:PartyLegalEntity/cbc:CompanyID")


@denmark.rule("DK-R-017", "BT-47-1", at=BUYER, kind=Kind.CODE_LIST)
def buyer_number_is_a_cvr(buyer: Node, _: View) -> Values | None:
    """The registration of a Danish buyer is a CVR number, scheme 0184."""
    return _is_cvr(buyer, "cac:PartyLegalEntity/cbc:CompanyID")


@denmark.rule("DK-R-016", "BT-115", at=DOCUMENT)
def credit_note_is_not_negative(credit_note: Node, view: View) -> Values | None:
    """A Danish credit note is not negative: what is credited is a positive amount."""
    if view.root.name != "cn:CreditNote":
        return None
    path = "cac:LegalMonetaryTotal/cbc:PayableAmount"
    broken = both(
        lambda: view.once(buyer_address) == "DK",
        lambda: (parse_double(view.text_node(credit_note, path)) or 0) < 0,
    )
    return {"amount": credit_note.texts(path)[0]} if broken else None


@denmark.rule("DK-R-013", "BT-29 BT-46", at=PARTY_ID, kind=Kind.PRESENCE, path="@schemeID")
def party_id_has_a_scheme(identification: Node, _: View) -> Values | None:
    """An identifier of a Danish party says which register it is of."""
    if not identification.has("cbc:ID"):
        return None
    return None if normalized(identification.attribute_of("cbc:ID", "schemeID")) else BROKEN


@denmark.rule("DK-R-005", "BT-81", at=PAYMENT_MEANS, kind=Kind.CODE_LIST)
def means_is_danish(means: Node, _: View) -> Values | None:
    """Between Danish parties only the usual means of payment are used."""
    code = means.text_of("cbc:PaymentMeansCode")
    return None if f" {code} " in _MEANS else {"code": code, "codes": _MEANS.split()}


@denmark.rule("DK-R-006", "BT-84 BT-86", at=PAYMENT_MEANS, kind=Kind.PRESENCE)
def transfer_names_the_account(means: Node, view: View) -> Values | None:
    """Means 31 and 42 come with an account and the registration number of its bank."""
    if not _is(means, "31", "42"):
        return None
    account = "cac:PayeeFinancialAccount"
    return _filled(means, view, f"{account}/cbc:ID",
                   f"{account}/cac:FinancialInstitutionBranch/cbc:ID")  # fmt: skip


@denmark.rule("DK-R-007", "BT-89 BT-91", at=PAYMENT_MEANS, kind=Kind.PRESENCE)
def debit_names_mandate_and_account(means: Node, view: View) -> Values | None:
    """Means 49 comes with the mandate and the account that is debited."""
    if not _is(means, "49"):
        return None
    mandate = "cac:PaymentMandate"
    return _filled(means, view, f"{mandate}/cbc:ID",
                   f"{mandate}/cac:PayerFinancialAccount/cbc:ID")  # fmt: skip


@denmark.rule("DK-R-008", "BT-83 BT-84", at=PAYMENT_MEANS, kind=Kind.FORMAT)
def giro_has_a_card_and_an_account(means: Node, _: View) -> Values | None:
    """Means 50 comes with a reference of card 01, 04 or 15 and an account of 7 or 8 digits."""
    if not _is(means, "50"):
        return None
    account = "cac:PayeeFinancialAccount/cbc:ID"
    good = both(
        lambda: _card(means) in ("01#", "04#", "15#"),
        lambda: _GIRO_ACCOUNT.fullmatch(means.text_of(account)) is not None,
    )
    return None if good else {"reference": " ".join(means.texts("cbc:PaymentID"))}


@denmark.rule("DK-R-009", "BT-83", at=PAYMENT_MEANS, kind=Kind.FORMAT)
def giro_reference_has_sixteen_digits(means: Node, _: View) -> Values | None:
    """With means 50, a reference of card 04 or 15 has 16 characters behind its mark."""
    if not _is(means, "50") or _card(means) not in ("04#", "15#"):
        return None
    reference = means.text_of("cbc:PaymentID")
    return None if len(reference) == 19 else {"reference": reference}


@denmark.rule("DK-R-010", "BT-83 BT-84", at=PAYMENT_MEANS, kind=Kind.FORMAT)
def fik_has_a_card_and_a_creditor(means: Node, view: View) -> Values | None:
    """Means 93 comes with a reference of card 71, 73 or 75 and a creditor of 8 characters."""
    if not _is(means, "93"):
        return None
    good = both(
        lambda: _card(means) in ("71#", "73#", "75#"),
        lambda: len(view.text_node(means, "cac:PayeeFinancialAccount/cbc:ID")) == 8,
    )
    return None if good else {"reference": " ".join(means.texts("cbc:PaymentID"))}


@denmark.rule("DK-R-011", "BT-83", at=PAYMENT_MEANS, kind=Kind.FORMAT)
def fik_reference_is_long_enough(means: Node, _: View) -> Values | None:
    """With means 93, a reference of card 71 or 75 has 15 or 16 characters behind its mark."""
    if not _is(means, "93") or _card(means) not in ("71#", "75#"):
        return None
    reference = means.text_of("cbc:PaymentID")
    return None if len(reference) in (18, 19) else {"reference": reference}


def _is(means: Node, *codes: str) -> bool:
    return any(code in codes for code in means.texts("cbc:PaymentMeansCode"))


def _card(means: Node) -> str:
    """The card type and its mark, with which a Danish payment reference begins."""
    return means.text_of("cbc:PaymentID")[:3]


def _filled(means: Node, view: View, one: str, other: str) -> Values | None:
    good = both(
        lambda: normalized(view.text_node(means, one)) != "",
        lambda: normalized(view.text_node(means, other)) != "",
    )
    return None if good else {"paths": [one, other]}


@denmark.rule("DK-R-003", "BT-158", at=LINE, kind=Kind.CODE_LIST,
              present=("cac:Item/cac:CommodityClassification/cbc:ItemClassificationCode/@listID",),
              path="@listVersionID")  # fmt: skip
def unspsc_version_is_known(line: Node, _: View) -> Values | None:
    """An item classified by UNSPSC (TST) says by which of the two versions."""
    path = "cac:Item/cac:CommodityClassification/cbc:ItemClassificationCode"
    if "TST" not in line.attributes_at(path, "listID"):
        return None
    versions = line.attributes_at(path, "listVersionID")
    if any(version in UNSPSC_VERSIONS for version in versions):
        return None
    return {"code": " ".join(versions), "codes": list(UNSPSC_VERSIONS)}


@denmark.rule("DK-R-004", "BT-97 BT-98 BT-104 BT-105", at=ALLOWANCE, kind=Kind.FORMAT,
              present=("cbc:AllowanceChargeReasonCode",),
              path="cbc:AllowanceChargeReason")  # fmt: skip
def duty_is_named(allowance: Node, view: View) -> Values | None:
    """With code ZZZ the reason is a duty: its four digits, or its parts with # between them."""
    if "ZZZ" not in allowance.texts("cbc:AllowanceChargeReasonCode"):
        return None
    reason = "cbc:AllowanceChargeReason"

    def is_number() -> bool:
        number = parse_double(allowance.text_of(reason))
        return number is not None and 0 <= number <= 9999

    def is_parted() -> bool:
        text = allowance.text_of(reason)
        return "#" in text and not text.startswith("#") and not text.endswith("#")

    def is_short() -> bool:
        return len(normalized(view.text_node(allowance, reason))) == 4

    good = either(lambda: both(is_short, is_number), is_parted)
    return None if good else {"text": allowance.text_of(reason)}
