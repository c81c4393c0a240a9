"""FA(3) as the form of invoices: what has no place is refused, the rest is written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from einvoice.domain.errors import FieldError, InvalidField
from einvoice.domain.identifiers import DocumentTypeId, ProcessId
from einvoice.domain.invoice import DocumentKind, Invoice, Party
from einvoice.domain.profiles import Adapted, Profile, with_tax_ids
from einvoice.domain.request import SendWarning
from einvoice_ksef import numbers
from einvoice_ksef.fa3 import advances, left_out, terms, write_parties
from einvoice_ksef.fa3 import write as writer
from einvoice_ksef.fa3.elements import collapsed
from einvoice_ksef.fa3.printed import additions
from einvoice_ksef.fa3.read import read_document
from einvoice_ksef.fa3.rules import RULES
from einvoice_ksef.fa3.structure import NAMESPACE
from einvoice_ksef.fa3.write_lines import EXCHANGE_RATE

NETWORK: Final = "ksef"
SYNTAX: Final = "fa3"
DOCUMENT_TYPE: Final = DocumentTypeId("ksef-docid", f"{NAMESPACE}::Faktura##FA (3)::1-0E")
PROCESS: Final = ProcessId("ksef-procid", "clearance")
_REASON: Final = "correctionText"


def adapt(invoice: Invoice) -> Adapted:
    """The invoice with its numbers as KSeF shows them: white space is one space.

    Raises InvalidField for each field that has no place in FA(3).
    """
    invoice = _with_reason(invoice)
    faults = [*_attached(invoice), *writer.document_of(invoice)[1]]
    if faults:
        raise InvalidField(list(dict.fromkeys(faults)))
    shown = _with_tokens(invoice)
    kept = terms.other_number(shown.buyer) == shown.buyer.omitted_tax_id is not None
    warnings = (*_doubts(shown), *_of_buyer(shown.buyer), *left_out.warnings(shown))
    return Adapted(shown, warnings, with_tax_ids(*(["buyer"] if kept else [])))


def _with_reason(invoice: Invoice) -> Invoice:
    """A correction with the reason that the send gives in words as its note of a reason."""
    reason = (invoice.further or {}).get(_REASON)
    said = any(code == writer.REASON for code, _ in invoice.notes)
    if not reason or said or writer.KINDS.get(invoice.type_code) != writer.CORRECTION:
        return invoice
    return replace(invoice, notes=((writer.REASON, reason), *invoice.notes))


def _with_tokens(invoice: Invoice) -> Invoice:
    """The invoice whose numbers are tokens of XML Schema, as those of FA(3) are."""
    preceding = tuple(replace(each, number=collapsed(each.number)) for each in invoice.preceding)
    return replace(invoice, number=collapsed(invoice.number), preceding=preceding)


def _of_buyer(buyer: Party) -> Iterator[SendWarning]:
    """That the buyer has no number, for which KSeF would show it the invoice, or another one."""
    field, number = "invoice.buyer.taxId", buyer.omitted_tax_id
    if write_parties.is_unnumbered(buyer):
        why = f"The buyer's tax id {number} is no NIP" if number else "The buyer has no number"
        words = (
            f"{why}, so the invoice is written as one to a consumer (BrakID): KSeF does not show "
            "it to the buyer."
        )
        yield SendWarning("consumer-assumed", words, field)
    elif number and number == terms.other_number(buyer):
        words = f"The tax id is written as {number} (NrID), which is no VAT number."
        yield SendWarning("tax-id-as-company-id", words, field)


def _doubts(invoice: Invoice) -> Iterator[SendWarning]:
    """Findings about advances, corrections by law, and KSeF numbers that are missing or wrong."""
    if invoice.preceding and _is_over_the_whole(invoice):
        words = (
            "The preceding invoices are written as those of advances, and the VAT is that of the "
            "whole. If VAT was charged by them, send each in prepayments with its amounts: then "
            "the invoice has what is left after them (ROZ)."
        )
        yield SendWarning("advances-not-settled", words, "invoice.prepayments")
    if invoice.type_code == writer.CORRECTED:
        words = (
            "A corrected invoice (384) becomes a correction (KOR), whose amounts are the "
            "differences to the invoice that it corrects. Send the differences, not new amounts."
        )
        yield SendWarning("correction-has-differences", words, "invoice.totals")
    field = "invoice.precedingInvoice.authorityNumber"
    if writer.KINDS.get(invoice.type_code) != writer.CORRECTION:
        return
    for preceding in invoice.preceding:
        number = preceding.authority_number
        if number is None and preceding.issue_date:
            words = (
                f"The corrected invoice {preceding.number} is written as one that was issued "
                "outside of KSeF. If it is in KSeF, give its KSeF number."
            )
            yield SendWarning("ksef-number-missing", words, field)
        elif number is not None and not numbers.is_valid(number):
            words = f"The checksum of the KSeF number {number} is wrong."
            yield SendWarning("ksef-number-checksum-wrong", words, field)


def _is_over_the_whole(invoice: Invoice) -> bool:
    """Whether the document has the whole amounts: neither an advance, nor what is left after one,
    nor a correction."""
    return writer.KINDS.get(invoice.type_code) == "VAT" and not advances.settled(invoice)


def write(invoice: Invoice) -> bytes:
    """The FA(3) of an adapted invoice."""
    return writer.document_of(invoice)[0]


def _attached(invoice: Invoice) -> list[FieldError]:
    words = "has no place in FA(3): files cannot be attached; give their address in the note"
    return [
        FieldError(f"/invoice/attachments/{index}", "no-place", words)
        for index, document in enumerate(invoice.supporting)
        if document.attachment
    ]


PROFILE = Profile(
    name="ksef-fa3",
    network=NETWORK,
    rule_set=RULES.name,
    process=PROCESS,
    types={(kind, SYNTAX): DOCUMENT_TYPE for kind in DocumentKind},
    syntax=SYNTAX,
    write=write,
    adapt=adapt,
    read=read_document,
    additions=additions,
    numbered=True,
    terms=frozenset({_REASON, EXCHANGE_RATE, "prepayments"}),
)
