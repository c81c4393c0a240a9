"""Check digits of NIPs, which production demands and the test environment does not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from einvoice.domain.environments import Environment
from einvoice.domain.invoice import Identifier, Payee
from einvoice.network.types import Prepared, Rejected
from einvoice_ksef.access_point import Ksef
from einvoice_ksef.configuration import Side
from einvoice_ksef.fa3 import form
from einvoice_ksef.fa3.rules import wrong_numbers
from plugins.ksef.tests import company, polish
from tests.memory_store import MemoryStore

RIGHT, WRONG = "PL5265877635", "PL5265877636"


def prepared(environment: Environment, document: bytes) -> Prepared | Rejected:
    point = Ksef(Side(environment, "https://ksef.example/v2"), MemoryStore())
    connection = replace(company.new_connection({}), environment=environment)
    one = replace(company.envelope(), document=document, environment=environment)
    return company.bound(point, connection).prepare(one)


def sold_to(vat_id: str) -> bytes:
    return form.write(polish.invoice(buyer=replace(polish.BUYER, vat_id=vat_id)))


@pytest.mark.parametrize(
    ("environment", "vat_id", "outcome"),
    [
        (Environment.LIVE, RIGHT, Prepared),
        (Environment.LIVE, WRONG, Rejected),
        (Environment.TEST, WRONG, Prepared),
    ],
)
def test_a_wrong_nip_is_refused_in_production_before_it_is_sent(environment, vat_id, outcome):
    assert isinstance(prepared(environment, sold_to(vat_id)), outcome)


def test_the_refusal_names_every_wrong_number():
    refused = prepared(Environment.LIVE, sold_to(WRONG))

    assert refused.reason == "The check digit of a NIP is wrong: 5265877636."
    assert refused.reason_code == "document-refused"


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        (b"", b"", []),
        (b"<NIP>5265877635</NIP><Nazwa>Sprzedawca", b"<NIP>5265877636</NIP><Nazwa>Sprzedawca",
         ["5265877636"]),
        (b"<NIP>5265877635</NIP><Nazwa>Bank", b"<NIP>1111111112</NIP><Nazwa>Bank", ["1111111112"]),
        (b"<NIP>5265877635</NIP><Nazwa>Bank", b"<IDWew>5265877635-00001</IDWew><Nazwa>Bank", []),
        (b"<NIP>5265877635</NIP><Nazwa>Bank", b"<IDWew>5265877634-00001</IDWew><Nazwa>Bank",
         ["5265877634"]),
    ],
)  # fmt: skip
def test_the_numbers_of_all_parties_are_checked(old, new, wrong):
    """Also the NIP in an internal identifier."""
    made = polish.invoice(payee=Payee("Bank", legal_id=Identifier("5265877635")))
    document = form.write(replace(made, buyer=replace(polish.BUYER, vat_id=RIGHT)))
    assert old in document

    assert wrong_numbers(document.replace(old, new) if old else document) == wrong
