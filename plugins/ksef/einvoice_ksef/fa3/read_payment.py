"""Payment and totals of FA(3) as those of EN 16931."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Final

from einvoice.documents.tree import Node
from einvoice.domain.invoice import CreditTransfer, PaymentMeans, Totals
from einvoice.domain.money import ZERO
from einvoice_ksef.fa3 import terms, units
from einvoice_ksef.fa3.read_lines import VatLines
from einvoice_ksef.fa3.read_terms import Described
from einvoice_ksef.fa3.tags import fa
from einvoice_ksef.fa3.write_payment import ROUNDING

_TRANSFER: Final = "30"
_MAX_ROUNDING: Final = Decimal(1)


@dataclass(frozen=True, slots=True)
class Payment:
    due_date: date | None = None
    terms: str | None = None
    means: tuple[PaymentMeans, ...] = ()


def payment(body: Node, described: Described) -> Payment:
    """When and how it is to be paid."""
    node = body.one(fa.Platnosc)
    if node is None:
        return Payment()
    days = [day for each in node.all(fa.TerminPlatnosci) if (day := each.day(fa.Termin))]
    words = "; ".join(_terms(node, days)) or None
    return Payment(days[0] if days else None, words, tuple(_means(node, described)))


def _terms(node: Node, days: list[date]) -> Iterator[str]:
    """The terms beside the first day: further days, a time from an event, a discount."""
    if len(days) > 1:
        yield "Terminy płatności: " + ", ".join(day.isoformat() for day in days)
    for each in node.all(fa.TerminPlatnosci):
        event = each.one(fa.TerminOpis)
        if event is not None:
            names = (fa.Ilosc, fa.Jednostka, fa.ZdarzeniePoczatkowe)
            yield " ".join(filter(None, (event.text(name) for name in names)))
    discount = node.one(fa.Skonto)
    if discount is not None:
        words = (discount.text(fa.WarunkiSkonta), discount.text(fa.WysokoscSkonta))
        yield "Skonto: " + ", ".join(filter(None, words))


def _means(node: Node, described: Described) -> Iterator[PaymentMeans]:
    accounts = [*node.all(fa.RachunekBankowy), *node.all(fa.RachunekBankowyFaktora)]
    form, words = node.text(fa.FormaPlatnosci), node.text(fa.OpisPlatnosci)
    if not (accounts or form or words):
        return
    code, text = _TRANSFER, None
    if form:
        code, text = units.payment_means(form)
    elif words:
        code, text = units.payment_code(words)
    own: dict[str, Any] = {name: described.document.get(key) for name, key in terms.PAYMENT.items()}
    yield PaymentMeans(code, text, transfers=tuple(map(_account, accounts)), **own)


def _account(node: Node) -> CreditTransfer:
    return CreditTransfer(node.need_text(fa.NrRB), node.text(fa.OpisRachunku), node.text(fa.SWIFT))


def totals(body: Node, found: VatLines, zloty: Decimal | None) -> Totals:
    """The totals; `zloty` is the VAT in PLN of an invoice in another currency.

    A gross total (P_15) that differs from the sums by its rounding is written as EN 16931 has it.
    """
    total = body.need_number(fa.P_15)
    prepaid, rounding = _settled(body)
    cents = total - found.net - found.tax
    if abs(cents) <= _MAX_ROUNDING:  # P_15 is often rounded
        total, rounding = total - cents, rounding + cents
    due = _due(body)
    if due is None:
        total_due = body.need_number(fa.P_15)
        paid = _paid(body, total_due)
        prepaid, due = paid if prepaid is None else prepaid, total_due - (paid or ZERO)
    return Totals(
        lines=sum((line.extension for line in found.lines), ZERO),
        tax_exclusive=found.net,
        tax_inclusive=total,
        payable=due,
        tax=found.tax,
        tax_in_accounting_currency=zloty,
        prepaid=prepaid or None,
        rounding=rounding or None,
    )


def _due(body: Node) -> Decimal | None:
    """The amount to be paid; negative, if it is one to be paid back."""
    settlement = body.one(fa.Rozliczenie)
    if settlement is None:
        return None
    due, back = settlement.number(fa.DoZaplaty), settlement.number(fa.DoRozliczenia)
    return -back if due is None and back is not None else due


def _settled(body: Node) -> tuple[Decimal | None, Decimal]:
    """The prepayments, with other deductions and additions; and the rounding."""
    settlement = body.one(fa.Rozliczenie)
    if settlement is None:
        return None, ZERO
    prepaid, rounding = ZERO, ZERO
    for name, sign in ((fa.Odliczenia, 1), (fa.Obciazenia, -1)):
        for entry in settlement.all(name):
            amount = sign * entry.need_number(fa.Kwota)
            if entry.text(fa.Powod) == ROUNDING:
                rounding -= amount
            else:
                prepaid += amount
    return prepaid, rounding


def _paid(body: Node, total: Decimal) -> Decimal | None:
    """The paid amounts that the payment names: all of it, or parts."""
    node = body.one(fa.Platnosc)
    if node is None:
        return None
    if node.text(fa.Zaplacono) == "1":
        return total
    parts = [each.need_number(fa.KwotaZaplatyCzesciowej) for each in node.all(fa.ZaplataCzesciowa)]
    return sum(parts, ZERO) if parts else None
