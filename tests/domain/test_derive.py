"""Decisions 17: header, dates, references and payment of a derived invoice, and the warnings."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from einvoice.domain.derive import derive
from einvoice.domain.errors import DeclaredTotalsMismatch
from einvoice.domain.identifiers import (
    BIS_BILLING_CUSTOMIZATION,
    BIS_BILLING_PROFILE,
    ParticipantId,
)
from einvoice.domain.invoice import Address, Delivery, DocumentKind, Routing
from einvoice.domain.request import SendDefaults
from einvoice.domain.totals import ComputedTotals

D = Decimal


def codes(derived):
    return [warning.code for warning in derived.warnings]


def warning(derived, code):
    return next(w for w in derived.warnings if w.code == code)


def test_the_header_is_that_of_bis_billing(derived):
    """Decisions 17.1."""
    invoice = derived(number="A-7", currency="SEK").invoice

    assert invoice.customization == BIS_BILLING_CUSTOMIZATION
    assert invoice.profile == BIS_BILLING_PROFILE
    assert (invoice.number, invoice.currency, invoice.type_code) == ("A-7", "SEK", "380")
    assert invoice.issue_date == date(2026, 11, 21)


@pytest.mark.parametrize(
    ("type_", "kind", "code"),
    [
        (None, DocumentKind.INVOICE, "380"),
        ("", DocumentKind.INVOICE, "380"),
        ("invoice", DocumentKind.INVOICE, "380"),
        ("creditNote", DocumentKind.CREDIT_NOTE, "381"),
    ],
)
def test_the_kind_decides_the_type_code(derived, type_, kind, code):
    invoice = derived(type=type_).invoice

    assert (invoice.kind, invoice.type_code) == (kind, code)


def test_a_credit_note_keeps_its_amounts_positive_and_names_what_it_credits(derived, a_line):
    """Decisions 19.15."""
    preceding = {"number": "INV-0", "issueDate": date(2026, 10, 1)}

    invoice = derived(a_line("1", "10", "0"), type="creditNote", precedingInvoice=preceding).invoice

    assert invoice.totals.payable == 10
    assert (invoice.preceding[0].number, invoice.preceding[0].issue_date) == (
        "INV-0",
        date(2026, 10, 1),
    )


def test_totals_are_checked_before_anything_is_derived(derived):
    """Decisions 17.13: the declared totals are compared first."""
    with pytest.raises(DeclaredTotalsMismatch):
        derived(totals={"subtotal": D(1)})


def test_computed_totals_replace_the_comparison_with_the_declared_ones(a_request):
    """Another totals rule, as of /v1, leaves its difference as rounding (BT-114)."""
    declared = {"subtotal": D(100), "taxAmount": D(21), "grandTotal": D("121.02")}
    request = a_request(totals=declared)
    computed = ComputedTotals((D(100),), (D(21),), (), D(100), D(21))
    parties = ParticipantId.parse("0208:0123456749"), ParticipantId.parse("0088:9520000000004")

    totals = derive(request, Routing(*parties), computed=computed).invoice.totals

    assert (totals.tax_inclusive, totals.rounding) == (D(121), D("0.02"))
    assert totals.payable == D("121.02")


@pytest.mark.parametrize(
    ("sent", "default", "buyer_reference", "order", "warned"),
    [
        ({"buyerReference": "B"}, None, "B", None, False),
        ({"orderReference": "O"}, None, None, "O", False),
        ({"buyerReference": "B", "orderReference": "O"}, "C", "B", "O", False),
        ({"orderReference": "O"}, "C", None, "O", False),
        ({}, "C", "C", None, False),
        ({}, None, "INV-1", None, True),
        ({"buyerReference": "", "orderReference": ""}, None, "INV-1", None, True),
        ({"salesOrderReference": "S"}, "C", "C", "NA", False),
        ({"salesOrderReference": "S", "orderReference": "O"}, None, None, "O", False),
    ],
)
def test_references_are_never_copied_into_one_another(
    derived, sent, default, buyer_reference, order, warned
):
    """Decisions 17.8."""
    result = derived(defaults=SendDefaults(buyer_reference=default), **sent)

    assert result.invoice.buyer_reference == buyer_reference
    assert result.invoice.order == order
    assert result.invoice.sales_order == sent.get("salesOrderReference")
    assert ("buyer-reference-defaulted" in codes(result)) is warned


@pytest.mark.parametrize(
    ("due", "terms", "expected"),
    [
        (date(2026, 12, 1), 30, date(2026, 12, 1)),
        (None, 30, date(2026, 12, 21)),
        (None, 0, date(2026, 11, 21)),
        (None, None, None),
        (None, 10_000_000, None),
    ],
)
def test_the_due_date_is_sent_or_follows_from_the_terms(derived, due, terms, expected):
    """Decisions 17.9; without either it is left out, with a warning."""
    result = derived(dueDate=due, defaults=SendDefaults(payment_terms_days=terms))

    assert result.invoice.due_date == expected
    assert ("due-date-missing" in codes(result)) is (expected is None)


def test_optional_texts_are_mapped(derived):
    """Decisions 18."""
    invoice = derived(
        contractReference="C",
        projectReference="P",
        despatchReference="D",
        note="Thank you",
        taxPointDate=date(2026, 11, 30),
        paymentTerms="30 days",
        accountingCost="4711",
        period={"startDate": date(2026, 11, 1), "endDate": date(2026, 11, 30)},
    ).invoice

    assert (invoice.contract, invoice.project, invoice.despatch_advice) == ("C", "P", "D")
    assert invoice.notes == ((None, "Thank you"),)
    assert invoice.tax_point == date(2026, 11, 30)
    assert (invoice.payment_terms, invoice.accounting_cost) == ("30 days", "4711")
    assert invoice.period is not None
    assert (invoice.period.start, invoice.period.end) == (date(2026, 11, 1), date(2026, 11, 30))


def test_empty_texts_are_left_out(derived):
    """Decisions 17.1, R008: no empty elements."""
    invoice = derived(
        note="", contractReference="", period={}, deliveryAddress={"city": ""}, paymentMeans={}
    ).invoice

    assert invoice.notes == ()
    assert invoice.contract is None
    assert invoice.period is None
    assert invoice.delivery is None
    assert invoice.payment == ()


def test_delivery_has_the_date_and_address_of_the_request(derived):
    place = {"line1": "Dock 4", "city": "Ghent", "countryCode": "BE"}

    delivery = derived(deliveryDate=date(2026, 11, 20), deliveryAddress=place).invoice.delivery

    assert delivery is not None
    assert delivery.date == date(2026, 11, 20)
    assert delivery.address == Address(line1="Dock 4", city="Ghent", country="BE")


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ({}, None),
        ({"deliveryAddress": {"city": ""}}, None),
        ({"deliveryDate": date(2026, 11, 18)}, Delivery(date=date(2026, 11, 18))),
        ({"deliveryAddress": {"city": "Gent"}}, Delivery(address=Address(city="Gent"))),
    ],
)
def test_delivery_has_a_date_an_address_or_both(derived, sent, expected):
    """The buyer's country is assumed for intra-community supply only."""
    assert derived(**sent).invoice.delivery == expected


