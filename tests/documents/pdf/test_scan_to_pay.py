"""The QR code has all fields of a SEPA credit transfer, or is left out."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
import segno

from einvoice.documents.pdf.scan_to_pay import payment_code
from einvoice.domain.invoice import CreditTransfer, DocumentKind, Payee, PaymentMeans
from tests.documents.pdf.samples import TRANSFER, an_invoice


def code_of(*fields: str) -> str:
    """The SVG of an EPC069-12 code with these fields, made by segno alone."""
    made = segno.make_qr("\n".join(fields).encode(), error="m", boost_error=False)
    return made.svg_inline(border=0, scale=4)


def paying(**changes) -> PaymentMeans:
    return replace(TRANSFER, **changes)


@pytest.mark.parametrize(
    ("means", "reference"),
    [
        (TRANSFER, ("RF18539007547034",)),
        (paying(remittance="RF18 5390 0754 7034"), ("RF18539007547034",)),
        (paying(remittance="+++085/1927/54115+++"), ("", "+++085/1927/54115+++")),
        (paying(remittance=None), ("", "2026-0042")),
    ],
)
def test_the_code_has_the_fields_of_the_transfer(means, reference) -> None:
    """Account, name, amount, and the reference: structured where it is one (ISO 11649)."""
    expected = code_of(
        "BCD", "002", "1", "SCT", "GKCCBEBB", "Acme Manufacturing NV", "BE68539007547034",
        "EUR2201.89", "", *reference,
    )  # fmt: skip

    assert payment_code(an_invoice(payment=(means,))) == expected


def account(number: str, code: str = "30") -> tuple[PaymentMeans, ...]:
    return (PaymentMeans(code, transfers=(CreditTransfer(number),)),)


def owing(amount: str) -> dict[str, object]:
    return {"totals": replace(an_invoice().totals, payable=Decimal(amount))}


@pytest.mark.parametrize(
    ("changes", "there"),
    [
        ({}, True),
        ({"currency": "SEK"}, False),
        ({"kind": DocumentKind.CREDIT_NOTE}, False),
        (owing("0.01"), True),
        (owing("0.00"), False),
        (owing("-5.00"), False),
        (owing("999999999.99"), True),
        (owing("1000000000.00"), False),
        ({"payment": ()}, False),
        ({"payment": account("BE68539007547034")}, True),
        ({"payment": account("BE68 5390 0754 7034", "58")}, True),
        ({"payment": account("BE68539007547035")}, False),  # wrong check digits
        ({"payment": account("539-0075470-34")}, False),
        ({"payment": account("BE68539007547034", "49")}, False),  # a direct debit
        (
            {"payee": Payee("A factoring bank with a name that is far longer than seventy " * 2)},
            True,
        ),
    ],
)
def test_a_code_is_printed_only_for_a_payable_sepa_transfer(changes, there) -> None:
    assert (payment_code(an_invoice(**changes)) is not None) is there
