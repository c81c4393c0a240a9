"""Invoice → FA(3). The functions have the order of the document.

The model is that of EN 16931, so an invoice has a place as docs/ksef.md describes; what has none is
a fault. A credit note is a correction (KOR) whose amounts are negative.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Final

from einvoice.domain.errors import FieldError
from einvoice.domain.invoice import DocumentKind, Invoice, PrecedingInvoice
from einvoice.domain.money import ZERO
from einvoice_ksef import numbers
from einvoice_ksef.fa3 import advances, terms, write_lines, write_parties, write_payment, write_sums
from einvoice_ksef.fa3.elements import Elements
from einvoice_ksef.fa3.write_sums import VatSums

ADVANCE, CORRECTED, DEBIT_NOTE = "386", "384", "383"
CORRECTION: Final = "KOR"
# Type codes (BT-3) → RodzajFaktury. Self-billed ones have P_17.
KINDS: Final = {
    "380": "VAT",
    "389": "VAT",
    ADVANCE: "ZAL",
    CORRECTED: CORRECTION,
    "381": CORRECTION,
    "261": CORRECTION,
}
CASH_ACCOUNTING: Final = "432"  # BT-8: the VAT is due on the day of payment
SPLIT_PAYMENT: Final = "mechanizm podzielonej płatności"
REASON: Final = "ACD"  # BT-21: the note is a reason
MAX_FOOTERS: Final = 3
_FIRST_DAY: Final = date(2025, 9, 1)  # of DataWytworzeniaFa
_NOTHING_NEW: Final = "<NoweSrodkiTransportu><P_22N>1</P_22N></NoweSrodkiTransportu>"


def document_of(invoice: Invoice) -> tuple[bytes, list[FieldError]]:
    """The document, and what of the invoice has no place in it: then it is incomplete."""
    writer = _Document(invoice)
    return writer.document(), writer.to.faults


class _Document:
    """One invoice while it is written.

    sign  -1 for a credit note, whose amounts are positive in EN 16931 and negative here
    """

    def __init__(self, invoice: Invoice) -> None:
        self.invoice, self.to = invoice, Elements()
        self.sign = -1 if invoice.kind is DocumentKind.CREDIT_NOTE else 1
        self.kind = advances.SETTLING if advances.settled(invoice) else KINDS.get(invoice.type_code)
        self.sums = VatSums.of(invoice, self.to)

    def document(self) -> bytes:
        self._header()
        write_parties.seller(self.to, self.invoice)
        write_parties.buyer(self.to, self.invoice.buyer)
        write_parties.others(self.to, self.invoice)
        with self.to.group("Fa"):
            self._invoice()
        self._footer()
        return self.to.finished()

    def _header(self) -> None:
        day = max(self.invoice.issue_date, _FIRST_DAY)
        self.to.raw(
            '<Naglowek><KodFormularza kodSystemowy="FA (3)" wersjaSchemy="1-0E">FA</KodFormularza>'
            f"<WariantFormularza>3</WariantFormularza><DataWytworzeniaFa>{day}T00:00:00Z"
            "</DataWytworzeniaFa><SystemInfo>einvoice</SystemInfo></Naglowek>"
        )

    def _invoice(self) -> None:
        to, invoice = self.to, self.invoice
        to.add("KodWaluty", invoice.currency, "currency")
        to.add("P_1", invoice.issue_date, "issueDate")
        to.add("P_2", invoice.number, "number")
        to.add("WZ", invoice.despatch_advice, "despatchReference")
        self._delivery()
        write_sums.sums(to, self.sums, self.sign)
        total = invoice.totals.tax_inclusive - advances.paid(invoice)
        to.add("P_15", self.sign * total, "totals/grandTotal")
        if self.kind == "ZAL":
            to.add("KursWalutyZ", write_lines.rate_of_exchange(invoice), "exchangeRate")
        self._annotations()
        self._kind()
        self._descriptions()
        self._advances()
        if self.kind == "ZAL":
            self._payment()
            write_lines.order(to, invoice, self.sums)
        else:
            write_lines.lines(to, invoice, self.sums, self.sign)
            self._payment()

    def _payment(self) -> None:
        totals = self.invoice.totals
        prepaid = (totals.prepaid or ZERO) - advances.paid(self.invoice)
        write_payment.settlement(self.to, replace(totals, prepaid=prepaid), self.sign)
        write_payment.payment(self.to, self.invoice)
        write_payment.conditions(self.to, self.invoice)

    def _delivery(self) -> None:
        """The day of delivery or of the tax point, or the period: FA(3) has one of them."""
        to, invoice, period = self.to, self.invoice, self.invoice.period
        delivered = invoice.delivery.date if invoice.delivery else None
        days = {day for day in (delivered, invoice.tax_point) if day}
        if len(days) > 1:
            words = "differs from the delivery date; FA(3) has one date for both (P_6)"
            to.refuse("taxPointDate", "no-place", words)
        elif period is None:
            to.add("P_6", next(iter(days), None), "deliveryDate")
        elif period.start is None or period.end is None:
            to.refuse("period", "required", "has two days in FA(3): startDate and endDate")
        elif days - {period.start, period.end}:
            words = "is given beside a delivery date; FA(3) has either of them (P_6 or OkresFa)"
            to.refuse("period", "no-place", words)
        else:
            with to.group("OkresFa"):
                to.add("P_6_Od", period.start, "period/startDate")
                to.add("P_6_Do", period.end, "period/endDate")

    def _annotations(self) -> None:
        to, invoice = self.to, self.invoice
        with to.group("Adnotacje"):
            to.add("P_16", _yes(invoice.tax_point_code == CASH_ACCOUNTING))
            to.add("P_17", _yes(invoice.document_kind.is_self_billed))
            to.add("P_18", _yes(any(tax.category.code == "AE" for tax in invoice.taxes)))
            notes = " ".join(text for _, text in invoice.notes).lower()
            to.add("P_18A", _yes(SPLIT_PAYMENT in notes))
            write_sums.exemption(to, self.sums)
            to.raw(_NOTHING_NEW)
            to.add("P_23", 2)
            write_sums.margin(to, self.sums)

    def _kind(self) -> None:
        to = self.to
        if self.kind is None:
            to.refuse("type", "unknown-code", _no_kind(self.invoice.type_code))
            return
        to.add("RodzajFaktury", self.kind)
        if self.kind == "KOR":
            self._correction()

    def _correction(self) -> None:
        to = self.to
        reason = next((text for code, text in self.invoice.notes if code == REASON), None)
        to.add("PrzyczynaKorekty", reason, "note")
        corrected = [each for each in self.invoice.preceding if not _is_advance(each)]
        if not corrected:
            words = "is required: a correction names the invoice that it corrects"
            to.refuse("precedingInvoice", "required", words)
        for preceding in corrected:
            with to.group("DaneFaKorygowanej"):
                if preceding.issue_date is None:
                    words = "is required: FA(3) has the date of the corrected invoice"
                    to.refuse("precedingInvoice/issueDate", "required", words)
                issued = preceding.issue_date
                to.add("DataWystFaKorygowanej", issued, "precedingInvoice/issueDate")
                to.add("NrFaKorygowanej", preceding.number, "precedingInvoice/number")
                _add_ksef_number(to, preceding.authority_number)

    def _descriptions(self) -> None:
        invoice, to = self.invoice, self.to
        for term in terms.divided((*terms.of_invoice(invoice), *self._further_notes())):
            with to.group("DodatkowyOpis"):
                to.add("NrWiersza", term.line)
                to.add("Klucz", term.key, term.field)
                to.add("Wartosc", term.text, term.field)

    def _advances(self) -> None:
        """The invoices of advances: of a correction those that have a KSeF number and no day."""
        if self.kind == CORRECTION:
            found = [each.number for each in self.invoice.preceding if _is_advance(each)]
        else:
            found = list(advances.names(self.invoice))
            advances.check(self.to, self.invoice)
        if len(found) > advances.MAX_ADVANCES:
            words = f"are {len(found)} invoices of advances; FA(3) takes {advances.MAX_ADVANCES}"
            self.to.refuse("precedingInvoices", "too-many", words)
        for number in found:
            advances.add(self.to, number)

    def _notes(self) -> list[str]:
        """The notes as text, with the subject code in front; without the reason of a correction."""
        kept = (note for note in self.invoice.notes if self.kind != "KOR" or note[0] != REASON)
        return [f"#{code}#{text}" if code else text for code, text in kept]

    def _further_notes(self) -> list[terms.Term]:
        further = self._notes()[self._places_for_notes() :]
        return [terms.Term(terms.NOTE, text, "note") for text in further]

    def _places_for_notes(self) -> int:
        return MAX_FOOTERS - (self.invoice.seller.legal_form is not None)

    def _footer(self) -> None:
        to, seller = self.to, self.invoice.seller
        texts = self._notes()[: self._places_for_notes()]
        register = seller.legal_id.value if seller.legal_id else None
        if register == terms.nip_of(seller) or not terms.is_registered(seller, terms.SELLER):
            register = None
        if not (texts or seller.legal_form or register):
            return
        with to.group("Stopka"):
            for text in (*texts, *filter(None, [seller.legal_form])):
                with to.group("Informacje"):
                    to.add("StopkaFaktury", text, "note")
            if register:
                with to.group("Rejestry"):
                    to.add("KRS" if len(register) == 10 else "REGON", register)


def _no_kind(type_code: str) -> str:
    if type_code == DEBIT_NOTE:
        return (
            f"is {DEBIT_NOTE}; a debit note is a correction in Poland: send a corrected invoice "
            f"({CORRECTED}) with the differences"
        )
    return f"is {type_code}; FA(3) has {', '.join(KINDS)} (BT-3)"


def _add_ksef_number(to: Elements, number: str | None) -> None:
    """The KSeF number of a corrected invoice, or that it was issued outside of KSeF."""
    if number is None:
        to.add("NrKSeFN", 1)
    else:
        to.add("NrKSeF", 1)
        to.add("NrKSeFFaKorygowanej", number, "precedingInvoice/authorityNumber")


def _is_advance(preceding: PrecedingInvoice) -> bool:
    return preceding.issue_date is None and numbers.is_number(preceding.number)


def _yes(condition: bool) -> int:
    """1 for yes, 2 for no."""
    return 1 if condition else 2