def test_attachments_become_supporting_documents(derived):
    """Decisions 18; the file name is the reference (BT-122)."""
    attachment = {
        "filename": "hours.csv",
        "mimeType": "text/csv",
        "content": b"1,2",
        "description": "Hours",
    }

    [document] = derived(attachments=[attachment]).invoice.supporting

    assert (document.reference, document.description) == ("hours.csv", "Hours")
    assert document.attachment is not None
    assert document.attachment.content == b"1,2"
    assert document.attachment.mime_type == "text/csv"


OWN = SendDefaults(iban="BE68539007547034", bic="KREDBEBB", account_name="Seller NV")
DUTCH = {"name": "Verkoper BV", "taxId": "NL123456789B01", "address": {"countryCode": "NL"}}


@pytest.mark.parametrize(
    ("means", "defaults", "code", "account"),
    [
        ({"iban": "be68 5390 0754 7034"}, None, "30", "BE68539007547034"),
        ({"iban": "BE68539007547034", "method": "58"}, None, "58", "BE68539007547034"),
        ({"iban": "SE3550000000054910000003"}, OWN, "30", "SE3550000000054910000003"),
        (None, OWN, "30", "BE68539007547034"),
        ({"paymentReference": "R"}, OWN, "30", "BE68539007547034"),
        ({"method": "58"}, OWN, "58", "BE68539007547034"),
        ({"method": "10"}, OWN, "10", None),
        ({"method": "30"}, None, "30", None),
        ({"method": "48"}, None, "48", None),
        ({"paymentReference": "R"}, None, "1", None),
    ],
)
def test_payment_means_are_those_of_the_request_else_the_tenants_account(
    derived, means, defaults, code, account
):
    """Decisions 17.10."""
    [payment] = derived(paymentMeans=means, defaults=defaults).invoice.payment

    assert payment.code == code
    assert [transfer.account for transfer in payment.transfers] == ([account] if account else [])
    assert payment.remittance == (means or {}).get("paymentReference")


