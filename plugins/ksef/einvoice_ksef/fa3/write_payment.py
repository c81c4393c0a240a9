"""Settlement, payment and conditions of FA(3): Rozliczenie, Platnosc, WarunkiTransakcji."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from einvoice.domain.invoice import Invoice, PaymentMeans, Totals
from einvoice.domain.money import ZERO
from einvoice_ksef.fa3 import units
from einvoice_ksef.fa3.elements import Elements

PREPAID: Final = "Zapłacono"
ROUNDING: Final = "Zaokrąglenie"


def settlement(to: Elements, totals: Totals, sign: int) -> None:
    """The changes of the total: the rounding, and prepayments."""
    prepaid, rounding = totals.prepaid or ZERO, totals.rounding or ZERO
    added = [(rounding, ROUNDING)] if rounding > 0 else []
    taken = [(-rounding, ROUNDING)] if rounding < 0 else []
    taken += [(prepaid, PREPAID)] if prepaid else []
    if not (added or taken):
        return
    with to.group("Rozliczenie"):
        _entries(to, "Obciazenia", "SumaObciazen", added, sign)
        _entries(to, "Odliczenia", "SumaOdliczen", taken, sign)
        to.add("DoZaplaty", sign * totals.payable, "totals/payableAmount")


def _entries(
    to: Elements, name: str, total: str, entries: list[tuple[Decimal, str]], sign: int
) -> None:
    for value, reason in entries:
        with to.group(name):
            to.add("Kwota", sign * value, "totals/prepaidAmount")
            to.add("Powod", reason)
    if entries:
        to.add(total, sign * sum((value for value, _ in entries), ZERO))


def payment(to: Elements, invoice: Invoice) -> None:
    """The day, the means and the accounts of the payment."""
    if not (invoice.due_date or invoice.payment):
        return
    if len({means.code for means in invoice.payment}) > 1:
        to.refuse("paymentMeans", "no-place", "has several methods; FA(3) has one (FormaPlatnosci)")
    with to.group("Platnosc"):
        if invoice.due_date:
            with to.group("TerminPlatnosci"):
                to.add("Termin", invoice.due_date, "dueDate")
        for means in invoice.payment[:1]:
            _means(to, means)
        for means in invoice.payment:
            _accounts(to, means)


def _means(to: Elements, means: PaymentMeans) -> None:
    form = units.payment_form(means.code)
    if form is not None:
        to.add("FormaPlatnosci", form)
        return
    to.add("PlatnoscInna", 1)
    to.add("OpisPlatnosci", units.payment_words(means.code, means.text), "paymentMeans/method")


def _accounts(to: Elements, means: PaymentMeans) -> None:
    for transfer in means.transfers:
        with to.group("RachunekBankowy"):
            to.add("NrRB", transfer.account, "paymentMeans/iban")
            to.add("SWIFT", transfer.bic, "paymentMeans/bic")
            to.add("OpisRachunku", transfer.account_name, "paymentMeans/accountName")


def conditions(to: Elements, invoice: Invoice) -> None:
    """Contract and order."""
    if not (invoice.contract or invoice.order):
        return
    with to.group("WarunkiTransakcji"):
        if invoice.contract:
            with to.group("Umowy"):
                to.add("NrUmowy", invoice.contract, "contractReference")
        if invoice.order:
            with to.group("Zamowienia"):
                to.add("NrZamowienia", invoice.order, "orderReference")
