"""The QR code on the PDF and on the buyer's page."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import replace

import pytest

from einvoice.domain.additions import Handout
from einvoice_ksef.fa3 import form
from plugins.ksef.tests import polish
from plugins.ksef.tests.company import NUMBER


def handout(**changes) -> Handout:
    made = polish.invoice()
    cleared = Handout(made, form.write(made), True, {}, NUMBER, "pl", "ksef-live")
    return replace(cleared, **changes)


def test_a_cleared_invoice_has_code_one_with_its_number_below():
    (code,) = form.PROFILE.additions(handout()).codes
    digest = base64.urlsafe_b64encode(hashlib.sha256(handout().document).digest()).decode()

    assert code.caption == NUMBER
    assert code.text == (
        f"https://qr.ksef.mf.gov.pl/invoice/5265877635/20-11-2026/{digest.rstrip('=')}"
    )


@pytest.mark.parametrize(
    ("access_point", "host"),
    [
        ("ksef-live", "qr.ksef.mf.gov.pl"),
        ("ksef-demo", "qr-demo.ksef.mf.gov.pl"),
        ("ksef-test", "qr-test.ksef.mf.gov.pl"),
        ("", "qr-test.ksef.mf.gov.pl"),
    ],
)
def test_the_code_leads_to_the_environment_that_has_the_invoice(access_point, host):
    (code,) = form.PROFILE.additions(handout(access_point=access_point)).codes

    assert code.text.startswith(f"https://{host}/invoice/")


@pytest.mark.parametrize(
    "changes", [{"delivered": False}, {"reference": None}, {"reference": "txn_1"}]
)
def test_an_invoice_without_a_number_has_no_code(changes):
    assert form.PROFILE.additions(handout(**changes)).codes == ()


def test_the_number_is_printed_as_text_too():
    assert form.PROFILE.additions(handout()).lines == (f"KSeF: {NUMBER}",)


# -- issued offline --------------------------------------------------------------------------------

ONE, TWO = "https://qr.example/invoice/1", "https://qr.example/certificate/2"
OFFLINE = {"OFFLINE_CODES": f"{ONE}\r\n{TWO}\r\n".encode()}


def test_an_invoice_issued_offline_has_both_codes_with_the_words_of_the_guide():
    waits = handout(delivered=False, reference=None, evidence=OFFLINE)
    made = form.PROFILE.additions(waits)

    assert [(code.text, code.caption) for code in made.codes] == [
        (ONE, "OFFLINE"),
        (TWO, "CERTYFIKAT"),
    ]
    assert made.issued


def test_with_its_number_an_invoice_issued_offline_has_code_one_only():
    """The code for its certificate is for the time before (guide, label below the code)."""
    made = form.PROFILE.additions(handout(evidence=OFFLINE))

    assert [code.caption for code in made.codes] == [NUMBER]
    assert not made.issued