def test_bic_and_account_name_of_the_profile_apply_to_its_own_account_only(derived):
    [own] = derived(defaults=OWN).invoice.payment
    [sent] = derived(paymentMeans={"iban": "NL91ABNA0417164300"}, defaults=OWN).invoice.payment

    assert (own.transfers[0].bic, own.transfers[0].account_name) == ("KREDBEBB", "Seller NV")
    assert (sent.transfers[0].bic, sent.transfers[0].account_name) == (None, None)


def test_without_any_account_payment_is_left_out(derived):
    result = derived()

    assert result.invoice.payment == ()
    assert "payment-means-defaulted" not in codes(result)


@pytest.mark.parametrize(
    ("means", "unused"),
    [
        ({"bic": "ABNANL2A", "accountName": "Seller"}, ["bic", "accountName"]),
        ({"bic": "ABNANL2A"}, ["bic"]),
        ({"iban": "NL91ABNA0417164300", "bic": "ABNANL2A", "accountName": "Seller"}, []),
    ],
)
def test_a_detail_of_an_account_without_its_number_is_told(derived, means, unused):
    told = [w.field for w in derived(paymentMeans=means).warnings
            if w.code == "account-detail-unused"]  # fmt: skip

    assert told == [f"invoice.paymentMeans.{name}" for name in unused]


def test_a_dutch_supplier_always_has_payment_means(derived):
    """Decisions 17.10: 57, standing agreement, needs no account; NL-R-007 and NL-R-008."""
    result = derived(supplier=DUTCH, sender="0106:12345678")

    assert [payment.code for payment in result.invoice.payment] == ["57"]
    assert warning(result, "payment-means-defaulted").field == "invoice.paymentMeans"


@pytest.mark.parametrize(
    ("means", "currency", "code"),
    [
        ({"mandateReference": "M"}, "EUR", "59"),
        ({"mandateReference": "M"}, "SEK", "49"),
        ({"mandateReference": "M", "method": "49"}, "EUR", "49"),
        ({"method": "59"}, "EUR", "59"),
    ],
)
def test_a_mandate_makes_it_a_direct_debit_from_the_buyers_account(derived, means, currency, code):
    """The tenant's account is not debited."""
    sent = means | {"iban": "NL91 ABNA 0417 1643 00"}

    [payment] = derived(paymentMeans=sent, currency=currency, defaults=OWN).invoice.payment

    assert (payment.code, payment.mandate) == (code, means.get("mandateReference"))
    assert payment.debited_account == "NL91ABNA0417164300"
    assert payment.transfers == ()
